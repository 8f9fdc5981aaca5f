import { sql } from '#db/database.ts';

/**
 * The open commerces, each with the latest local day that its clock can show in any zone: no zone is more than 14 hours
 * ahead of UTC. Jobs work out the exact day in Node, one commerce at a time, because PostgreSQL's time zones may be
 * older than Node's, and one unknown zone would fail the statement for every commerce.
 */
export const openClocks = sql.raw(`
      select c.id, (program_now(c) at time zone 'UTC' + interval '14 hours')::date as latest_day
        from commerces c
       where c.status <> 'closed'
    `);
