import type { Once, RecordedPurchase, TillLevel, TillVoucher } from '@loyalty/sdk/admin';

/** The last thing that was done, until the next customer comes. */
export type Done = Recorded | { readonly kind: 'used'; readonly voucher: TillVoucher };

/** A purchase that was recorded. */
export interface Recorded {
  readonly kind: 'recorded';
  readonly name: string;
  /** The amount that was paid, with its cents. */
  readonly paid: string;
  readonly answer: Once<RecordedPurchase>;
  /** The tier that it reached, once that is known. */
  readonly reached: TillLevel | null;
  readonly isUndone: boolean;
}
