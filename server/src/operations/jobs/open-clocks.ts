import { sql } from '#db/database.ts';

/**
 * Selects the open commerces, each with the latest day that its clock can show in any time zone: no zone is more than
 * 14 hours ahead of UTC. The exact local day is computed in the program, for each commerce on its own. PostgreSQL's
 * list of time zones may be older, and an unknown zone would make the statement fail for all commerces.
 */
export const openClocks = sql.raw(`
      select c.id, (program_now(c.clock_offset) at time zone 'UTC' + interval '14 hours')::date as latest_day
        from commerces c
       where c.status <> 'closed'
    `);
