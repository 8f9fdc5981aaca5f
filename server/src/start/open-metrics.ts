import type { FastifyBaseLogger } from 'fastify';
import type { BackgroundCounts } from './background.ts';
import type { Config } from '#settings/config.ts';
import type { Database } from '#db/database.ts';
import { createMailCounts } from '#mail/send-mails.ts';
import type { Metrics } from '#monitoring/metrics.ts';
import { createUpdateCounts } from '#wallets/send-updates.ts';
import { createWebhookCounts } from '#webhooks/send-webhooks.ts';
import { readVersion } from '#base/version.ts';

/** The metrics of a process, of a service or a worker. */
export interface OpenMetrics {
  readonly shown: Metrics;
  /** The counts that the background work must keep. */
  readonly counts: BackgroundCounts;
  /** Shows what all processes share, too. Once is enough. */
  watchInstallation(): void;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** Returns null without METRICS_PORT. The library is loaded only with it. */
export async function openMetrics(
  config: Config,
  db: Database,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<OpenMetrics | null> {
  const { metricsPort, host } = config;
  if (metricsPort === null) return null;
  const { createMetrics } = await import('#monitoring/metrics.ts');
  const shown = createMetrics(readVersion());
  const counts = {
    mails: createMailCounts(),
    wallets: createUpdateCounts(),
    webhooks: createWebhookCounts(),
  };
  shown.watchConnections(db);
  shown.showMails(counts.mails);
  shown.showWebhooks(counts.webhooks);
  if (config.wallets !== null) shown.showWalletUpdates(counts.wallets);
  let served: Awaited<ReturnType<Metrics['listen']>> | undefined;
  return {
    shown,
    counts,
    watchInstallation: () => shown.watchInstallation(db, log),
    listen: async () => void (served = await shown.listen(host, metricsPort)),
    close: async () => served?.close(),
  };
}
