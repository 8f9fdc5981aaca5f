import type { Config } from '#settings/config.ts';
import type { Tracing } from '#base/tracing.ts';
import { readVersion } from '#base/version.ts';

/** Returns null without OTEL_EXPORTER_OTLP_ENDPOINT. The libraries are loaded only with it. */
export async function openTracing({ traces }: Pick<Config, 'traces'>): Promise<Tracing | null> {
  if (traces === null) return null;
  const { startTracing } = await import('#monitoring/open-telemetry.ts');
  return startTracing(traces, readVersion());
}
