/** An order of an online shop, as the shop says that it is. */
import type { Line } from '#points/line.ts';

export const ORDER_STATUSES = ['open', 'paid', 'cancelled'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const CODE_STATES = ['held', 'used', 'restored', 'released', 'refused'] as const;
export type CodeState = (typeof CODE_STATES)[number];

/** A code that an order names or has named. */
export interface OrderCode {
  readonly code: number;
  readonly state: CodeState;
  /** Why it is not what the shop asked for; null if it is. */
  readonly reason: string | null;
}

/** What stands of an order. */
export interface Order {
  readonly commerceId: number;
  readonly externalId: string;
  /** The buyer; null if nobody at the commerce has the address that the shop sent. */
  readonly memberId: number | null;
  /** Its purchase in the ledger; null as long as there is none. */
  readonly purchaseId: number | null;
  readonly status: OrderStatus;
  /** Whole currency units. */
  readonly paid: number;
  readonly refunded: number;
  readonly version: number;
  /** Digest of what the shop said with this version. */
  readonly content: Buffer;
  /** Why the last state could not be recorded as a purchase, or as a change of it. */
  readonly refusal: string | null;
  /** By the commerce's clock. */
  readonly placedAt: Date;
  readonly paidAt: Date | null;
  /** In the order of their numbers. */
  readonly codes: readonly OrderCode[];
}

/** One line of an order. */
export interface OrderLine extends Line {
  readonly returned_units?: number | null;
  readonly returned_amount?: number | null;
}

/** A state of an order, as a shop says it. */
export interface SaidOrder {
  readonly status: OrderStatus;
  readonly paid: number;
  readonly refunded: number;
  readonly codes: readonly number[];
  readonly version: number;
  readonly content: Buffer;
  readonly paidAt: Date | null;
}
