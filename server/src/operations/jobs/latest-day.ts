import { sql } from '#db/database.ts';

/**
 * The latest day that the clock of a commerce `c` can show in any time zone: no zone is more than 14 hours ahead of UTC. The exact local
 * day is computed in the program, for each commerce on its own. PostgreSQL's list of time zones may be older, and an unknown zone would make
 * the statement fail for all commerces.
 */
export const latestDay = sql.raw(
  `(program_now(c.clock_offset) at time zone 'UTC' + interval '14 hours')::date`,
);
