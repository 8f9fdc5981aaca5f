import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

const RECORD = '/v1/consumptions/client-code';
const HEADER = 'x-unknown-fields';

for (const sandbox of [true, false])
  test(`a ${sandbox ? 'sandbox' : 'shop'} names what it ignores, on success and on a 422`, () =>
    tellsWhatIsIgnored(sandbox));

async function tellsWhatIsIgnored(sandbox: boolean): Promise<void> {
  const shop = await makeShop({ sandbox });
  const member = await shop.member();
  const body = { client_code: member.code, amount: 5 };
  assert.equal((await shop.post(RECORD, body)).headers.get(HEADER), null);

  const sold = await shop.post(`${RECORD}?dry_run=1`, { ...body, counterId: 3 });
  assert.deepEqual([sold.status, sold.headers.get(HEADER)], [201, '"body.counterId", "query.dry_run"']);
  const missing = await shop.post(RECORD, { clientCode: member.code, amount: 5 });
  assert.deepEqual([missing.status, missing.headers.get(HEADER)], [422, '"body.clientCode"']);
  assert.equal((await shop.get('/v1/clients/list?limt=5')).headers.get(HEADER), '"query.limt"');

  const browser = await shop.browser(member);
  const edited = await browser.patch('/v1/me', { username: 'Ana', name: 'Ana' });
  assert.deepEqual([edited.status, edited.headers.get(HEADER)], [200, '"body.name"']);
  assert.equal((await shop.visit('/v1/public/benefits?page=2')).headers.get(HEADER), '"query.page"');
}

test('the unknown fields of a member are named too when the call is a 422', async () => {
  const shop = await makeShop();
  const browser = await shop.browser(await shop.member());
  const refused = await browser.patch('/v1/me', { phone: '912', birthDate: '1990-05-05' });
  assert.deepEqual([refused.status, refused.headers.get(HEADER)], [422, '"body.birthDate"']);
  const exchange = await browser.post('/v1/me/benefits/exchange', { benefitId: 'coffee' });
  assert.deepEqual([exchange.status, exchange.headers.get(HEADER)], [422, '"body.benefitId"']);
  const headers = { 'x-commerce-id': String(shop.id) };
  for (const path of ['otp/request', 'otp/verify', 'refresh', 'logout']) {
    const answer = await call('POST', `/v1/auth/${path}`, { headers, body: { mail: 'a' } });
    assert.deepEqual([answer.status, answer.headers.get(HEADER)], [422, '"body.mail"'], path);
  }
});

test('a header that looks like a misspelled Idempotency-Key or external_id is named', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const body = { client_code: member.code, amount: 5 };
  for (const name of [
    'X-Idempotency-Key',
    'Idempotency_Key',
    'Idempotence-Key',
    'Idempotency-Token',
    'Idempotancy-Key',
    'externalId',
    'X-External-Id',
  ]) {
    const answer = await shop.post(RECORD, body, { [name]: 'a' });
    assert.deepEqual([answer.status, answer.headers.get(HEADER)], [201, `"header.${name.toLowerCase()}"`]);
  }
  const right = await shop.post(RECORD, body, { 'idempotency-key': 'a', 'x-idempotency-key': 'a', key: 'b' });
  assert.equal(right.headers.get(HEADER), null);
  assert.equal((await shop.post(RECORD, body, { key: 'b' })).headers.get(HEADER), null);
});

test('the 422 for a missing field names the field that was sent instead, everywhere', async () => {
  const shop = await makeShop();
  const hints: [body: object, hint: RegExp][] = [
    [{ clientCode: 1, amount: 5 }, /^You sent "clientCode": did you mean "client_code"\? /],
    [{ code: 1, amount: 5 }, /^You sent "code": did you mean "client_code"\? /],
    [{ 'client-c\u00f6de': 1, amount: 5 }, /^You sent "client-c\?de": did you mean "client_code"\? /],
    [{ [`${'x'.repeat(5_000)}client_code`]: 1, amount: 5 }, /^Add "client_code" to the JSON body\./],
    [{ member: 1, amount: 5 }, /^Add "client_code" to the JSON body\./],
  ];
  for (const [body, hint] of hints) {
    const answer = await shop.post(RECORD, body);
    assert.equal(answer.status, 422);
    assert.match(answer.headers.get(HEADER) ?? '', /^"body\.[^"]{1,35}"$/);
    assert.match(answer.headers.get('x-error-hint') ?? '', hint);
  }
});

test('a misspelled amount never reverses a whole purchase: the call refuses every field that it does not know', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const sold = await shop.post(RECORD, { client_code: member.code, amount: 50 });
  const path = `${sold.headers.get('location')}/reversal`;
  const issue = (...loc: string[]) => ({
    loc,
    msg: 'Extra inputs are not permitted',
    type: 'extra_forbidden',
  });
  const bad: [query: string, body: unknown, issues: object[]][] = [
    ['', { ammount: 5 }, [issue('body', 'ammount')]],
    ['', { Amount: 5 }, [issue('body', 'Amount')]],
    ['', { data: { amount: 5 } }, [issue('body', 'data')]],
    ['?amount=5', {}, [issue('query', 'amount')]],
    ['?dry_run=1', { amount: 5, x: 1 }, [issue('query', 'dry_run'), issue('body', 'x')]],
    ['', { 'a\r\nb': 5 }, [issue('body', 'a??b')]],
  ];
  for (const [query, body, issues] of bad) {
    const answer = await shop.post(path + query, body);
    assert.deepEqual([answer.status, answer.body], [422, { detail: issues }], JSON.stringify(body));
  }
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, i]));
  const { detail } = (await shop.post(path, many)).body as { detail: object[] };
  assert.equal(detail.length, 5);
  const reversed = await shop.post(path, {});
  assert.deepEqual([reversed.status, (reversed.body as { amount: number }).amount], [201, 50]);
});

test('what is ignored changes neither the status nor the body', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const plain = await shop.post('/v1/consumptions/preview', { client_code: member.code, amount: 50 });
  const more = { client_code: member.code, amount: 50, clientCode: 1, 'a\r\nb': 2 };
  const named = await shop.post('/v1/consumptions/preview?dry=1', more, { 'x-idempotency-key': 'a' });
  assert.deepEqual([named.status, named.text], [plain.status, plain.text]);
  assert.equal(named.headers.get(HEADER), '"body.clientCode", "body.a??b", "query.dry"');
});

test('the names in the header are few, short and harmless', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const hostile = ['a\r\nSet-Cookie: x=1', '"quoted", "b"', '\u0000é😀', 'x'.repeat(5_000), '__proto__'];
  for (const name of hostile) {
    const body = `{"client_code": ${member.code}, "amount": 5, ${JSON.stringify(name)}: 1}`;
    const answer = await shop.post(RECORD, JSON.parse(body));
    assert.equal(answer.status, 201, name);
    assert.match(answer.headers.get(HEADER) ?? '', /^"body\.[\w.:@$ ?-]{1,60}"$/);
    assert.equal(answer.headers.get('set-cookie'), null);
  }
  const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`f${i}`, i]));
  const answer = await shop.post(RECORD, { client_code: member.code, amount: 5, ...many });
  const named = Array.from({ length: 10 }, (_, i) => `"body.f${i}"`).join(', ');
  assert.equal(answer.headers.get(HEADER), `${named}, ...`);
});
