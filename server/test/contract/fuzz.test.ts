/**
 * Sends random input to every route and accepts only documented responses. Sends 3,000 requests by default. `npm run fuzz`
 * sends 500,000 to a service in a process of its own, for ten minutes at most, and prints a table. `FUZZ_REQUESTS` sends
 * another number, and `TEST_SEED` repeats a run.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import type { RouteOptions } from 'fastify';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabaseUrl } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { startService, type ServiceProcess } from '#test/service-process.ts';
import { hostileBodies, hostileHeaders, hostileRequests, hostileTails, hostileTexts } from './hostile.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 3_000);
/** From this number on, the service runs in a process of its own. */
const LONG = 10_000;
const MOST_MS = 10 * 60_000;
const AT_ONCE = REQUESTS < LONG ? 25 : 100;

const { app, db, url, check } = await service();
const shop = await makeShop({
  earning: { money_per_point: 1 },
  benefits: [benefit('coffee', { cost: 0 })],
  levels: { ladder: [{ name: 'Nueva', threshold: 0 }] },
});
const member = await shop.member();
await shop.sell(member, 1_000);
const { token } = await shop.browser(member);
const voucher = await shop.voucher(member, 'coffee');
const own =
  REQUESTS < LONG
    ? null
    : await startService(await testDatabaseUrl(), { RATE_LIMITS: 'off', DATABASE_POOL_SIZE: '10' });
const port = Number(new URL(own?.base ?? url).port);

/** Plausible values by the name of a field or parameter. */
const sensible: Readonly<Record<string, unknown>> = {
  client_code: member.code,
  amount: 5,
  counter_id: 1,
  id_suc: 2,
  client_email: member.email,
  email: member.email,
  client_benefit_code: voucher,
  benefit_id: 'coffee',
  otp: '123456',
  refresh: `lr_${'A'.repeat(64)}`,
  username: 'Eva',
  phone: '+5491122334455',
  birth_date: '1990-02-28',
  limit: 20,
  offset: 0,
  cursor: '',
  consumption_id: 1,
};

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
}

const routes = app.routeTable.flatMap((route) =>
  [route.method].flat().map((method): [string, RouteOptions] => [method, route]),
);

/** Picks routes of the interface more often than pages and the plugins' own routes. */
const anyRoute = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...routes.filter(([method, { url }]) => method !== 'HEAD' && /\/v\d/.test(url)),
    ),
  },
  fc.constantFrom(...routes),
);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(...hostileTexts),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double(),
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.bigInt().map(Number),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(
    fc.oneof(fc.constantFrom(...Object.keys(sensible), '__proto__', 'constructor'), text),
    tie('value'),
    {
      maxKeys: 6,
    },
  ),
}));

function bodyFor(schema: Schema | undefined): fc.Arbitrary<Buffer> {
  const fields = Object.keys(schema?.properties ?? {});
  const values = Object.fromEntries(
    fields.map((name) => [
      name,
      fc.oneof({ weight: 10, arbitrary: fc.constant(sensible[name]) }, fc.maxSafeInteger(), json.value),
    ]),
  );
  const nearly = fc
    .oneof({ weight: 2, arbitrary: fc.record(values) }, fc.record(values, { requiredKeys: [] }))
    .map((value) => Buffer.from(JSON.stringify(value)));
  return fc.oneof(
    { weight: 5, arbitrary: nearly },
    json.value.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...hostileBodies),
  );
}

function pathFor(url: string): fc.Arbitrary<string> {
  const parts = url.split('/').map((part) => {
    if (part === '*') return fc.constantFrom('', 'static/swagger-ui.css', '..%2f..%2fetc%2fpasswd', '%00');
    if (!part.startsWith(':')) return fc.constant(part);
    return fc.oneof(
      fc.constant(String(sensible[part.slice(1)])),
      fc.constantFrom(...hostileTails),
      fc.maxSafeInteger().map(String),
      text.filter((one) => one.isWellFormed()).map(encodeURIComponent),
    );
  });
  return fc.tuple(...parts).map((all) => all.join('/'));
}

function queryFor(schema: Schema | undefined): fc.Arbitrary<string> {
  const names = [...Object.keys(schema?.properties ?? {}), 'x', '__proto__', 'limit[]'];
  const pair = fc.tuple(
    fc.constantFrom(...names),
    fc.oneof(fc.maxSafeInteger().map(String), fc.constantFrom(...hostileTails), fc.webQueryParameters()),
  );
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    fc
      .array(pair, { minLength: 1, maxLength: 4 })
      .map((all) => `?${all.map(([name, value]) => `${name}=${value}`).join('&')}`),
  );
}

const credentials = fc.oneof(
  { weight: 6, arbitrary: fc.constant('right') },
  fc.constantFrom(
    'none',
    `Authorization: Bearer ${shop.key}\r\n`,
    `Authorization: Bearer ${token}\r\nX-Commerce-Id: ${shop.id}\r\n`,
  ),
);
const headers = fc.array(fc.constantFrom(...hostileHeaders), { maxLength: 3 });

const rightOf: Readonly<Record<string, string>> = {
  key: `Authorization: Bearer ${shop.key}\r\n`,
  user: `Authorization: Bearer ${token}\r\nX-Commerce-Id: ${shop.id}\r\n`,
  header: `X-Commerce-Id: ${shop.id}\r\n`,
};

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly bytes: Buffer;
  /**
   * The response to a well-formed request is checked against the documents; the response to a mutated one only against
   * the rules for all responses.
   */
  readonly intact: boolean;
}

const wellFormed: fc.Arbitrary<Sent> = anyRoute.chain(([method, route]) =>
  fc
    .record({
      path: pathFor(route.url),
      query: queryFor(route.schema?.querystring as Schema | undefined),
      credential: credentials,
      more: headers,
      body: fc.option(bodyFor(route.schema?.body as Schema | undefined), { freq: 8 }),
      json: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
      otherMethod: fc.oneof(
        { weight: 15, arbitrary: fc.constant(null) },
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'),
      ),
    })
    .map(({ path, query, credential, more, body, json, otherMethod }): Sent => {
      const sent = otherMethod ?? method;
      const right =
        credential === 'right'
          ? (rightOf[route.config?.credential ?? ''] ?? '')
          : credential === 'none'
            ? ''
            : credential;
      const head =
        `${sent} ${path}${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${right}` +
        `${json ? 'Content-Type: application/json\r\n' : ''}${more.map((line) => `${line}\r\n`).join('')}` +
        `${body ? `Content-Length: ${body.length}\r\n` : ''}\r\n`;
      return {
        method: sent,
        path,
        bytes: Buffer.concat([Buffer.from(head, 'utf8'), body ?? Buffer.alloc(0)]),
        intact: true,
      };
    }),
);

const mutated: fc.Arbitrary<Sent> = fc
  .tuple(
    fc.oneof(
      wellFormed.map(({ bytes }) => bytes),
      fc.constantFrom(...hostileRequests(rightOf['key']!)),
    ),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.nat({ max: 255 })), { maxLength: 4 }),
  )
  .map(([bytes, changes]) => ({ method: '', path: '', bytes: changes.reduce(mutate, bytes), intact: false }));

/** Changes, inserts or removes a byte. */
function mutate(bytes: Buffer, [at, how, byte]: readonly [number, number, number]): Buffer {
  const place = at % Math.max(1, bytes.length);
  const rest = how === 1 ? place : place + 1;
  return Buffer.concat([
    bytes.subarray(0, place),
    how === 2 ? Buffer.alloc(0) : Buffer.of(byte),
    bytes.subarray(rest),
  ]);
}

const request = fc.oneof({ weight: 4, arbitrary: wellFormed }, mutated);
const seen = new Map<number, number>();
let unanswered = 0;

test(`${REQUESTS} requests of any kind get documented responses and no 5xx (seed ${fc.SEED})`, async (t) => {
  const start = performance.now();
  let warm: number | null = null;
  let sent = 0;
  const told = () => ({
    requests: sent,
    seconds: Math.round((performance.now() - start) / 1000),
    ...Object.fromEntries(
      [...seen].toSorted(([a], [b]) => a - b).map(([status, count]) => [`status ${status}`, count]),
    ),
    'cut off without an answer': unanswered,
    'service in its own process': own === null ? 'no' : 'yes',
    'memory of the service after a tenth, MB': warm ?? 0,
    'memory of the service at the end, MB': residentMb(),
    'restarts or exits of the service': own === null || isRunning(own) ? 0 : 1,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
      await Promise.all(requests.map(sendAndCheck));
      sent += requests.length;
      if (sent >= REQUESTS / 10) warm ??= residentMb();
    }),
    {
      numRuns: Math.ceil(REQUESTS / AT_ONCE),
      interruptAfterTimeLimit: MOST_MS,
      markInterruptAsFailure: false,
    },
  );
  t.diagnostic(`\n${tableOf(told())}`);
  if (own !== null) {
    assert.ok(isRunning(own), 'the service has exited');
    assert.ok(residentMb() < warm! + 200, 'the memory of the service has grown by more than 200 MB');
    assert.equal((await fetch(`${own.base}/readyz`)).status, 200);
  }
  assert.equal((await shop.get('/v1/clients/list')).status, 200);
  await assertBooksAgree(db, shop.id);
});

function isRunning({ child }: ServiceProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The memory of the service; with the generator, if both are in this process. */
function residentMb(): number {
  if (own === null) return Math.round(process.memoryUsage.rss() / 2 ** 20);
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(own.child.pid)], { encoding: 'utf8' });
  return Math.round(Number(kilobytes) / 1024);
}

function tableOf(rows: Readonly<Record<string, string | number>>): string {
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(42)} ${String(value).padStart(12)}`)
    .join('\n');
}

async function sendAndCheck({ method, path, bytes, intact }: Sent): Promise<void> {
  const answer = await exchangeBytes(bytes, intact);
  const [first] = /^HTTP\/1\.1 \d{3} /.exec(answer) ?? [];
  const shown = `${JSON.stringify(bytes.toString('latin1').slice(0, 2_000))} is answered ${JSON.stringify(answer.slice(0, 500))}`;
  // For bytes that are not a complete request, the server may simply close the connection.
  if (first === undefined) {
    assert.ok(!intact && answer === '', shown);
    unanswered += 1;
    return;
  }
  const status = Number(first.slice(9, 12));
  seen.set(status, (seen.get(status) ?? 0) + 1);
  for (const [line] of answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
    assert.ok(Number(line.slice(9, 12)) < 500, shown);
  if (!intact || method === 'HEAD' || status < 200) return;
  const end = answer.indexOf('\r\n\r\n');
  const [head, sentBody] = [answer.slice(0, end), answer.slice(end + 4)];
  const body = /^transfer-encoding: chunked$/im.test(head) ? joinChunks(sentBody) : sentBody;
  const contentType = /^content-type: (.*)$/im.exec(head)?.[1]?.trim() ?? null;
  // HTML pages have their own 404.
  const isPage = contentType?.startsWith('text/html') === true && !/^\/(admin\/)?v\d/.test(path);
  if (status >= 400 && !isPage) assertRefusal(status, JSON.parse(body), shown);
  const isJson = contentType === 'application/json; charset=utf-8';
  // Errors at the HTTP level, before any route, are in no document.
  const wrong =
    status === 400 || status === 431
      ? null
      : check(method, path, { status, contentType, body: isJson ? JSON.parse(body) : body });
  assert.equal(wrong, null, shown);
}

/** Returns the text of a body that was sent in chunks, each behind its length in bytes. */
function joinChunks(sentBody: string): string {
  const bytes = Buffer.from(sentBody);
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (length === 0) return Buffer.concat(chunks).toString();
    assert.ok(length > 0, 'the length of a chunk');
    chunks.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

function assertRefusal(status: number, body: unknown, shown: string): void {
  if (status !== 422) {
    assert.deepEqual(Object.keys(body as object), ['message'], shown);
    return;
  }
  const { detail } = body as { detail: { loc: unknown[]; msg: string; type: string }[] };
  assert.ok(detail.length > 0, shown);
  for (const fault of detail) {
    assert.deepEqual(Object.keys(fault), ['loc', 'msg', 'type'], shown);
    assert.ok(['path', 'query', 'header', 'body'].includes(String(fault.loc[0])), shown);
  }
}

/**
 * Sends bytes and returns the response. Bytes that may not be a complete request are followed by the end of the stream.
 */
async function exchangeBytes(bytes: Buffer, intact: boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => socket.destroy());
  socket.write(bytes);
  const end = intact ? undefined : setTimeout(() => socket.end(), 40);
  // Not `once`, which rejects on an error: after responding, a server may reset a connection that is still being sent
  // to.
  await new Promise<void>((resolve) => void socket.on('close', () => resolve()));
  clearTimeout(end);
  return Buffer.concat(chunks).toString('utf8');
}
