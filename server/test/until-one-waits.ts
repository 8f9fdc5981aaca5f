import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Database, type Sql } from '#db/database.ts';
import { isOnNodes } from './on-cluster.ts';

/** The sessions of all servers that the database is on. On a cluster a call waits on the machine of its rows. */
const ACTIVITY = sql.raw(isOnNodes ? 'citus_stat_activity' : 'pg_stat_activity');

/** The session of the service for which a session works: on a cluster, the one at the coordinator. */
export const servedSession = sql.raw(isOnNodes ? 'global_pid' : 'pid');

/** Selects the sessions of this database that wait for a lock. */
export function waitingSessions(what: Sql, where: Sql): Sql {
  return sql`
    select ${what} from ${ACTIVITY} where datname = current_database() and wait_event_type = 'Lock' and ${where}`;
}

/** Resolves once a session of this database waits for a lock, of a kind if one is named, in a statement with this text. */
export async function untilOneWaits(
  db: Database,
  { kind = null, text = '' }: { kind?: 'advisory' | 'transactionid' | null; text?: string } = {},
): Promise<void> {
  const where = sql`(${kind}::text is null or wait_event = ${kind}::text) and position(${text}::text in query) > 0`;
  while ((await waitingSessions(sql`1`, where).execute(db)).rows.length === 0) await sleep(5);
}
