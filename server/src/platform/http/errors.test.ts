import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLog } from './log.ts';
import { rawCall } from '#test/http/raw-call.ts';
import { toyServer } from '#test/http/toy-server.ts';

const lines: string[] = [];
const log = createLog({ level: 'debug', to: { write: (line: string) => void lines.push(line) } });
const app = await toyServer({ log, limits: { headersMs: 300, requestMs: 600 } });
for (const [path, fields] of Object.entries({
  '/40001': { code: '40001' },
  '/55P03': { code: '55P03' },
  '/57014': { code: '57014' },
  '/57P01': { code: '57P01' },
  '/57P03': { code: '57P03' },
  '/53100': { code: '53100' },
  '/53300': { code: '53300' },
  '/08006': { code: '08006' },
  '/58030': { code: '58030' },
  '/58P01': { code: '58P01' },
  '/53000': { code: '53000' },
  '/XX001': { code: 'XX001' },
  // PostgreSQL says this on a file system that has turned read-only.
  '/42501-of-storage': { code: '42501', file: 'md.c', routine: 'mdopenfork' },
  '/XX000-of-storage': { code: 'XX000', file: 'fd.c', routine: 'OpenTemporaryFileInTablespace' },
  // A cluster says this while a shard is split.
  '/XX000-of-shard': { code: 'XX000', message: 'could not find valid entry for shard 102188' },
  '/25006': { code: '25006' },
  '/refused': { code: 'ECONNREFUSED' },
  '/terminated': { message: 'Connection terminated unexpectedly' },
  '/no-connection': { message: 'timeout exceeded when trying to connect' },
  '/wrapped': { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) },
  '/22021': { code: '22021' },
  '/42501': { code: '42501', file: 'aclchk.c', routine: 'aclcheck_error' },
  '/XX000': { code: 'XX000', file: 'execMain.c', routine: 'ExecutorRun' },
  '/23514': { code: '23514', detail: 'Failing row contains (ana@example.com)' },
})) {
  app.get(path, { config: { credential: 'none' } }, () => {
    throw Object.assign(new Error('from the database'), fields);
  });
}
await app.listen({ port: 0, host: '127.0.0.1' });
after(() => app.close());

const AWAY =
  '/40001 /55P03 /57014 /57P01 /57P03 /53100 /53300 /08006 /58030 /58P01 /53000 /XX001 /42501-of-storage /XX000-of-storage /XX000-of-shard /25006 /refused /terminated /no-connection /wrapped'.split(
    ' ',
  );
for (const url of AWAY) {
  test(`a database error ${url.slice(1)} is a 503 that may be retried`, async () => {
    const response = await app.inject({ url });
    assert.equal(response.statusCode, 503);
    assert.equal(response.headers['retry-after'], '1');
    assert.deepEqual(response.json(), {
      message: 'the service is temporarily unavailable: try again in a moment',
    });
  });
}

test('a right that the role lacks, and an internal error elsewhere in PostgreSQL, stay defects', async () => {
  for (const url of ['/42501', '/XX000']) assert.equal((await app.inject({ url })).statusCode, 500);
});

test('a value that the database cannot store is a 422, and a broken constraint is a 500', async () => {
  assert.equal((await app.inject({ url: '/22021' })).statusCode, 422);
  assert.equal((await app.inject({ url: '/23514' })).statusCode, 500);
});

test('a bug returns no details and is logged once, with the request ID and without the e-mail address', async () => {
  lines.length = 0;
  const response = await app.inject({
    url: '/bug?email=ana@example.com',
    headers: { 'x-request-id': 'abc-1' },
  });
  assert.deepEqual([response.statusCode, response.json()], [500, { message: 'internal error' }]);
  assert.equal(response.headers['x-request-id'], 'abc-1');
  const errors = lines.filter((line) => line.includes('"level":50'));
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /a secret of \[address\].*"requestId":"abc-1"/);
  assert.doesNotMatch(lines.join(''), /ana@/);
});

test('the log redacts secrets and shows the route, not the URL', async () => {
  lines.length = 0;
  log.info({ token: 't0p', req: { headers: { authorization: 't0p' } }, email: 't0p' }, 'said');
  await app.inject({ url: '/v1/list?cursor=t0p', headers: { 'x-commerce-id': '7' } });
  assert.match(lines.join(''), /"route":"\/v1\/list","status":200/);
  assert.doesNotMatch(lines.join(''), /t0p/);
});

test('a Problem sets the response', async () => {
  const response = await app.inject({ url: '/asleep' });
  assert.deepEqual([response.statusCode, response.json()], [400, { message: 'the shop sleeps' }]);
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(response.headers['x-content-type-options'], 'nosniff');
  assert.equal(response.headers['cache-control'], 'no-store');
});

test('an unknown path is a 404', async () => {
  for (const url of [
    '/nothing',
    '/v1/toys/',
    '/v1/toys/%ff',
    '/v1/toys/%zz',
    `/v1/toys/${'1'.repeat(1025)}`,
  ]) {
    const response = await app.inject({ url, headers: { authorization: 'Bearer lk_good' } });
    const expected = url === '/v1/toys/' ? 422 : 404;
    assert.equal(response.statusCode, expected, url);
  }
});

test('a long path parameter is validated like any other', async () => {
  const response = await app.inject({
    url: `/v1/toys/${'1'.repeat(1000)}`,
    headers: { authorization: 'Bearer lk_good' },
  });
  assert.equal(response.statusCode, 422);
});

test('another method is a 405 that lists the allowed methods', async () => {
  for (const method of ['PUT', 'PATCH', 'TRACE'] as const) {
    const response = await rawCall(
      app,
      `${method} /v1/toys/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.match(response, /^HTTP\/1.1 405 [^]*\r\nallow: GET, HEAD, DELETE, OPTIONS\r\n[^]*{"message":/);
  }
  assert.match(
    await rawCall(app, 'PROPFIND /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 405 /,
  );
  assert.match(
    await rawCall(app, 'MKCOL /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1.1 404 /,
  );
});

test('a page of any origin may make members’ calls and read their errors', async () => {
  const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
  const preflight = await app.inject({ method: 'OPTIONS', url: '/v1/swaps', headers });
  assert.equal(preflight.statusCode, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], '*');
  assert.equal(preflight.headers['access-control-allow-methods'], 'POST');
  assert.equal(preflight.headers['access-control-max-age'], '86400');
  assert.match(String(preflight.headers['access-control-allow-headers']), /X-Commerce-Id, Idempotency-Key/);
  const refusal = await app.inject({ method: 'POST', url: '/v1/swaps', headers });
  assert.deepEqual([refusal.statusCode, refusal.headers['access-control-allow-origin']], [401, '*']);
  assert.match(String(refusal.headers['access-control-expose-headers']), /Retry-After.*Idempotency-Replayed/);
  assert.equal(refusal.headers['access-control-allow-credentials'], undefined);
});

test('a page must not make calls that take an API key', async () => {
  const headers = { origin: 'https://shop.example', authorization: 'Bearer lk_good' };
  const preflight = await app.inject({ method: 'OPTIONS', url: '/v1/toys', headers });
  assert.deepEqual([preflight.statusCode, preflight.headers['allow']], [204, 'POST, OPTIONS']);
  const call = await app.inject({ url: '/v1/toys/5', headers });
  for (const response of [preflight, call])
    assert.equal(response.headers['access-control-allow-origin'], undefined);
});

test('public responses may be cached per commerce, but a 404 must not be', async () => {
  const { headers } = await app.inject({ url: '/v1/list', headers: { 'x-commerce-id': '7' } });
  assert.deepEqual([headers['cache-control'], headers['vary']], ['public, max-age=5', 'X-Commerce-Id']);
  const absent = await app.inject({ url: '/v1/list', headers: { 'x-commerce-id': '8' } });
  assert.deepEqual([absent.statusCode, absent.headers['cache-control']], [404, 'no-store']);
});

const BROKEN: [bytes: string, status: number][] = [
  ['GET /hello\r\n\r\n', 400],
  ['GET /hello HTTP/1.1\r\n\r\n', 400],
  ['GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
  ['GET /hello HTTP/1.0\r\n\r\n', 200],
  ['GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n', 200],
  ['GET /hello HTTP/2.0\r\nHost: a\r\n\r\n', 400],
  ['GET /hello HTTP/1.7\r\nHost: a\r\n\r\n', 400],
  ['GET /hello HTTP/3.0\r\nHost: a\r\n\r\n', 400],
  ['GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n', 400],
  ['GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 400],
  [
    'GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['GET /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n', 400],
  ['GET /hello HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
  ['NONSENSE /hello HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  [
    'POST /v1/wishes HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [`GET /hello HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
];
for (const [bytes, status] of BROKEN) {
  test(`${JSON.stringify(bytes.slice(0, 90))} returns ${status} with a message`, async () => {
    const answer = await rawCall(
      app,
      bytes.replace('\r\n\r\n', bytes.includes('HTTP/') ? '\r\nConnection: close\r\n\r\n' : '\r\n\r\n'),
    );
    assert.match(answer, new RegExp(`HTTP/1.1 ${status} `));
    if (status !== 200) assert.match(answer, /\r\n\r\n{"message":"[^"]+"}$/);
  });
}

test('a request that is refused as ambiguous gets one answer, whatever follows it', async () => {
  const bytes = 'POST /v1/wishes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n';
  assert.equal((await rawCall(app, bytes)).split('HTTP/1.1 400').length, 2);
});

test('a GET may have a body, which is not read as the next request', async () => {
  const head = 'GET /hello HTTP/1.1\r\nHost: a\r\n';
  const answer = await rawCall(app, `${head}Content-Length: 5\r\n\r\nhello${head}Connection: close\r\n\r\n`);
  assert.equal(answer.split('{"hello":"world"}').length, 3);
});

test('a client that never finishes its headers or its body is disconnected', async () => {
  assert.match(await rawCall(app, 'GET /hello HTTP/1.1\r\nHost: a\r\nX'), /^HTTP\/1.1 408 [^]*{"message":/);
  const slowBody = 'POST /v1/wishes HTTP/1.1\r\nHost: a\r\nX-Commerce-Id: 7\r\nContent-Length: 9\r\n\r\nx';
  assert.match(await rawCall(app, slowBody), /^HTTP\/1.1 408 /);
});
