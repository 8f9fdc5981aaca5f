/** The fields of a member's account that tests read. */
export interface Voucher {
  readonly client_benefit_code: number;
  readonly issue_date: string;
  readonly due_date: string | null;
  readonly used: boolean;
  readonly benefit: unknown;
}

export interface Page {
  readonly results: readonly { readonly amount: number | null }[];
  readonly next_cursor: string | null;
  readonly previous_cursor: string | null;
}
