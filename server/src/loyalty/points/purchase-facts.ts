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

/** Where a purchase was made of which nobody says where. */
export const NOWHERE = { branchId: null, registerId: null } as const;
