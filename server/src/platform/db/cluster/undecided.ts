import { onConnection, sql, type Database } from '../database.ts';
import { askMachines } from './ask-machines.ts';
import { hasCitus } from './shards.ts';

/** Stands for what is prepared on a machine that did not say. */
export const SILENT = 'a machine that does not answer';

/** What a machine says that does not know: while it recovers from its log, nothing that is prepared is shown. */
const UNKNOWN = '?';

/**
 * Returns the names of the transactions that are prepared on a machine of the cluster and not committed or rolled back yet. A machine that
 * does not answer counts as one, because nobody knows what waits there. Empty on one server, without a statement.
 * @param seconds leaves out those that are younger
 */
export async function readUndecided(database: Database, seconds = 0): Promise<string[]> {
  if (database.address.cluster == null) return [];
  const statement = `
    select case when pg_is_in_recovery() then '${UNKNOWN}' else coalesce(string_agg(gid, ' '), '') end as said
      from pg_prepared_xacts
     where database = current_database() and prepared <= clock_timestamp() - interval '${seconds} seconds'`;
  const answers = await onConnection(database, async (connection) => {
    if (await hasCitus(connection)) return askMachines(connection, statement);
    const { rows } = await sql<{ said: string }>`-- read-undecided${sql.raw(statement)}`.execute(connection);
    return rows;
  });
  return answers.flatMap(({ said }) =>
    said === null || said === UNKNOWN ? [SILENT] : said.split(' ').filter((name) => name !== ''),
  );
}
