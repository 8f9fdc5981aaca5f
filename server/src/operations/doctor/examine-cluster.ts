import { ALL_WELL, readMachines, type Machines } from '#db/cluster/heartbeat.ts';
import { readUnsetMachines } from '#db/cluster/settings-of-machines.ts';
import { readUndecided, SILENT } from '#db/cluster/undecided.ts';
import { ONLY_HERE, onConnection, sql, workerSettings, type Database } from '#db/database.ts';
import { planDistribution } from '#distribute/distribute.ts';
import { readCluster, type ClusterState } from '#distribute/read-cluster.ts';
import { Refusal } from '#base/refusal.ts';
import { problem, warning, type Finding } from './finding.ts';

/** The facts known about a cluster. */
export interface ClusterFacts {
  readonly citus: string | null;
  readonly nodes: number;
  readonly shards: number;
  readonly undecided: number;
  /** Machines that do not answer. */
  readonly silent: readonly string[];
  /** The addresses of machines whose state is older than that of the others. */
  readonly behind: readonly string[];
}

/** A commit over several machines takes a moment. */
const LONG_SECONDS = 10;

/** Looks whether all machines answer and all tables are kept as they should be. Changes nothing. */
export async function examineCluster(db: Database): Promise<{ facts: ClusterFacts; findings: Finding[] }> {
  const state = await readCluster(db);
  const { version: citus, nodes, shards } = state;
  const undecided = (await readUndecided(db, LONG_SECONDS)).filter((name) => name !== SILENT).length;
  const { behind, silent } = await readStates(db, state);
  const findings: Finding[] = [];
  if (behind.length > 0)
    findings.push(
      problem(
        'cluster',
        `The state of ${behind.join(' and ')} is older than that of the other machines, so no call is served.`,
        'See docs/scaling.md#a-machine-with-an-older-state.',
      ),
    );
  if (silent.length > 0)
    findings.push(
      problem(
        'cluster',
        `${silent.join(' and ')} ${silent.length === 1 ? 'does' : 'do'} not answer. Calls of the shops there get 503, and seals, reports and events of all shops wait.`,
        'Start what is down, or let its standby take over.',
      ),
    );
  if (undecided > 0)
    findings.push(
      warning(
        'cluster',
        `${undecided === 1 ? '1 transaction has' : `${undecided} transactions have`} been prepared on machines of the cluster for more than ${LONG_SECONDS} seconds and not decided, so seals, reports and events wait.`,
        'They are decided within a minute. If not, look for a machine that is away, and run `select recover_prepared_transactions()`.',
      ),
    );
  if (shards > 0) findings.push(...(await findUnset(db)));
  if (undecided + silent.length === 0) findings.push(...(await findTables(db, state)));
  return { facts: { citus, nodes, shards, undecided, silent, behind }, findings };
}

/** A machine that was added copies the settings of the coordinator, which behind a pooler are those of calls. */
async function findUnset(db: Database): Promise<Finding[]> {
  const settings = workerSettings(db.address);
  const unset = await onConnection(db, (connection) => readUnsetMachines(connection, settings));
  if (unset.length === 0) return [];
  const { rows } = await sql<{ role: string; place: string }>`
    select session_user as role, current_database() as place`.execute(db);
  const { role, place } = rows[0]!;
  return [
    warning(
      'cluster',
      `${unset.join(' and ')} ${unset.length === 1 ? 'does' : 'do'} not keep the settings of the role "${role}", so commands and jobs may end there after the time of a call, or calls may wait without end.`,
      [
        'Start the service again: it stores them. If the role may not change its settings, run these statements there as a superuser:',
        `  set ${ONLY_HERE} = off;`,
        ...Object.entries(settings).map(
          ([name, value]) => `  alter role "${role}" in database "${place}" set ${name} = ${value};`,
        ),
      ].join('\n'),
    ),
  ];
}

/** Before the tables are distributed, the machines have no state yet. */
async function readStates(db: Database, { tables }: ClusterState): Promise<Machines> {
  const isCounted = tables.get('cluster_heartbeat')?.kept === 'reference';
  return isCounted ? onConnection(db, readMachines) : ALL_WELL;
}

async function findTables(db: Database, state: ClusterState): Promise<Finding[]> {
  try {
    const { steps } = await planDistribution(db, state.shards, state);
    if (steps.length === 0) return [];
    const names = steps.slice(0, 3).map(({ table }) => table);
    return [
      problem(
        'cluster',
        `${steps.length} tables are not kept as a cluster should keep them, such as ${names.join(', ')}.`,
        'Run `loyalty distribute`.',
      ),
    ];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [problem('cluster', error.message, 'See docs/scaling.md#a-cluster.')];
  }
}
