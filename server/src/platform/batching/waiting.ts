import type { Place } from '#base/tracing.ts';

/**
 * Says how a run treats rows that another transaction has locked. `none`: it waits for none of them and sets their calls aside. `first`: it
 * waits for those of the first call only. `all`: it waits for all of them.
 */
export type WaitFor = 'none' | 'first' | 'all';

/** The outcome of a call whose row is locked elsewhere. Nothing was done, and it is run again beside the other batches. */
export class SetAside {
  /** The row, as `rowsOf` names it. */
  readonly row: string;

  constructor(row: string) {
    this.row = row;
  }
}

/** A call that nobody has answered yet. */
export interface Waiting<Call, Outcome> {
  readonly call: Call;
  readonly commerceId: number;
  readonly since: number;
  /** Null if the call is not traced. */
  readonly place: Place | null;
  /** The rows that no other batch may work on now. If the call is set aside, only the row that is locked elsewhere. */
  rows: readonly string[];
  readonly names: readonly string[];
  asideSince?: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}
