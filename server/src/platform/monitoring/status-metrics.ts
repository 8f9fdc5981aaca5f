import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import type { Database } from '#db/database.ts';
import { MOST_COUNTED, readStatus, type Status } from './read-status.ts';
import { showGauge } from './show.ts';

/** A scraper that asks more often sees the same figures again. */
const EVERY_MS = 5_000;

/**
 * Shows what all processes on one database share. It is read every five seconds and kept, so that the metrics are answered at
 * once while the database is slow or away. Then they show what was read last, and when that was. Returns a function that stops
 * the reading.
 */
export function showStatus(
  registry: Registry,
  db: Database,
  log: Pick<FastifyBaseLogger, 'warn'>,
  everyMs: number = EVERY_MS,
): () => void {
  let status: Status | null = null;
  // A reading that never succeeds is late as well, after as long a time as one that fails later.
  let readAt = Date.now() / 1000;
  let isReading = false;
  const read = async () => {
    if (isReading) return;
    isReading = true;
    try {
      status = await readStatus(db);
      readAt = Date.now() / 1000;
    } catch (error) {
      if (!db.trouble.note(error))
        log.warn({ err: error }, 'the status of the installation could not be read');
    }
    isReading = false;
  };
  const timer = setInterval(() => void read(), everyMs).unref();
  void read();

  showGauge(
    registry,
    {
      name: 'loyalty_status_read_timestamp_seconds',
      help: 'When the figures of the outbox, the jobs, the ledger and the database server were last read, or the process began to.',
    },
    () => readAt,
  );
  showOutbox(registry, () => status);
  showJobs(registry, () => status);
  showWork(registry, () => status);
  showLedger(registry, () => status);
  showWebhooks(registry, () => status);
  showServer(registry, () => status);
  return () => clearInterval(timer);
}

type ReadLast = () => Status | null;

function showOutbox(registry: Registry, last: ReadLast): void {
  const ofEach = (read: (mails: Status['outbox']['urgent']) => number) => () =>
    Object.entries(last()?.outbox ?? {}).map(([kind, mails]) => [{ kind }, read(mails)] as const);
  showGauge(
    registry,
    {
      name: 'loyalty_outbox_waiting_mails',
      help: `Number of mails that wait to be sent, up to ${MOST_COUNTED}. Somebody is waiting for an urgent one.`,
      labels: ['kind'],
    },
    ofEach(({ waiting }) => waiting),
  );
  showGauge(
    registry,
    {
      name: 'loyalty_outbox_oldest_seconds',
      help: 'Age of the oldest mail that waits to be sent. 0 if none does.',
      labels: ['kind'],
    },
    ofEach(({ oldestSeconds }) => oldestSeconds),
  );
}

// Prometheus has its own label `job`, so the job's name is `name`.
function showJobs(registry: Registry, last: ReadLast): void {
  const show = (name: string, help: string, read: (job: Status['jobs'][number]) => number | null): void =>
    showGauge(registry, { name, help, labels: ['name'] }, () =>
      (last()?.jobs ?? []).flatMap((one) => {
        const value = read(one);
        return value === null ? [] : [[{ name: one.job }, value] as const];
      }),
    );
  show(
    'loyalty_job_started_timestamp_seconds',
    'When the last round of a job began, in any process.',
    ({ startedAt }) => startedAt,
  );
  show(
    'loyalty_job_finished_timestamp_seconds',
    'When the last round of a job ended that reached all commerces.',
    ({ finishedAt }) => finishedAt,
  );
  show('loyalty_job_duration_seconds', 'How long the last round of a job took.', ({ seconds }) => seconds);
  show(
    'loyalty_job_failing_since_timestamp_seconds',
    'Since when every round of a job has failed somewhere. Absent if the last round was fine.',
    ({ failingSince }) => failingSince,
  );
  show(
    'loyalty_job_failing_commerces',
    'Number of commerces at which the last round of a job failed.',
    ({ failingCommerces }) => failingCommerces,
  );
}

function showWebhooks(registry: Registry, last: ReadLast): void {
  showGauge(
    registry,
    {
      name: 'loyalty_webhooks',
      help: 'Number of webhooks by state. A failing one took nothing in its last turn.',
      labels: ['state'],
    },
    () => {
      const { enabled = 0, failing = 0, disabled = 0 } = last()?.webhooks ?? {};
      return [
        [{ state: 'enabled' }, enabled - failing],
        [{ state: 'failing' }, failing],
        [{ state: 'disabled' }, disabled],
      ] as const;
    },
  );
  showGauge(
    registry,
    {
      name: 'loyalty_webhooks_late_seconds',
      help: 'How long a delivery that is tried again has been due, or a turn over that its process did not end. 0 while they keep up.',
    },
    () => last()?.webhooks.lateSeconds ?? null,
  );
}

function showWork(registry: Registry, last: ReadLast): void {
  const show = (name: string, help: string, read: (status: Status) => number | null | undefined): void =>
    showGauge(registry, { name, help }, () => {
      const status = last();
      return status && (read(status) ?? null);
    });
  const of = ({ work }: Status, wanted: Status['work'][number]['name']) =>
    work.find(({ name }) => name === wanted);
  show(
    'loyalty_backup_finished_timestamp_seconds',
    'When `loyalty backup` last completed a backup. Absent if it never has.',
    (status) => of(status, 'backup')?.succeededAt,
  );
  show(
    'loyalty_backup_failing_since_timestamp_seconds',
    'Since when every `loyalty backup` has failed. Absent if the last one was fine.',
    (status) => of(status, 'backup')?.failingSince,
  );
  show(
    'loyalty_heads_published_timestamp_seconds',
    'When heads of the sealed history were last published. Absent if none were.',
    (status) => of(status, 'heads')?.succeededAt,
  );
  show(
    'loyalty_heads_failing_since_timestamp_seconds',
    'Since when publishing heads of the sealed history has failed somewhere. Absent if the last time was fine.',
    (status) => of(status, 'heads')?.failingSince,
  );
}

function showLedger(registry: Registry, last: ReadLast): void {
  const show = (name: string, help: string, read: (ledger: Status['ledger']) => number | null): void =>
    showGauge(registry, { name, help }, () => {
      const status = last();
      return status && read(status.ledger);
    });
  show(
    'loyalty_ledger_differences',
    'Number of differences between the books and the movements that the last check of each commerce found.',
    ({ differences }) => differences,
  );
  show(
    'loyalty_ledger_checked_timestamp_seconds',
    'When the books were last checked, at the commerce where that is longest ago.',
    ({ checkedAt }) => checkedAt,
  );
  show(
    'loyalty_ledger_unchecked_commerces',
    'Number of open commerces whose books were never checked.',
    ({ unchecked }) => unchecked,
  );
  show('loyalty_ledger_sealed_movements', 'Number of movements that are sealed.', ({ sealed }) => sealed);
  show(
    'loyalty_ledger_sealed_timestamp_seconds',
    'When movements were last sealed, at any commerce.',
    ({ sealedAt }) => sealedAt,
  );
  show(
    'loyalty_ledger_rewritten_commerces',
    'Number of commerces whose sealed history is not that of a head that was published.',
    ({ rewritten }) => rewritten,
  );
}

function showServer(registry: Registry, last: ReadLast): void {
  const show = (name: string, help: string, read: (server: Status['server']) => number): void =>
    showGauge(registry, { name, help }, () => {
      const status = last();
      return status && read(status.server);
    });
  show(
    'loyalty_clock_ahead_seconds',
    'By how much the clock of this process is ahead of that of the database.',
    ({ clockAheadSeconds }) => clockAheadSeconds,
  );
  show(
    'loyalty_database_connections',
    'Number of connections that all programs have to the database server.',
    ({ connections }) => connections,
  );
  show(
    'loyalty_database_limit_connections',
    'The most connections that the database server takes.',
    ({ mostConnections }) => mostConnections,
  );
  show(
    'loyalty_database_oldest_transaction_seconds',
    'Age of the oldest transaction of this service, over all its processes.',
    ({ oldestTransactionSeconds }) => oldestTransactionSeconds,
  );
}
