import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Caps } from '#caps.ts';
import type { Trouble } from '#db/trouble.ts';
import type { App } from '#http/server.ts';

/** Metrics for Prometheus: about the process, and about every response by the pattern of its route. */
export interface Metrics {
  /**
   * Counts and times the responses of a service, and shows how often its caps refused something and what the failures
   * of its database have cost.
   */
  watch(app: App, caps: Caps, trouble: Trouble): void;
  /** Shows how many updates of wallet passes arrived and how many failed, by the kind of wallet. */
  showWalletUpdates(counts: WalletCounts): void;
  /** Serves the metrics at `/metrics` on a separate port, so that they are never public by accident. */
  listen(host: string, port: number): Promise<{ port: number; close(): Promise<void> }>;
}

type WalletCounts = Readonly<Record<string, { readonly sent: number; readonly failed: number }>>;

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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

  return {
    watch(app, caps, trouble) {
      showTrouble(registry, trouble);
      registry.registerMetric(
        new Counter({
          name: 'loyalty_refused_total',
          help: 'Number of refusals, by the cap that refused.',
          labelNames: ['cap'],
          registers: [],
          collect() {
            this.reset();
            for (const [cap, count] of caps.counts()) this.inc({ cap }, count);
          },
        }),
      );
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'none';
        seconds.observe({ method: request.method, route }, reply.elapsedTime / 1000);
        answers.inc({ method: request.method, route, status: reply.statusCode });
        done();
      });
    },

    showWalletUpdates(counts) {
      registry.registerMetric(
        new Counter({
          name: 'loyalty_wallet_updates_total',
          help: 'Number of updates of wallet passes, by wallet and outcome.',
          labelNames: ['wallet', 'outcome'],
          registers: [],
          collect() {
            this.reset();
            for (const [wallet, { sent, failed }] of Object.entries(counts)) {
              this.inc({ wallet, outcome: 'sent' }, sent);
              this.inc({ wallet, outcome: 'failed' }, failed);
            }
          },
        }),
      );
    },

    async listen(host, port) {
      const server = createServer((request, response) => {
        if (request.url !== '/metrics') {
          response.writeHead(404).end();
          return;
        }
        registry.metrics().then(
          (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
          () => response.writeHead(500).end(),
        );
      });
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
      return {
        port: (server.address() as AddressInfo).port,
        close: () => new Promise((resolve) => server.close(() => resolve())),
      };
    },
  };
}

function showTrouble(registry: Registry, trouble: Trouble): void {
  registry.registerMetric(
    new Gauge({
      name: 'loyalty_database_unavailable',
      help: '1 while calls are refused because the database is unavailable or too slow.',
      registers: [],
      collect() {
        this.set(trouble.counts().unavailable ? 1 : 0);
      },
    }),
  );
  const count = (name: string, help: string, read: () => number) =>
    registry.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    );
  count(
    'loyalty_database_outages_total',
    'Number of outages of the database.',
    () => trouble.counts().outages,
  );
  count(
    'loyalty_database_refused_calls_total',
    'Number of calls that were refused because the database was unavailable or too slow.',
    () => trouble.counts().refusedCalls,
  );
}
