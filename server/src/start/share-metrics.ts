import type { GatheredMetrics, Place, ToChild } from './messages.ts';
import type { OpenMetrics } from './open-metrics.ts';
import { mergeMetrics } from '#monitoring/merge-metrics.ts';
import { serveMetrics } from '#monitoring/serve-metrics.ts';

/** The metrics of one of several processes: it tells them to the one that leads, or serves those of all. */
export interface SharedMetrics {
  hear(message: ToChild): void;
  /** Serves the metrics of all processes, and once for all those of the installation. */
  lead(): Promise<void>;
  close(): Promise<void>;
}

/** @param fd the socket of METRICS_PORT */
export function shareMetrics(own: OpenMetrics, { number, tell }: Place, fd: number): SharedMetrics {
  const { shown } = own;
  const gathering = new Map<number, (gathered: GatheredMetrics) => void>();
  let asked = 0;
  let counts = { wanted: 0, ready: 0, restarts: 0 };
  let served: Awaited<ReturnType<typeof serveMetrics>> | undefined;

  return {
    hear(message) {
      if ('readMetrics' in message)
        void shown.readProcess().then((text) => tell({ metricsRead: message.readMetrics, text }));
      else if ('metrics' in message) gathering.get(message.metrics.id)?.(message.metrics);
    },

    async lead() {
      own.watchInstallation();
      shown.showProcesses(() => counts);
      served = await serveMetrics({ fd }, readAll);
    },

    close: async () => served?.close(),
  };

  async function readAll(): Promise<string> {
    const id = ++asked;
    const gathered = new Promise<GatheredMetrics>((resolve) => gathering.set(id, resolve));
    tell({ gatherMetrics: id });
    const { texts, counts: counted } = await gathered;
    gathering.delete(id);
    counts = counted;
    const mine = { process: number, text: await shown.readProcess() };
    const all = [mine, ...texts].toSorted((a, b) => a.process - b.process);
    return `${mergeMetrics(all)}\n${await shown.readInstallation()}`;
  }
}
