import { readUndecided } from '#db/cluster/undecided.ts';
import type { Database } from '#db/database.ts';
import { planDistribution } from '#distribute/distribute.ts';
import { readCluster } from '#distribute/read-cluster.ts';
import { Refusal } from '#base/refusal.ts';
import { problem, warning, type Finding } from './finding.ts';

/** The facts known about a cluster. */
export interface ClusterFacts {
  readonly citus: string | null;
  readonly nodes: number;
  readonly shards: number;
  readonly undecided: number;
}

/** Looks whether all machines answer and all tables are kept as they should be. Changes nothing. */
export async function examineCluster(db: Database): Promise<{ facts: ClusterFacts; findings: Finding[] }> {
  const { version: citus, nodes, shards } = await readCluster(db);
  const undecided = (await readUndecided(db)).length;
  const findings: Finding[] = [];
  if (undecided > 0)
    findings.push(
      warning(
        'cluster',
        `${undecided} transactions are prepared on machines of the cluster and not decided, so seals, reports and events wait.`,
        'They are decided within a minute. If not, look for a machine that is away, and run `select recover_prepared_transactions()`.',
      ),
    );
  else findings.push(...(await findTables(db, shards)));
  return { facts: { citus, nodes, shards, undecided }, findings };
}

async function findTables(db: Database, shards: number): Promise<Finding[]> {
  try {
    const { steps } = await planDistribution(db, shards);
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
