/** A real Prometheus that scrapes services of a test and evaluates the alerts that operators get. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { read, ROOT } from '../../server/test/repository.ts';

export const RULES = 'examples/prometheus/alerts.yaml';

export interface Prometheus {
  /** Returns the names of the alerts that are firing. */
  firing(): Promise<Set<string>>;
  /** Returns the values of an expression. */
  query(expression: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
  /** Watches these targets from now on, and no others. */
  watch(targets: readonly string[]): void;
  /** Returns the state of each target: `up`, `down` or `unknown`. */
  targets(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Returns why there is no Prometheus here, or null if there is one. */
export function whyNoPrometheus(): string | null {
  for (const program of ['prometheus', 'promtool'])
    if (spawnSync(program, ['--version']).error)
      return `${program} is not installed (apt-get install prometheus)`;
  return null;
}

/** Runs promtool, and returns what it wrote if it failed, else null. */
export function runPromtool(...args: readonly string[]): string | null {
  const { status, stdout, stderr } = spawnSync(
    'promtool',
    args.map((arg) => (arg.includes('/') ? join(ROOT, arg) : arg)),
    {
      encoding: 'utf8',
    },
  );
  return status === 0 ? null : `${stdout}${stderr}`;
}

/** Divides every duration of the rules, so that an alert that takes five minutes takes seconds. */
export function hasten(rules: string, factor: number): string {
  const seconds = { s: 1, m: 60, h: 3600 } as const;
  const shorten = (count: string, unit: string) =>
    `${Math.round((Number(count) * seconds[unit as keyof typeof seconds] * 1000) / factor)}ms`;
  return rules
    .replaceAll(/\[(\d+)([smh])\]/g, (_, count: string, unit: string) => `[${shorten(count, unit)}]`)
    .replaceAll(
      /\[(\d+)([smh]):(\d+)([smh])\]/g,
      (_, count: string, unit: string, step: string, unitOfStep: string) =>
        `[${shorten(count, unit)}:${shorten(step, unitOfStep)}]`,
    )
    .replaceAll(
      /^( +for: )(\d+)([smh])$/gm,
      (_, head: string, count: string, unit: string) => head + shorten(count, unit),
    );
}

/** Starts Prometheus on these targets (`host:port`), with an empty history. */
export async function startPrometheus(
  targets: readonly string[],
  { factor = 30, rules = hasten(read(RULES), factor) }: { factor?: number; rules?: string } = {},
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-prometheus-'));
  const every = `${Math.round(15_000 / factor)}ms`;
  writeFileSync(join(folder, 'alerts.yaml'), rules);
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    JSON.stringify({
      global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
      rule_files: ['alerts.yaml'],
      scrape_configs: [
        { job_name: 'loyalty', file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }] },
      ],
    }),
  );
  const watch = (watched: readonly string[]) => {
    const file = join(folder, 'targets.json');
    writeFileSync(`${file}.new`, JSON.stringify([{ targets: watched }]));
    renameSync(`${file}.new`, file);
  };
  watch(targets);
  const port = await findFreePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const base = `http://127.0.0.1:${port}`;
  while ((await fetch(`${base}/-/ready`).catch(() => null))?.status !== 200) {
    if (child.exitCode !== null) throw new Error('Prometheus exited while it was starting');
    await sleep(50);
  }
  const get = async <T>(path: string): Promise<T> =>
    ((await (await fetch(`${base}/api/v1/${path}`)).json()) as { data: T }).data;

  const query: Prometheus['query'] = async (expression) =>
    (
      await get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      )
    ).result;
  while ((await query('up')).length < targets.length) await sleep(100);
  // Rules that missed the targets are evaluated again meanwhile.
  await sleep(2 * (15_000 / factor));

  return {
    query,
    async firing() {
      const { alerts } = await get<{ alerts: { labels: { alertname: string }; state: string }[] }>('alerts');
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    watch,
    targets: async () =>
      (await get<{ activeTargets: { health: string }[] }>('targets')).activeTargets.map(
        ({ health }) => health,
      ),
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
