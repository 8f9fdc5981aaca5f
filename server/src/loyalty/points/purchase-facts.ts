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
}

/** The facts that a shop says of a purchase. The time may be that of the call. */
export type SaidFacts = Omit<PurchaseFacts, 'at'>;

const SAID = Object.keys({
  amount: true,
  branchId: true,
  registerId: true,
} satisfies Record<keyof SaidFacts, true>) as (keyof SaidFacts)[];

/** Returns true if a shop says the same of two purchases. */
export function sayTheSame(one: SaidFacts, other: SaidFacts): boolean {
  return SAID.every((fact) => one[fact] === other[fact]);
}

/** Where a purchase was made of which nobody says where. */
export const NOWHERE = { branchId: null, registerId: null } as const;
