import { sql, type Database } from '../database.ts';
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
  const ask = (await hasCitus(database))
    ? sql<{ said: string | null }>`-- read-undecided-of-cluster
      select case when success then result end as said
        from run_command_on_all_nodes(
               'select case when pg_is_in_recovery() then ''${sql.raw(UNKNOWN)}'' else coalesce(string_agg(gid, '' ''), '''') end
                  from pg_prepared_xacts
                 where database = current_database() and prepared <= clock_timestamp() - interval ''${sql.raw(String(seconds))} seconds''')`
    : sql<{ said: string | null }>`-- read-undecided
      select string_agg(gid, ' ') as said
        from pg_prepared_xacts
       where database = current_database() and prepared <= clock_timestamp() - make_interval(secs => ${seconds})
      having count(*) > 0`;
  const { rows } = await ask.execute(database);
  return rows.flatMap(({ said }) =>
    said === null || said === UNKNOWN ? [SILENT] : said.split(' ').filter((name) => name !== ''),
  );
}
