import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { buildApp } from '#app.ts';
import { CAPS } from '#base/caps.ts';
import { loyalty } from '#test/command.ts';
import { testDatabase } from '#test/database.ts';
import { read } from '#test/repository.ts';
import type { App } from '#http/server.ts';
import { createSlowStatements } from '#db/slow-statements.ts';
import { createMetrics, type WatchedCalls } from './metrics.ts';

test('responses are counted by the pattern of their route, without its values, and served on a separate port', async () => {
  const metrics = createMetrics('1.0.0');
  const app = await buildApp({ db: await testDatabase(), log: false, secret: ['x'.repeat(32)], metrics });
  await app.inject({ url: '/v1/clients/123456789' });
  const served = await metrics.listen('127.0.0.1', 0);
  const text = await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text();
  assert.match(
    text,
    /loyalty_http_responses_total\{method="GET",route="\/v1\/clients\/:client_code",status="401"\} 1/,
  );
  assert.match(text, /loyalty_http_request_duration_seconds_count\{/);
  assert.match(text, /process_cpu_seconds_total/);
  assert.doesNotMatch(text, /123456789/);
  assert.equal((await app.inject({ url: '/metrics' })).statusCode, 404);
  await served.close();
  await app.close();
});

test('a server error is counted from 0 on, so that the first one can be seen, and a refusal is none', async () => {
  const metrics = createMetrics('1.0.0');
  const app = fastify() as unknown as App;
  const caps = { counts: () => new Map() } as unknown as WatchedCalls['caps'];
  metrics.watch(app, {
    caps,
    oldestMs: () => 0,
    waiting: () => 0,
    batches: {},
    events: { waiting: () => 0, standsStillFor: () => 0 },
  });
  const statuses = [200, 404, 500, 503];
  for (const status of statuses) app.get(`/test/${status}`, (_request, reply) => reply.code(status).send({}));
  const served = await metrics.listen('127.0.0.1', 0);
  const errors = async () =>
    /^loyalty_errors_total (\d+)$/m.exec(
      await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text(),
    )?.[1];
  assert.equal(await errors(), '0');
  for (const status of statuses) await app.inject({ url: `/test/${status}` });
  assert.equal(await errors(), '1');
  await served.close();
  await app.close();
});

test('every metric has a line in the page about watching, and every line a metric', async () => {
  const metrics = createMetrics('1.0.0');
  const db = await testDatabase();
  const app = await buildApp({ db, log: false, secret: ['x'.repeat(32)], metrics });
  metrics.watchConnections({
    ...db,
    address: { ...db.address, cluster: 'citus' },
    slow: createSlowStatements(1_000, undefined),
  });
  metrics.watchInstallation(db, { warn() {} });
  metrics.showProcesses(() => ({ wanted: 2, ready: 2, restarts: 0 }));
  metrics.showMails({ sent: 0, failed: 0, postponed: 0 });
  metrics.showWebhooks({ delivered: 0, refused: 0, unanswered: 0 });
  metrics.showWalletUpdates({ apple: { sent: 0, failed: 0 } });
  const served = await metrics.listen('127.0.0.1', 0);
  const text = await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text();
  const shown = [...text.matchAll(/^# TYPE (loyalty_\w+) /gm)].map(([, name]) => name!);
  const listed = [...read('docs/watching.md').matchAll(/^\| (`loyalty_.+?) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  );
  assert.deepEqual(shown.toSorted(), listed.toSorted());
  await served.close();
  await app.close();
});

test('every cap has a counter, and a line in the operator’s page that says what to do', async () => {
  const metrics = createMetrics('1.0.0');
  const app = await buildApp({ db: await testDatabase(), log: false, secret: ['x'.repeat(32)], metrics });
  const served = await metrics.listen('127.0.0.1', 0);
  const text = await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text();
  const counted = [...text.matchAll(/^loyalty_refused_total\{cap="([a-z0-9-]+)"\} 0$/gm)].map(
    ([, name]) => name!,
  );
  const documented = [...read('docs/operations.md').matchAll(/^\| `([a-z0-9-]+)` \| [^|]+ \| [^|]+ \|$/gm)];
  assert.deepEqual(new Set(counted), new Set<string | undefined>(CAPS));
  const named = new Set(documented.map(([, cap]) => cap));
  assert.deepEqual(
    CAPS.filter((name) => !named.has(name)),
    [],
  );
  await served.close();
  await app.close();
});

test('a service exits with an error if its metrics port is taken', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { code, stderr } = await loyalty(['serve'], {
    env: {
      NODE_ENV: 'production',
      SECRET_KEY: 'o1Bc0QDrmYhmUcAKkxKs1wGq6aQZcCmAEYBLQjvQQvE=',
      PUBLIC_URL: 'https://luna.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: String((taken.address() as AddressInfo).port),
    },
  });
  assert.equal(code, 1);
  assert.match(stderr, /^Port \d+ on 127\.0\.0\.1 is taken, .+ METRICS_PORT=\d+/);
});
