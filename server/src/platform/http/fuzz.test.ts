import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as fc from '#test/random.ts';
import { rawCall } from '#test/http/raw-call.ts';
import { toyServer } from '#test/http/toy-server.ts';

const app = await toyServer();
await app.listen({ port: 0, host: '127.0.0.1' });
after(() => app.close());

const ROUTES = [
  'POST /v1/toys',
  'POST /v1/swaps',
  'GET /v1/toys/5',
  'GET /v1/list',
  'POST /v1/wishes',
  'DELETE /v1/toys/1',
];
const NAMES = [
  'amount',
  'code',
  'name',
  'email',
  'kind',
  'note',
  'maker',
  'tags',
  'extra',
  'toy_id',
  '__proto__',
  'constructor',
];

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constant(null),
    fc.boolean(),
    fc.bigInt().map(Number),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie('value'), { maxKeys: 6 }),
}));
const NASTY = [
  '{"amount":NaN}',
  '{"amount":1e999}',
  '[[[[',
  '{"a":',
  '\ufeff{}',
  '{"amount":5}{}',
  '"\\ud800"',
  '\0',
];
const body = fc.oneof(
  json.object.map((value) => Buffer.from(JSON.stringify(value))),
  json.value.map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(...NASTY).map((text) => Buffer.from(text)),
);
const headerText = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789aé,; =/+-.\t')),
  maxLength: 12,
});
const header = fc.tuple(
  fc.constantFrom(
    'X-Commerce-Id',
    'Idempotency-Key',
    'Authorization',
    'Content-Type',
    'X-Request-Id',
    'Accept',
    'Origin',
    '__proto__',
    'Content-Encoding',
  ),
  fc.oneof(
    headerText,
    fc.constantFrom('7', 'Bearer lk_good', 'Bearer good-access', 'application/json', 'text/plain', 'gzip'),
  ),
);
const tail = fc.oneof(
  fc.constant(''),
  fc.webQueryParameters().map((query) => `?${query}`),
  fc.string({ unit: fc.constantFrom(...Array.from('/?&=%0fz[]#;:.*~limitcursor')), maxLength: 20 }),
);
const request = fc.record({
  route: fc.constantFrom(...ROUTES),
  tail,
  headers: fc.array(header, { maxLength: 6 }),
  body,
});

test('no request causes a 5xx, and every error has the documented shape', async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ route, tail, headers, body }) => {
      const credentials = route.includes('swaps')
        ? 'Authorization: Bearer good-access\r\nX-Commerce-Id: 7\r\n'
        : 'Authorization: Bearer lk_good\r\n';
      const sent = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const head =
        `${route}${tail} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers.length % 2 === 0 ? credentials : ''}` +
        `${headers.length % 3 === 0 ? 'Content-Type: application/json\r\n' : ''}${sent}Content-Length: ${body.length}\r\n\r\n`;
      const answer = await rawCall(app, Buffer.concat([Buffer.from(head), body]));
      const [start = '', text = ''] = answer.split('\r\n\r\n', 2);
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1]);
      assert.ok(status >= 200 && status < 500, `${status} to ${JSON.stringify(head)}${body.toString()}`);
      if (status === 422) assertDetail(text);
      else if (status >= 400) assert.deepEqual(Object.keys(JSON.parse(text) as object), ['message']);
    }),
    { numRuns: 1_500 },
  );
});

function assertDetail(text: string): void {
  const { detail } = JSON.parse(text) as { detail: { loc: unknown[]; msg: string; type: string }[] };
  assert.ok(detail.length > 0);
  for (const issue of detail) {
    assert.deepEqual(Object.keys(issue), ['loc', 'msg', 'type']);
    assert.ok(['path', 'query', 'header', 'body'].includes(String(issue.loc[0])));
  }
}
