import type { Sql } from '#db/database.ts';

/** One invariant of a commerce's books, and the statement that finds where it does not hold. */
export interface Check {
  /** The invariant, as a sentence. */
  readonly invariant: string;
  /** A select of `Finding`s. The caller limits their number. */
  readonly find: (commerceId: Sql, books: Books) => Sql<Finding>;
}

/** Facts about a commerce that a check needs besides its rows, as SQL: one statement may check many commerces. */
export interface Books {
  /** Today in the commerce's time zone. */
  readonly today: Sql;
}

/** One place where an invariant does not hold. */
export interface Finding {
  readonly memberId: number | null;
  /** The movement that is wrong or seems added; null if only the member is known, as when a movement is missing. */
  readonly movementId: number | null;
  /** The actual and the expected figures. */
  readonly says: string;
}
