/** Every refusal has a code from the documented list, and no code, hint or message tells apart what a status hides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { ERROR_CODES } from '#problems/error-codes.ts';
import { ApiError, createMemberClient, createShopClient } from '../../../sdk/src/index.ts';
import { whyWrongCode } from '#test/error-code.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, newUser } from '#test/make.ts';
import { filesThatEnd, read } from '#test/repository.ts';
import { atCommerce, age, freshCode, mailedLinks, showCode, someone, wrongCode } from '#test/sign-in.ts';

const { app, url } = await service();
const shop = await makeShop({
  benefits: [benefit('coffee', { cost: 10 })],
  levels: { ladder: [{ name: 'First', threshold: 1_000_000 }] },
});
const member = await shop.member();
const { token } = await shop.browser(member);
const right: Readonly<Record<string, Record<string, string>>> = {
  key: { authorization: `Bearer ${shop.key}` },
  user: { authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) },
  header: { 'x-commerce-id': String(shop.id) },
};

const sources = filesThatEnd('.ts', 'server/src')
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: read(path) }));
const statusesOf: Readonly<Record<string, readonly number[]>> = Object.fromEntries(
  Object.entries(ERROR_CODES).map(([code, { statuses }]) => [code, statuses]),
);

test('every Problem class has a code beside its status, and the list says that they go together', () => {
  const wrong: string[] = [];
  for (const { path, text } of sources) {
    for (const [, status, code] of text.matchAll(/(?:super|new Problem)\(\s*(\d{3}),\s*(\S+?),?\s/g)) {
      const name = /^'(\w+)'$/.exec(code!)?.[1];
      // The base classes take the code as an argument, and its type is the list.
      if (name === undefined ? code !== 'code' : statusesOf[name]?.includes(Number(status)) !== true)
        wrong.push(`${path}: ${status} ${code}`);
    }
    // Pages are sent without a Problem.
    for (const [line] of text.matchAll(/^.*\.code\([45]\d\d\)[^;]*;/gm))
      if (!line.includes('x-error-code')) wrong.push(`${path}: ${line.trim()}`);
  }
  assert.deepEqual(wrong, []);
});

test('every code of the list is used, and every one is a word', () => {
  const used = new Set(
    sources
      .flatMap(({ path, text }) => (path.endsWith('error-codes.ts') ? [] : [text]))
      .flatMap((text) => [...text.matchAll(/'([a-z_]+)'/g)].map(([, word]) => word!)),
  );
  const unused = Object.keys(ERROR_CODES).filter((code) => !used.has(code));
  assert.deepEqual(unused, []);
  for (const code of Object.keys(ERROR_CODES)) assert.match(code, /^[a-z]+(_[a-z]+)*$/);
});

/** Fields of several calls, each with a value that its schema refuses. */
const WRONG_VALUES = JSON.stringify({
  client_code: 1e300,
  amount: 'x',
  counter_id: null,
  external_id: 'a\nb',
  email: '\ud800',
  client_email: 'a@@b',
  otp: '\0',
  refresh: 5,
  phone: '912',
  benefit_id: '\n',
  client_benefit_code: -1e300,
});

/** Ways to be refused, most of which each route has. */
function badCallsOf(route: RouteOptions) {
  const good = right[route.config?.credential ?? 'none'] ?? {};
  const json = { 'content-type': 'application/json' };
  const url = route.url.replaceAll(/:\w+/g, '999999999').replaceAll('*', 'nothing');
  const words = route.url.replaceAll(/:\w+/g, 'no-number').replaceAll('*', 'nothing');
  return [
    { url, headers: {} },
    { url, headers: { authorization: 'Bearer wrong', 'x-commerce-id': 'slug' } },
    { url, headers: { authorization: `Basic ${shop.key}` } },
    { url, headers: { ...good, 'x-commerce-id': '999999999' } },
    { url, headers: { ...good, ...json }, payload: '{' },
    { url, headers: { ...good, ...json }, payload: '{}' },
    { url, headers: { ...good, ...json }, payload: '[1]' },
    { url, headers: { ...good, 'content-type': 'text/plain' }, payload: 'x' },
    { url, headers: { ...good, ...json }, payload: 'x'.repeat(17_000) },
    { url: words, headers: good },
    { url, headers: { ...good, 'x-commerce-id': '9'.repeat(20) } },
    { url, headers: { ...good, ...json }, payload: WRONG_VALUES },
    { url: `${url}?limit=x&cursor=x&offset=x`, headers: good },
    { url, headers: { ...good, 'idempotency-key': 'ñ' } },
  ];
}

test('every route refuses with a code that goes with the status, whatever is wrong', async () => {
  const seen = new Map<string, number>();
  for (const route of app.routeTable) {
    for (const method of [route.method].flat()) {
      const calls = badCallsOf(route).map((bad) => ({ ...bad, method: method as 'GET' }));
      for (const bad of [...calls, { ...calls[0]!, method: 'TRACE' as 'GET' }]) {
        const answer = await app.inject(bad);
        const headers = new Headers(answer.headers as Record<string, string>);
        const wrong = whyWrongCode(answer.statusCode, headers);
        assert.equal(wrong, null, `${bad.method} ${bad.url}: ${wrong}`);
        const hint = headers.get('x-error-hint') ?? '';
        assert.doesNotMatch(hint, /pattern|exceeded maximum|unable to|Input should|dictionary/, bad.url);
        const code = headers.get('x-error-code') ?? 'none';
        seen.set(code, (seen.get(code) ?? 0) + 1);
      }
    }
  }
  for (const code of ['missing_credential', 'wrong_credential', 'not_json', 'invalid', 'method', 'not_found'])
    assert.ok((seen.get(code) ?? 0) > 5, `${code}: ${seen.get(code)}`);
});

/** Everything that a caller sees, without what differs in every answer. */
function seen({ status, headers, text }: Answer) {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, headers: Object.fromEntries(kept), text };
}

test('what belongs to another shop and what never existed get the same 404, headers included', async () => {
  const other = await makeShop({ benefits: [benefit('coffee', { cost: 0 }), benefit('other-tea')] });
  const stranger = await other.member();
  const voucher = await other.voucher(stranger, 'coffee');
  const sold = await other.post('/v1/consumptions/client-code', { client_code: stranger.code, amount: 5 });
  const purchase = sold.headers.get('x-consumption-id');
  const pairs: [method: 'get' | 'post', path: string, theirs: unknown, none: unknown][] = [
    ['get', '/v1/clients/#', stranger.code, 100_000_001],
    ['get', '/v1/clients/#/benefits', stranger.code, 100_000_001],
    ['get', '/v2/benefits/preview/#', voucher, 10_000_000_000_001],
    ['get', '/v1/benefits/preview/#', voucher, 10_000_000_000_001],
    ['get', '/v1/benefits/#', 'other-tea', 'no-such-tea'],
    ['get', '/v1/consumptions/#', purchase, Number(purchase) - 1],
    [
      'post',
      '/v1/benefits/redeem',
      { client_benefit_code: voucher },
      { client_benefit_code: 10_000_000_000_001 },
    ],
    [
      'post',
      '/v1/consumptions/client-code',
      { client_code: stranger.code, amount: 5 },
      { client_code: 100_000_001, amount: 5 },
    ],
    ['post', '/v1/clients/email', { client_email: stranger.email }, { client_email: someone() }],
  ];
  for (const [method, path, theirs, none] of pairs) {
    const ask = (what: unknown) =>
      method === 'get' ? shop.get(path.replace('#', String(what))) : shop.post(path, what);
    const [first, second] = [seen(await ask(theirs)), seen(await ask(none))];
    assert.equal(first.status, 404, path);
    assert.deepEqual(first, second, path);
    assert.equal(first.headers['x-error-code'], 'not_found');
  }

  const closed = await makeShop();
  await closed.close();
  const [gone, never] = await Promise.all(
    [closed.id, 999_999_999].map((id) => call('GET', '/v1/public/commerce', { headers: atCommerce(id) })),
  );
  assert.deepEqual(seen(gone!), seen(never!));
});

test('every refused sign-in is the same 400 code_refused, headers included', async () => {
  const [late, wrong, used] = [someone(), someone(), someone()];
  const lateCode = await freshCode(shop.id, late);
  await age(late, '11 minutes');
  const wrongOne = wrongCode(await freshCode(shop.id, wrong));
  const usedCode = await freshCode(shop.id, used);
  await showCode(shop.id, used, usedCode);
  const [link = ''] = await mailedLinks(shop.id, used);
  const link1 = (text: string) =>
    call('POST', '/v1/auth/link/verify', { headers: atCommerce(shop.id), body: { token: text } });
  const codes = [
    await showCode(shop.id, late, lateCode),
    await showCode(shop.id, wrong, wrongOne),
    await showCode(shop.id, used, usedCode),
    await showCode(shop.id, someone(), '123456'),
    await showCode(shop.id, 'no address', '12'),
  ].map(seen);
  const links = [await link1(link), await link1('x'), await link1('A'.repeat(22))].map(seen);
  for (const answers of [codes, links]) {
    assert.equal(answers[0]!.headers['x-error-code'], 'code_refused');
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  }
});

test('a member who left and one who was blocked get the same 403 not_eligible', async () => {
  const [left, blocked] = [await shop.member(), await shop.member()];
  await shop.leave(left);
  await shop.block(blocked);
  const [first, second] = await Promise.all(
    [left, blocked].map(({ code }) =>
      shop.post('/v1/consumptions/client-code', { client_code: code, amount: 5 }),
    ),
  );
  assert.equal(first!.headers.get('x-error-code'), 'not_eligible');
  assert.deepEqual(seen(first!), seen(second!));
});

test('the codes say why a purchase, a reversal or a benefit is refused', async () => {
  const open = await makeShop({
    sandbox: true,
    earning: { money_per_point: 1, max_amount: 1_000, returns: 'refuse' },
    benefits: [benefit('coffee', { cost: 10 }), benefit('brief', { cost: 0, valid_days: 1 })],
  });
  const buyer = await open.member();
  const browser = await open.browser(buyer);
  const record = (amount: number) =>
    open.post('/v1/consumptions/client-code', { client_code: buyer.code, amount });
  const codeOf = async (answer: Promise<Answer> | Answer) => (await answer).headers.get('x-error-code');
  assert.equal(await codeOf(record(0)), 'invalid_amount');
  assert.equal(await codeOf(record(1_001)), 'invalid_amount');
  const id = (await record(10)).headers.get('x-consumption-id');
  const reverse = (body: object) => open.post(`/v1/consumptions/${id}/reversal`, body);
  assert.equal(await codeOf(reverse({ amount: 11 })), 'invalid_amount');

  assert.equal(await codeOf(browser.get('/v1/me/level')), 'no_level');
  const brief = await open.voucher(buyer, 'brief');
  assert.equal(await codeOf(browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' })), null);
  assert.equal(await codeOf(reverse({})), 'points_spent');
  const short = await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });
  assert.equal(await codeOf(short), 'points_short');
  assert.match(short.text, /costs 10, you have 0, so 10 are missing/);

  await open.moveClock('3 days');
  assert.equal(
    await codeOf(open.post('/v1/benefits/redeem', { client_benefit_code: brief })),
    'voucher_expired',
  );
  const other = (await record(5)).headers.get('x-consumption-id');
  await open.post(`/v1/consumptions/${other}/reversal`, {});
  assert.equal(await codeOf(open.post(`/v1/consumptions/${other}/reversal`, {})), 'already_reversed');

  const nobody = await open.browser(await newUser());
  assert.equal(
    await codeOf(nobody.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' })),
    'not_a_member',
  );
  assert.equal(await codeOf(nobody.patch('/v1/me', { username: 'Ana' })), 'not_a_member');
  await open.apply({ sandbox: true, status: 'paused' });
  assert.equal(await codeOf(record(5)), 'paused');
});

test('pages of any origin may read the code, the hint and the unknown fields', async () => {
  const { headers } = await call('GET', '/v1/me', { headers: { origin: 'https://luna.example' } });
  const exposed = headers.get('access-control-expose-headers') ?? '';
  for (const name of ['X-Error-Code', 'X-Error-Hint', 'X-Unknown-Fields']) assert.ok(exposed.includes(name));
});

test('the SDK has the code, the hint and the request id of an error', async () => {
  const till = createShopClient({ baseUrl: url, apiKey: shop.key });
  const refused = async (work: Promise<unknown>): Promise<ApiError> => {
    const error: unknown = await work.then(
      () => assert.fail('was not refused'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ApiError);
    return error;
  };
  const unknown = await refused(till.redeemBenefit(member.code));
  assert.deepEqual([unknown.status, unknown.code, unknown.hint], [404, 'not_a_voucher_code', null]);
  assert.match(unknown.requestId ?? '', /^[\w-]{36}$/);
  const wrong = await refused(till.recordConsumptionByClientCode({ client_code: member.code, amount: 1.5 }));
  assert.equal(wrong.code, 'invalid');
  assert.match(wrong.hint ?? '', /whole currency units/);
  const visitor = createMemberClient({ baseUrl: url, commerceId: shop.id });
  assert.equal((await refused(visitor.verifyOneTimeCode(member.email, '1'))).code, 'code_refused');
});

test('the SDK knows every code', () => {
  const type = /export type ErrorCode =([^;]+);/.exec(read('sdk/src/error-codes.ts'))?.[1] ?? '';
  const known = [...type.matchAll(/'(\w+)'/g)].map(([, code]) => code!);
  assert.deepEqual(known.toSorted(), Object.keys(ERROR_CODES).toSorted());
});
