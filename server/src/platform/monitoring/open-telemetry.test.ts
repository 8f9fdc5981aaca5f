import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { buildApp } from '#app.ts';
import { openDatabase } from '#db/database.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { cluster, testDatabaseUrl } from '#test/database.ts';
import { SECRET } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import type { TraceSettings } from '#settings/config.ts';
import { startTracing } from './open-telemetry.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status: { code?: number };
}

/** A collector of traces that keeps what it gets, and a service that sends its traces there. */
async function startTraced(t: TestContext, settings: Partial<TraceSettings> = {}) {
  const spans: Span[] = [];
  const headers: unknown[] = [];
  const collector = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += part));
    request.on('end', () => {
      headers.push(request.headers);
      const sent = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      for (const { scopeSpans } of sent.resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const tracing = startTracing(
    { endpoint, headers: {}, serviceName: 'loyalty', share: 1, ...settings },
    '1.0.0',
  );
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 5,
    preparedStatements: true,
    cluster,
    tracing,
  });
  const app = await buildApp({ db, log: false, secret: SECRET, publicUrl: 'https://luna.example' });
  t.after(async () => {
    await app.close();
    await db.destroy();
    collector.closeAllConnections();
    collector.close();
  });
  return {
    app,
    db,
    headers,
    /** Ends the tracing, and returns what was sent. */
    collect: async () => {
      await tracing.stop();
      return spans;
    },
  };
}

test('a trace that a caller has begun goes on through the batch to its statements, and no span tells a value', async (t) => {
  const { app, collect } = await startTraced(t);
  const shop = await makeShop();
  const { code } = await shop.member();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/consumptions/client-code?otp=123456',
    headers: { authorization: `Bearer ${shop.key}`, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    payload: { client_code: code, amount: 7_654_321 },
  });
  assert.equal(answer.statusCode, 201);
  const spans = (await collect()).filter((span) => span.traceId === traceId);
  const call = spans.find(({ name }) => name === 'POST /v1/consumptions/client-code')!;
  assert.equal(call.parentSpanId, 'b7ad6b7169203331');
  const batch = spans.find(({ name }) => name === 'record-purchases')!;
  assert.equal(batch.parentSpanId, call.spanId);
  const statements = spans
    .filter(({ parentSpanId }) => parentSpanId === batch.spanId)
    .map(({ name }) => name);
  assert.equal(statements[0], 'begin');
  assert.ok(
    statements.some((name) => ['store-movements', 'store-figures'].includes(name)),
    statements.join(),
  );
  assert.equal(statements.at(-1), 'commit');
  // Without the ids and times, in whose digits a number can occur by chance.
  const text = JSON.stringify(spans, (key, value: unknown) => (/Id$|UnixNano$/.test(key) ? null : value));
  for (const secret of [String(code), '7654321', '123456', shop.key])
    assert.ok(!text.includes(secret), secret);
});

test('the calls of a batch are linked with it, and it with them', async (t) => {
  const { app, collect } = await startTraced(t);
  const shop = await makeShop();
  const members = await Promise.all(Array.from({ length: 8 }, () => shop.member()));
  await Promise.all(
    members.map(({ code }) =>
      app.inject({
        method: 'POST',
        url: '/v1/consumptions/client-code',
        headers: { authorization: `Bearer ${shop.key}` },
        payload: { client_code: code, amount: 100 },
      }),
    ),
  );
  const spans = await collect();
  const calls = new Map(
    spans
      .filter(({ name }) => name === 'POST /v1/consumptions/client-code')
      .map((call) => [call.spanId, call]),
  );
  assert.equal(calls.size, 8);
  const batches = spans.filter(({ name }) => name === 'record-purchases');
  const inBatches = batches.flatMap(({ parentSpanId, links = [] }) => [
    parentSpanId!,
    ...links.map((link) => link.spanId),
  ]);
  assert.deepEqual(new Set(inBatches), new Set(calls.keys()), 'each call is in one batch');
  for (const batch of batches)
    for (const { spanId } of batch.links ?? [])
      assert.ok(
        calls.get(spanId)!.links?.some((link) => link.spanId === batch.spanId),
        'a call knows its batch',
      );
});

test('a call that is not traced by its caller sends nothing, and neither does a share of 0', async (t) => {
  const all = await startTraced(t);
  await all.app.inject({
    url: '/v1/public/commerce',
    headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` },
  });
  await all.app.inject({ url: '/healthz' });
  assert.deepEqual(await all.collect(), []);
  const none = await startTraced(t, { share: 0 });
  await none.app.inject({ url: '/v1/public/commerce' });
  assert.deepEqual(await none.collect(), []);
});

test('a mail is linked with the call that caused it, and the headers of the collector are sent', async (t) => {
  const { app, db, headers, collect } = await startTraced(t, { headers: { 'x-collector-key': 'abc' } });
  const shop = await makeShop();
  const email = 'traced@example.com';
  const sent: string[] = [];
  await app.inject({
    method: 'POST',
    url: '/v1/auth/otp/request',
    headers: { 'x-commerce-id': String(shop.id) },
    payload: { email },
  });
  const sender = startMailSender({
    db,
    mailer: { keepsMails: false, send: async ({ recipient }) => void sent.push(recipient), close() {} },
    log: { warn() {} } as never,
    base: 'https://luna.example',
    secret: SECRET,
  });
  t.after(() => sender.stop());
  while (!sent.includes(email)) await new Promise((resolve) => setTimeout(resolve, 20));
  await sender.stop();
  const spans = await collect();
  const call = spans.find(({ name }) => name === 'POST /v1/auth/otp/request')!;
  const mail = spans.find(({ name, links }) => name === 'send-mail' && links?.[0]?.traceId === call.traceId);
  assert.ok(mail !== undefined, 'the mail has a span that is linked with the call');
  assert.notEqual(mail.traceId, call.traceId);
  assert.ok(!JSON.stringify(spans).includes(email));
  assert.equal((headers[0] as Record<string, string>)['x-collector-key'], 'abc');
});
