import { performance } from 'node:perf_hooks';
import type { FastifyBaseLogger } from 'fastify';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { BatchLoad } from '#batching/batch.ts';
import type { Caps } from '#base/caps.ts';
import type { Database } from '#db/database.ts';
import type { App } from '#http/server.ts';
import { showDatabase } from './database-metrics.ts';
import { serveMetrics } from './serve-metrics.ts';
import { showCounter, showGauge } from './show.ts';
import { showStatus } from './status-metrics.ts';

/** Metrics for Prometheus: about the process, about every response by the pattern of its route, and about the installation. */
export interface Metrics {
  /** Counts and times the responses of a service, and shows what its calls wait for. */
  watch(app: App, calls: WatchedCalls): void;
  /** Shows the connections of this process. */
  watchConnections(db: Database): void;
  /** Shows the outbox, jobs and books that all processes on the database share. */
  watchInstallation(db: Database, log: Pick<FastifyBaseLogger, 'warn'>): void;
  /** Shows the processes that serve on one port. */
  showProcesses(counts: () => ProcessCounts): void;
  /** Shows how many mails this process sent and how many failed. */
  showMails(counts: MailCounts): void;
  /** Shows how many requests to webhooks were taken, refused and not answered. */
  showWebhooks(counts: Readonly<Record<'delivered' | 'refused' | 'unanswered', number>>): void;
  /** Shows how many updates of wallet passes arrived and how many failed, by the kind of wallet. */
  showWalletUpdates(counts: WalletCounts): void;
  /** Returns what is shown about this process, in the text format of Prometheus. */
  readProcess(): Promise<string>;
  /** Returns what is shown about the installation. */
  readInstallation(): Promise<string>;
  /** Serves the metrics at `/metrics` on a separate port, so that they are never public by accident. */
  listen(host: string, port: number): Promise<{ port: number; close(): Promise<void> }>;
}

/** A service's knowledge of its calls. */
export interface WatchedCalls {
  readonly caps: Caps;
  readonly oldestMs: () => number;
  /** Number of calls that wait for their turn. */
  readonly waiting: () => number;
  /** The queues of the writes that are done together, by what they do. */
  readonly batches: Readonly<Record<string, () => BatchLoad>>;
  /** The readers of events that wait, and for how many seconds the feed has stood still meanwhile. */
  readonly events: { readonly waiting: () => number; readonly standsStillFor: () => number };
}

/** Processes that serve on one port, and how many were started again because they had ended or hung. */
export interface ProcessCounts {
  readonly wanted: number;
  readonly ready: number;
  readonly restarts: number;
}

type MailCounts = Readonly<Record<'sent' | 'failed' | 'postponed', number>>;
type WalletCounts = Readonly<Record<string, { readonly sent: number; readonly failed: number }>>;

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  showProcess(registry, version);
  const seconds = new Histogram({
    name: 'loyalty_http_request_duration_seconds',
    help: 'Request duration in seconds, by method and route.',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  const answers = new Counter({
    name: 'loyalty_http_responses_total',
    help: 'Number of responses, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  // Has no labels, so it is there from the start: an increase from 0 can be seen, and a new series that begins with 1 cannot.
  const errors = new Counter({
    name: 'loyalty_errors_total',
    help: 'Number of responses with a status of 5xx other than 503.',
    registers: [registry],
  });
  const installation = new Registry();
  let stopReading = (): void => {};
  const readProcess = () => registry.metrics();
  const readInstallation = () => installation.metrics();

  return {
    watch(app, calls) {
      showCalls(registry, calls);
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'none';
        seconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
        answers.inc({ method: request.method, route, status: reply.statusCode });
        if (reply.statusCode >= 500 && reply.statusCode !== 503) errors.inc();
        done();
      });
    },

    watchConnections: (db) => showDatabase(registry, db),

    watchInstallation(db, log) {
      stopReading = showStatus(installation, db, log);
    },

    showProcesses: (counts) => showProcesses(installation, counts),

    showMails(counts) {
      showCounter(
        registry,
        {
          name: 'loyalty_mails_total',
          help: 'Number of times that this process tried to send a mail, by outcome. A mail that was postponed is tried again.',
          labels: ['outcome'],
        },
        () => Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]),
      );
    },

    showWebhooks(counts) {
      showCounter(
        registry,
        {
          name: 'loyalty_webhook_requests_total',
          help: 'Number of requests that this process sent to webhooks, by outcome. What was not delivered is tried again.',
          labels: ['outcome'],
        },
        () => Object.entries(counts).map(([outcome, count]) => [{ outcome }, count]),
      );
    },

    showWalletUpdates(counts) {
      showCounter(
        registry,
        {
          name: 'loyalty_wallet_updates_total',
          help: 'Number of updates of wallet passes, by wallet and outcome.',
          labels: ['wallet', 'outcome'],
        },
        () =>
          Object.entries(counts).flatMap(([wallet, { sent, failed }]) => [
            [{ wallet, outcome: 'sent' }, sent],
            [{ wallet, outcome: 'failed' }, failed],
          ]),
      );
    },

    readProcess,
    readInstallation,

    async listen(host, port) {
      const served = await serveMetrics(
        { host, port },
        async () => (await readProcess()) + (await readInstallation()),
      );
      return {
        port: served.port,
        close() {
          stopReading();
          return served.close();
        },
      };
    },
  };
}

function showProcesses(registry: Registry, counts: () => ProcessCounts): void {
  showGauge(
    registry,
    {
      name: 'loyalty_processes',
      help: 'Number of processes that serve on one port, by state.',
      labels: ['state'],
    },
    () => {
      const { wanted, ready } = counts();
      return [
        [{ state: 'wanted' }, wanted],
        [{ state: 'ready' }, ready],
      ];
    },
  );
  showCounter(
    registry,
    {
      name: 'loyalty_process_restarts_total',
      help: 'Number of processes that were started again because they had ended or hung.',
    },
    () => counts().restarts,
  );
}

function showProcess(registry: Registry, version: string): void {
  showGauge(
    registry,
    {
      name: 'loyalty_build_info',
      help: '1, with the version of the program and of Node.',
      labels: ['version', 'node'],
    },
    () => [[{ version, node: process.versions.node }, 1]],
  );
  showCounter(
    registry,
    {
      name: 'loyalty_event_loop_busy_seconds_total',
      help: 'Seconds in which the event loop was busy. A process that is busy all the time can take no more calls.',
    },
    () => performance.eventLoopUtilization().active / 1000,
  );
}

function showCalls(registry: Registry, { caps, oldestMs, waiting, batches, events }: WatchedCalls): void {
  showCounter(
    registry,
    {
      name: 'loyalty_refused_total',
      help: 'Number of refusals, by the cap that refused.',
      labels: ['cap'],
    },
    () => Array.from(caps.counts(), ([cap, count]) => [{ cap }, count]),
  );
  showGauge(
    registry,
    {
      name: 'loyalty_oldest_call_seconds',
      help: 'For how long the oldest call has been handled that is not answered yet.',
    },
    () => oldestMs() / 1000,
  );
  showGauge(
    registry,
    {
      name: 'loyalty_waiting_calls',
      help: 'Number of calls that wait in memory for their turn, because others of their commerce, or for the same row, go before them.',
    },
    waiting,
  );
  showGauge(
    registry,
    { name: 'loyalty_event_readers', help: 'Number of calls that wait for events.' },
    events.waiting,
  );
  showGauge(
    registry,
    {
      name: 'loyalty_events_stand_still_seconds',
      help: 'For how long a transaction has held back all events, while somebody asks for them.',
    },
    events.standsStillFor,
  );
  const ofEach = (read: (load: BatchLoad) => number) => () =>
    Object.entries(batches).map(([batch, load]) => [{ batch }, read(load())] as const);
  const labels = ['batch'];
  showGauge(
    registry,
    {
      name: 'loyalty_batch_waiting_calls',
      help: 'Number of calls that wait for the next batch of their kind.',
      labels,
    },
    ofEach(({ waiting: calls }) => calls),
  );
  showGauge(
    registry,
    {
      name: 'loyalty_batch_oldest_seconds',
      help: 'For how long the oldest call has been waiting for its batch.',
      labels,
    },
    ofEach((load) => load.oldestMs / 1000),
  );
  showGauge(
    registry,
    {
      name: 'loyalty_batch_aside_calls',
      help: 'Number of calls that wait beside the batches for a row that another transaction has locked.',
      labels,
    },
    ofEach(({ aside }) => aside),
  );
  showCounter(
    registry,
    { name: 'loyalty_batch_calls_total', help: 'Number of calls that went into a batch.', labels },
    ofEach(({ calls }) => calls),
  );
  showCounter(
    registry,
    {
      name: 'loyalty_batches_total',
      help: 'Number of batches. Calls divided by batches is the mean size of a batch.',
      labels,
    },
    ofEach((load) => load.batches),
  );
  showCounter(
    registry,
    {
      name: 'loyalty_batch_refused_calls_total',
      help: 'Number of calls that were refused because too many waited, or because they waited for too long.',
      labels,
    },
    ofEach(({ refused }) => refused),
  );
}
