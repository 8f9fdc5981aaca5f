import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { databaseUrl, nameOf, testDatabase } from '../../server/test/database.ts';
import { makeShop } from '../../server/test/make.ts';
import { read } from '../../server/test/repository.ts';
import { startService } from '../../server/test/service-process.ts';
import { hasten, RULES, runPromtool, startPrometheus, whyNoPrometheus } from './prometheus.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

const rules = (parse(read(RULES)) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert);
const missing = whyNoPrometheus();

test('every alert has an entry in the runbook, which says what to look at and what to do', () => {
  const entries = read('docs/runbook.md')
    .split(/^## /m)
    .slice(1)
    .map((entry) => [/^\w+/.exec(entry)![0], entry] as const);
  assert.deepEqual(
    entries.map(([name]) => name),
    names,
  );
  for (const [name, entry] of entries) assert.match(entry, /- \*Look at\* [^]+- \*Do\*: /, name);
  for (const { alert, annotations, labels } of rules) {
    assert.equal(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`);
    assert.match(annotations.summary, /\.$/);
    assert.match(labels.severity, /^(page|ticket)$/);
  }
});

test('alerts and dashboard use only metrics that the service has', () => {
  const listed = new Set([...read('docs/watching.md').matchAll(/`(loyalty_\w+)`/g)].map(([, name]) => name!));
  const dashboard = read('examples/grafana/loyalty.json');
  for (const [place, text] of [
    [RULES, rules.map(({ expr }) => expr).join('\n')],
    ['examples/grafana/loyalty.json', dashboard],
  ] as const) {
    const used = [...text.matchAll(/\bloyalty_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));
    assert.ok(used.length > 15);
    assert.deepEqual(
      used.filter((name) => !listed.has(name)),
      [],
      place,
    );
  }
});

test('every alert was seen in its fault and no other, and has its figures in the tests of the rules', () => {
  const page = read('docs/alerts.md');
  const seen: string[] = [];
  for (const [, name, result] of page.matchAll(/^\| \[(\w+)\]\(.+ \| (.+) \|$/gm)) {
    seen.push(name!);
    assert.equal(result, 'holds', name!);
  }
  assert.deepEqual(seen.toSorted(), names.toSorted());
  const figures = read('examples/prometheus/alerts.test.yaml');
  for (const name of names) assert.ok(figures.includes(`{alertname="${name}"}`), name);
});

test('promtool takes the rules, their tests and the configuration', { skip: missing ?? false }, () => {
  assert.equal(runPromtool('check', 'rules', RULES), null);
  assert.equal(runPromtool('test', 'rules', 'examples/prometheus/alerts.test.yaml'), null);
  assert.equal(runPromtool('check', 'config', 'examples/prometheus/prometheus.yaml'), null);
});

test(
  'a Prometheus scrapes a service, and every expression of the dashboard is one',
  { skip: missing ?? false },
  async () => {
    const metricsPort = await findFreePort();
    const { db } = await databaseWithShop();
    await startService(databaseUrl(await nameOf(db)), { METRICS_PORT: String(metricsPort) });
    const prometheus = await startPrometheus([`127.0.0.1:${metricsPort}`]);
    try {
      while ((await prometheus.query('loyalty_ledger_differences')).length === 0) await sleep(100);
      assert.deepEqual(await prometheus.targets(), ['up']);
      const panels = JSON.parse(read('examples/grafana/loyalty.json')) as {
        panels: { title: string; targets?: { expr: string }[] }[];
      };
      for (const { title, targets = [] } of panels.panels)
        for (const { expr } of targets)
          assert.ok(
            Array.isArray(await prometheus.query(expr.replaceAll('$__rate_interval', '1m'))),
            `${title}: ${expr}`,
          );
      assert.equal((await prometheus.query('max(loyalty_pool_limit_connections)'))[0]!.value[1], '4');
    } finally {
      await prometheus.stop();
    }
  },
);

test('durations of rules are divided, and nothing else of them', () => {
  assert.equal(
    hasten('expr: rate(a[5m]) > 300\n        for: 2m\n', 30),
    'expr: rate(a[10000ms]) > 300\n        for: 4000ms\n',
  );
});

async function databaseWithShop() {
  const db = await testDatabase();
  await makeShop();
  return { db };
}
