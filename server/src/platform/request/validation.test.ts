import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toyServer } from '#test/http/toy-server.ts';

const app = await toyServer();
after(() => app.close());

const KEY = { authorization: 'Bearer lk_good', 'content-type': 'application/json' };
const USER = {
  authorization: 'Bearer good-access',
  'x-commerce-id': '7',
  'content-type': 'application/json',
};

async function post(payload: string | Buffer, headers: Record<string, string> = KEY) {
  const response = await app.inject({ method: 'POST', url: '/v1/toys', headers, payload });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

type Row = [given: string, loc: (string | number)[], type: string, msg: string];

const INT = 'Input should be a valid integer';
const UNPARSABLE = `${INT}, unable to parse string as an integer`;
const TOO_LARGE = 'Unable to parse input string as an integer, exceeded maximum size';
const FRACTION = `${INT}, got a number with a fractional part`;
const NO_OBJECT = 'Input should be a valid dictionary or object to extract fields from';
const NO_TEXT = 'Input should be a valid string';
const NO_UNICODE = `${NO_TEXT}, unable to parse raw data as a unicode string`;
const NO_EMAIL = 'value is not a valid email address:';

const BODIES: Row[] = [
  ['{}', ['body', 'amount'], 'missing', 'Field required'],
  ['', ['body'], 'missing', 'Field required'],
  ['null', ['body'], 'missing', 'Field required'],
  ['[]', ['body'], 'model_attributes_type', NO_OBJECT],
  ['"x"', ['body'], 'model_attributes_type', NO_OBJECT],
  ['5', ['body'], 'model_attributes_type', NO_OBJECT],
  ['{"amount":NaN}', ['body', 10], 'json_invalid', 'JSON decode error'],
  ['{"amount":-Infinity}', ['body', 10], 'json_invalid', 'JSON decode error'],
  ['{"amount":1', ['body', 11], 'json_invalid', 'JSON decode error'],
  ["{'amount':1}", ['body', 1], 'json_invalid', 'JSON decode error'],
  ['{"amount":null}', ['body', 'amount'], 'int_type', INT],
  ['{"amount":true}', ['body', 'amount'], 'int_type', INT],
  ['{"amount":[5]}', ['body', 'amount'], 'int_type', INT],
  ['{"amount":{}}', ['body', 'amount'], 'int_type', INT],
  ['{"amount":"5"}', ['body', 'amount'], 'int_type', INT],
  ['{"amount":"five"}', ['body', 'amount'], 'int_parsing', UNPARSABLE],
  ['{"amount":""}', ['body', 'amount'], 'int_parsing', UNPARSABLE],
  ['{"amount":"0x10"}', ['body', 'amount'], 'int_parsing', UNPARSABLE],
  ['{"amount":5.5}', ['body', 'amount'], 'int_from_float', FRACTION],
  ['{"amount":4503599627370497.4}', ['body', 'amount'], 'int_from_float', FRACTION],
  ['{"amount":5.00000000000000000001}', ['body', 'amount'], 'int_from_float', FRACTION],
  ['{"amount":1e-400}', ['body', 'amount'], 'int_from_float', FRACTION],
  ['{"amount":9007199254740992}', ['body', 'amount'], 'int_parsing_size', TOO_LARGE],
  ['{"amount":9007199254740993}', ['body', 'amount'], 'int_parsing_size', TOO_LARGE],
  ['{"amount":-9007199254740993}', ['body', 'amount'], 'int_parsing_size', TOO_LARGE],
  ['{"amount":1e400}', ['body', 'amount'], 'int_parsing_size', TOO_LARGE],
  ['{"amount":0}', ['body', 'amount'], 'greater_than_equal', 'Input should be greater than or equal to 1'],
  ['{"amount":2e6}', ['body', 'amount'], 'less_than_equal', 'Input should be less than or equal to 1000000'],
  ['{"amount":1,"name":5}', ['body', 'name'], 'string_type', NO_TEXT],
  [
    '{"amount":1,"name":"a"}',
    ['body', 'name'],
    'string_too_short',
    'String should have at least 2 characters',
  ],
  [
    '{"amount":1,"name":"😀"}',
    ['body', 'name'],
    'string_too_short',
    'String should have at least 2 characters',
  ],
  [
    '{"amount":1,"name":"abcde"}',
    ['body', 'name'],
    'string_too_long',
    'String should have at most 4 characters',
  ],
  [
    '{"amount":1,"name":"a#"}',
    ['body', 'name'],
    'string_pattern_mismatch',
    "String should match pattern '^[^#]*$'",
  ],
  [String.raw`{"amount":1,"name":"a\u0000"}`, ['body', 'name'], 'string_unicode', NO_UNICODE],
  [String.raw`{"amount":1,"name":"a\ud800"}`, ['body', 'name'], 'string_unicode', NO_UNICODE],
  [String.raw`{"amount":1,"extra":{"a\u0000":1}}`, ['body', 'extra'], 'string_unicode', NO_UNICODE],
  [
    '{"amount":1,"email":"ana"}',
    ['body', 'email'],
    'value_error',
    `${NO_EMAIL} An email address must have an @-sign.`,
  ],
  [
    '{"amount":1,"email":"@x.y"}',
    ['body', 'email'],
    'value_error',
    `${NO_EMAIL} There must be something before the @-sign.`,
  ],
  [
    '{"amount":1,"email":"a@"}',
    ['body', 'email'],
    'value_error',
    `${NO_EMAIL} There must be something after the @-sign.`,
  ],
  ['{"amount":1,"kind":"red"}', ['body', 'kind'], 'literal_error', "Input should be 'soft' or 'hard'"],
  ['{"amount":1,"maker":{}}', ['body', 'maker', 'name'], 'missing', 'Field required'],
  ['{"amount":1,"maker":7}', ['body', 'maker'], 'model_attributes_type', NO_OBJECT],
  ['{"amount":1,"tags":"a"}', ['body', 'tags'], 'list_type', 'Input should be a valid list'],
  ['{"amount":1,"tags":["a",2]}', ['body', 'tags', 1], 'string_type', NO_TEXT],
  [
    `{"amount":1,"extra":${'['.repeat(16)}${']'.repeat(16)}}`,
    ['body', 0],
    'json_invalid',
    'JSON decode error',
  ],
];

for (const [given, loc, type, msg] of BODIES) {
  test(`a body of ${given.slice(0, 60) || 'nothing'} is refused as ${type}`, async () => {
    assert.deepEqual(await post(given), { status: 422, body: { detail: [{ loc, msg, type }] } });
  });
}

test('bytes that are not UTF-8 are refused with their position', async () => {
  const body = Buffer.concat([Buffer.from('{"amount":1,"name":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  const detail = [{ loc: ['body', 20], msg: 'JSON decode error', type: 'json_invalid' }];
  assert.deepEqual(await post(body), { status: 422, body: { detail } });
});

for (const type of [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application json',
  '',
  '///',
  'application/jsonx',
]) {
  test(`a body of content type "${type}" is refused because it is not an object`, async () => {
    const { status, body } = await post('{"amount":5}', { ...KEY, 'content-type': type });
    assert.equal(status, 422);
    assert.deepEqual(body, { detail: [{ loc: ['body'], msg: NO_OBJECT, type: 'model_attributes_type' }] });
  });
}

for (const type of [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json ;a=b',
  'application/merge-patch+json',
]) {
  test(`a body of content type "${type}" is read and validated`, async () => {
    const headers = { ...KEY, 'content-type': type };
    assert.equal((await post('{"amount":5}', headers)).status, 201);
    assert.equal((await post('{"amount":"5"}', headers)).status, 422);
  });
}

for (const [given, amount] of [
  ['5', 5],
  ['5.0', 5],
  ['1e3', 1000],
  ['1000000', 1000000],
  ['5.0000000000000000000', 5],
] as const) {
  test(`${given} is an integer`, async () => {
    const { status, body } = await post(`{"amount":${given}}`);
    assert.deepEqual({ status, body }, { status: 201, body: { commerce: 7, body: { amount } } });
  });
}

test('only declared fields are passed on, the last duplicate wins, and optional fields may be null', async () => {
  const given =
    '{"amount":4,"amount":5,"code":null,"note":null,"unknown":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  assert.deepEqual((await post(given)).body, { commerce: 7, body: { amount: 5, note: null } });
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

test('a value without a schema must not contain the name __proto__, and may be that text', async () => {
  assert.equal((await post('{"amount":5,"extra":{"title":"__proto__"}}')).status, 201);
  const { body } = await post('{"amount":5,"extra":{"__proto__":{"a":1}}}');
  assert.equal((body['detail'] as { type: string }[])[0]?.type, 'value_error');
});

test('an e-mail address is normalised', async () => {
  const { body } = await post('{"amount":5,"email":" Ana.B+c@EXAMPLE.com "}');
  assert.deepEqual(body, { commerce: 7, body: { amount: 5, email: 'ana.b+c@example.com' } });
});

test('one response lists all issues in the order path, query, header, body, and within these in the schema’s order', async () => {
  const response = await app.inject({
    method: 'POST',
    url: '/v1/swaps?limit=0',
    headers: { authorization: USER.authorization, 'idempotency-key': 'é' },
    payload: '',
  });
  assert.equal(response.statusCode, 422);
  assert.deepEqual(
    response.json<{ detail: { loc: unknown; type: string }[] }>().detail.map(({ loc, type }) => [loc, type]),
    [
      [['query', 'limit'], 'greater_than_equal'],
      [['header', 'x-commerce-id'], 'missing'],
      [['header', 'idempotency-key'], 'string_pattern_mismatch'],
      [['body'], 'missing'],
    ],
  );
});

const NOT_INTEGERS = [
  '',
  'a',
  '+1',
  '01',
  '1.0',
  '1e3',
  '0x1',
  '1_000',
  ' 1',
  '-0',
  '١',
  '1\n',
  'null',
  'true',
];
for (const text of NOT_INTEGERS) {
  test(`${JSON.stringify(text)} is not an integer in a path, query or header`, async () => {
    const encoded = encodeURIComponent(text);
    const query = await app.inject({ url: `/v1/list?limit=${encoded}`, headers: USER });
    assert.deepEqual(query.json(), {
      detail: [{ loc: ['query', 'limit'], msg: UNPARSABLE, type: 'int_parsing' }],
    });
    if (text !== '') {
      const path = await app.inject({ url: `/v1/toys/${encoded}`, headers: KEY });
      assert.deepEqual(path.json(), {
        detail: [{ loc: ['path', 'code'], msg: UNPARSABLE, type: 'int_parsing' }],
      });
    }
    if (text.trim() === text && !/[^\u0020-\u007e]/.test(text)) {
      const header = await app.inject({ url: '/v1/list', headers: { 'x-commerce-id': text } });
      const loc = ['header', 'x-commerce-id'];
      assert.deepEqual(header.json(), { detail: [{ loc, msg: UNPARSABLE, type: 'int_parsing' }] });
    }
  });
}

test('an integer beyond the safe range is refused in a path', async () => {
  const response = await app.inject({ url: '/v1/toys/9007199254740993', headers: KEY });
  assert.deepEqual(response.json(), {
    detail: [{ loc: ['path', 'code'], msg: TOO_LARGE, type: 'int_parsing_size' }],
  });
});

test('the last duplicate of a query parameter wins, unknown ones are ignored, and defaults apply', async () => {
  const response = await app.inject({ url: '/v1/list?limit=x&limit=5&limit[]=9&what=ever', headers: USER });
  assert.deepEqual(response.json(), { commerce: 7, limit: 5, cursor: null });
  const empty = await app.inject({ url: '/v1/list?cursor=', headers: USER });
  assert.deepEqual(empty.json(), { commerce: 7, limit: 20, cursor: '' });
});

test('U+0000 in a query is refused', async () => {
  const response = await app.inject({ url: '/v1/list?cursor=a%00', headers: USER });
  assert.deepEqual(response.json(), {
    detail: [{ loc: ['query', 'cursor'], msg: NO_UNICODE, type: 'string_unicode' }],
  });
});

test('a route without a body schema ignores any body', async () => {
  for (const type of ['application/json', 'text/plain', 'json', '']) {
    const headers = { 'x-commerce-id': '7', 'content-type': type };
    const response = await app.inject({ method: 'POST', url: '/v1/wishes', headers, payload: '{broken' });
    assert.deepEqual(response.json(), { known: true });
  }
  const response = await app.inject({ method: 'DELETE', url: '/v1/toys/5', headers: KEY, payload: 'x' });
  assert.equal(response.statusCode, 200);
});

test('a content type that is none hides no other issue of a request', async () => {
  for (const type of ['json', '']) {
    const headers = { authorization: 'Bearer good-access', 'content-type': type };
    const response = await app.inject({ method: 'POST', url: '/v1/swaps', headers, payload: '{}' });
    assert.deepEqual(
      response.json<{ detail: { loc: string[] }[] }>().detail.map(({ loc }) => loc),
      [['header', 'x-commerce-id'], ['body']],
    );
    assert.deepEqual(await post('', { ...KEY, 'content-type': type }), {
      status: 422,
      body: { detail: [{ loc: ['body'], msg: 'Field required', type: 'missing' }] },
    });
  }
});

test('a 404 and a 405 come before anything about the body', async () => {
  for (const type of ['application/json', 'json'])
    for (const [method, url, status] of [
      ['POST', '/v1/nothing', 404],
      ['PUT', '/v1/toys', 405],
      ['PUT', '/v1/toys/5', 405],
      ['QUERY', '/v1/toys', 405],
    ] as const) {
      const headers = { ...KEY, 'content-type': type };
      const payload = `"${'x'.repeat(20_000)}"`;
      const response = await app.inject({ method: method as 'PUT', url, headers, payload });
      assert.equal(response.statusCode, status, `${method} ${url}`);
    }
});

test('a body of 16 KiB is accepted, and one more byte is a 413', async () => {
  const body = (length: number) => `{"amount":5,"x":"${'x'.repeat(length - 19)}"}`;
  assert.equal((await post(body(16 * 1024))).status, 201);
  assert.deepEqual(await post(body(16 * 1024 + 1)), {
    status: 413,
    body: { message: 'the body is too large: send at most 16 KiB' },
  });
});
