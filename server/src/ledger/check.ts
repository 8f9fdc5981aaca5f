import type { Day } from '#calendar/calendar.ts';
import type { Sql } from '#db/database.ts';
import type { Calendar } from './check-days.ts';

/** One invariant of a commerce's books, and the statement that finds where it does not hold. */
export interface Check {
  /** What holds, as a sentence. */
  readonly invariant: string;
  /** A select of `Finding`s; whoever runs it limits how many it gives. */
  readonly find: (commerceId: number, books: Books) => Sql<Finding>;
}

/** What a check needs to know about a commerce besides its rows. */
export interface Books {
  /** The commerce's local day. */
  readonly today: Day;
  readonly calendars: readonly Calendar[];
}

/** One place where an invariant does not hold. */
export interface Finding {
  readonly memberId: number | null;
  /** The movement that is wrong, or looks too many; null where only the member is known, as when one is gone. */
  readonly movementId: number | null;
  /** What is there, and what should be. */
  readonly says: string;
}
