import type { Registry } from 'prom-client';
import { lastHeard } from '#db/cluster/heartbeat.ts';
import type { Database } from '#db/database.ts';
import { showCounter, showGauge } from './show.ts';

/** Shows what this process knows about its database without asking: connections, outages, slow statements. */
export function showDatabase(registry: Registry, database: Database): void {
  const { pool, trouble, waits, slow } = database;
  showGauge(
    registry,
    {
      name: 'loyalty_database_unavailable',
      help: '1 while calls are refused because the database is unavailable or too slow.',
    },
    () => (trouble.counts().unavailable ? 1 : 0),
  );
  showGauge(
    registry,
    {
      name: 'loyalty_database_disk_full',
      help: '1 from a statement that failed for want of disk space until the database can be written to again.',
    },
    () => (trouble.wasDiskFull() ? 1 : 0),
  );
  showCounter(
    registry,
    { name: 'loyalty_database_outages_total', help: 'Number of outages of the database.' },
    () => trouble.counts().outages,
  );
  showCounter(
    registry,
    {
      name: 'loyalty_database_refused_calls_total',
      help: 'Number of calls that were refused because the database was unavailable or too slow.',
    },
    () => trouble.counts().refusedCalls,
  );
  showGauge(
    registry,
    {
      name: 'loyalty_pool_connections',
      help: 'Number of open database connections of this process, by state.',
      labels: ['state'],
    },
    () => [
      [{ state: 'used' }, pool.totalCount - pool.idleCount],
      [{ state: 'idle' }, pool.idleCount],
    ],
  );
  showGauge(
    registry,
    { name: 'loyalty_pool_limit_connections', help: 'The most connections that this process may open.' },
    () => pool.options.max,
  );
  showGauge(
    registry,
    {
      name: 'loyalty_pool_waiting',
      help: 'Number of transactions and statements that wait for a connection.',
    },
    () => pool.waitingCount,
  );
  showCounter(
    registry,
    { name: 'loyalty_pool_taken_total', help: 'How often a connection was taken from the pool.' },
    () => waits.taken,
  );
  showCounter(
    registry,
    {
      name: 'loyalty_pool_wait_seconds_total',
      help: 'Seconds that were spent waiting for a connection.',
    },
    () => waits.seconds,
  );
  if (database.address.cluster != null)
    showGauge(
      registry,
      {
        name: 'loyalty_cluster_machines',
        help: 'Number of machines of the cluster that do not answer, or have an older state than the others, by state.',
        labels: ['state'],
      },
      () => {
        const { silent, behind } = lastHeard(database);
        return [
          [{ state: 'silent' }, silent.length],
          [{ state: 'behind' }, behind.length],
        ];
      },
    );
  if (slow === null) return;
  showCounter(
    registry,
    {
      name: 'loyalty_slow_statements_total',
      help: 'Number of statements that took longer than SLOW_STATEMENT_MS, by name.',
      labels: ['statement'],
    },
    () => Array.from(slow.counts(), ([statement, count]) => [{ statement }, count]),
  );
}
