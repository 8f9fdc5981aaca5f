import { rolledBack, sql, type Db } from '../database.ts';

/** What a machine of the cluster has said; null if it did not answer. */
export interface Said {
  readonly machine: string;
  readonly said: string | null;
  /** Why it did not; null if it did. */
  readonly failure: string | null;
}

/**
 * A machine does not answer if no connection to it could be opened in this time. By itself, Citus waits for half a minute, for one machine after
 * another.
 */
const CONNECT_MS = 1_000;
/** The question is given up after this time: more than three machines do not answer, or one has fallen silent behind an open connection. */
const ANSWER_MS = 4_000;

/**
 * Sends a statement to each machine of the cluster, all at once. It returns one value. If the question is given up, the connection must not be
 * used again.
 */
export function askMachines(connection: Db, statement: string): Promise<Said[]> {
  return rolledBack(connection, async () => {
    await sql`-- limit-question
      select set_config('citus.node_connection_timeout', ${String(CONNECT_MS)}, true),
             set_config('statement_timeout', ${String(ANSWER_MS)}, true)`.execute(connection);
    const { rows } = await sql<Said>`-- ask-machines
      select coalesce(n.nodename || ':' || n.nodeport, 'the coordinator') as machine,
             case when r.success then r.result end as said,
             case when not r.success then r.result end as failure
        from run_command_on_all_nodes(${statement}) r
        left join pg_dist_node n on n.nodeid = r.nodeid`.execute(connection);
    return rows;
  });
}
