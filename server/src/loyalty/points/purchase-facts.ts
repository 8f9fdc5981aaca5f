import type { Remainder } from '#members/member.ts';
import type { Line } from './line.ts';

/**
 * The facts known about a purchase before its points are computed. Recording, previewing, trying, replaying and verifying a purchase build
 * all of it, so that the compiler asks each of them for a new field and none of them computes without it.
 */
export interface PurchaseFacts {
  /** Whole currency units. */
  readonly amount: number;
  /** By the commerce's clock. */
  readonly at: Date;
  /** Null if the shop did not say. */
  readonly branchId: number | null;
  readonly registerId: number | null;
  /** Where it was sold, such as `web`; null if the shop did not say. */
  readonly channel: string | null;
  /** What was sold; null if the shop did not say, or if it is known no more. The amounts add up to the amount. */
  readonly lines: readonly Line[] | null;
}

/** What is known of the buyer right before a purchase. */
export interface BuyerSoFar {
  /** Purchases that count. */
  readonly purchases: number;
  /** When the person joined for the first time; null if they have not. */
  readonly joinedAt: Date | null;
  /** Earlier purchases, as far back as limits of the program count. */
  readonly past: readonly PastPurchase[];
  /** When an order arrived that was paid earlier; null if the purchase is told of when it is made. */
  readonly arrivedAt: Date | null;
  /** The money of earlier purchases that waits for this one. */
  readonly remainder: Remainder | null;
}

/** An earlier purchase of which something still counts. */
export interface PastPurchase {
  readonly at: Date;
  /** The ids of the rules with a limit that gave it something. */
  readonly used: readonly string[];
  /** What it earned, less what returns took back. */
  readonly points: number;
}

/** The facts that a shop says of a purchase. The time may be that of the call. */
export type SaidFacts = Omit<PurchaseFacts, 'at'>;

/** The facts by which a call and a row of a file are compared. What was sold is not kept as long as the id. */
export type ComparedFacts = Omit<SaidFacts, 'channel' | 'lines'>;

const SAID = Object.keys({
  amount: true,
  branchId: true,
  registerId: true,
} satisfies Record<keyof ComparedFacts, true>) as (keyof ComparedFacts)[];

/** Returns true if a shop says the same of two purchases. */
export function sayTheSame(one: ComparedFacts, other: ComparedFacts): boolean {
  return SAID.every((fact) => one[fact] === other[fact]);
}

/** A purchase of which nobody says where it was made, and of what. */
export const NOWHERE = { branchId: null, registerId: null, channel: null, lines: null } as const;

/** Somebody who has never been here. */
export const NEWCOMER: BuyerSoFar = {
  purchases: 0,
  joinedAt: null,
  past: [],
  arrivedAt: null,
  remainder: null,
};
