import { escapeLiteral, type PoolClient, type QueryResult } from 'pg';
import { openDatabase, SESSION_OPTIONS, type Database } from '../src/platform/db/database.ts';
import { watchStatements, type Sent } from './watch-statements.ts';

/** A table with fewer rows fits on a page or two and is read faster without an index. */
const WORTH_AN_INDEX = 100;

/** How PostgreSQL ran one statement with one set of parameters. */
export interface Plan {
  readonly statement: string;
  /** The indexes it used, and the tables that it read from end to end. */
  readonly reads: readonly string[];
  /** Long tables that were read from end to end. */
  readonly readWhole: readonly string[];
  /** Rows that its scans looked at. */
  readonly rows: number;
  /** Pages of 8 kB. */
  readonly buffers: number;
  readonly milliseconds: number;
  /** The plan, one line for each step, steps of a step indented. */
  readonly tree: string;
}

/**
 * Runs `work` with a database that explains each named statement just before it runs, in the same state, with the same
 * parameters and the same plan.
 */
export async function withExplainedDatabase(
  url: string,
  onPlan: (plan: Plan) => void,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const generic = new URL(url);
  generic.searchParams.set('options', SESSION_OPTIONS);
  const db = openDatabase({
    url: generic.href,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 60_000,
    onConnection: (client) =>
      watchStatements(client, async (sent, query) => {
        if (sent.name !== null) onPlan(await explain(sent, client, query));
      }),
  });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

/** A node of a plan in the words of `explain (format json)`. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

interface Explained {
  readonly Plan: PlanNode;
  readonly 'Execution Time': number;
}

async function explain(
  { name, text, values }: Sent,
  client: PoolClient,
  query: (text: string) => Promise<QueryResult>,
): Promise<Plan> {
  const [open, close] =
    client.getTransactionStatus() === 'T'
      ? ['savepoint explained', 'rollback to explained']
      : ['begin', 'rollback'];
  const given = values.map((value) => (value === null ? 'null' : escapeLiteral(value)));
  await query(open);
  await query(`prepare explained as ${text}`);
  const { rows } = await query(
    `explain (analyze, buffers, format json) execute explained${given.length > 0 ? `(${given.join(', ')})` : ''}`,
  );
  await query('deallocate explained');
  await query(close);
  const [told] = (rows as [{ 'QUERY PLAN': [Explained] }])[0]['QUERY PLAN'];
  return planOf(name!, told);
}

function planOf(statement: string, { Plan: top, 'Execution Time': milliseconds }: Explained): Plan {
  const scans = nodesOf(top).filter(
    (node) => node['Node Type'].endsWith('Scan') && readBy(node) !== undefined,
  );
  const isWhole = (node: PlanNode) => node['Node Type'] === 'Seq Scan';
  const reads = scans.map((node) => `${readBy(node)}${isWhole(node) ? ', all of it' : ''}`);
  return {
    statement,
    reads: [...new Set(reads)],
    readWhole: scans
      .filter((node) => isWhole(node) && rowsOf(node) > WORTH_AN_INDEX)
      .map((node) => readBy(node)!),
    rows: scans.reduce((sum, node) => sum + rowsOf(node), 0),
    buffers: top['Shared Hit Blocks'] + top['Shared Read Blocks'],
    milliseconds,
    tree: treeOf(top),
  };
}

function treeOf(node: PlanNode, depth = 0): string {
  const where = readBy(node) === undefined ? '' : ` ${readBy(node)}`;
  const buffers = node['Shared Hit Blocks'] + node['Shared Read Blocks'];
  const line = `${'  '.repeat(depth)}${node['Node Type']}${where}: ${rowsOf(node)} rows, ${buffers} pages`;
  return [line, ...(node.Plans ?? []).map((child) => treeOf(child, depth + 1))].join('\n');
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** The index that a scan uses, or else its table. */
function readBy(node: PlanNode): string | undefined {
  return node['Index Name'] ?? node['Relation Name'];
}

function rowsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.round((node['Actual Rows'] + removed) * node['Actual Loops']);
}
