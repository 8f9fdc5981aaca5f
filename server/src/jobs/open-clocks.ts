import { sql } from '#db/database.ts';

/**
 * The open commerces, each with the latest day that it can be anywhere by its clock: no zone is more than 14 hours ahead
 * of UTC. Its own day is counted by the program, one commerce at a time: PostgreSQL's list of time zones may be older,
 * and a zone that it does not know would fail the statement for all.
 */
export const openClocks = sql.raw(`
      select c.id, (program_now(c) at time zone 'UTC' + interval '14 hours')::date as latest_day
        from commerces c
       where c.status <> 'closed'
    `);
