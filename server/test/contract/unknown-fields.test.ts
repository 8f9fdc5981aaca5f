import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeShop } from '#test/make.ts';

const RECORD = '/v1/consumptions/client-code';
const HEADER = 'x-unknown-fields';

test('a sandbox names the fields and parameters that it ignores, on success and on a 422', async () => {
  const shop = await makeShop({ sandbox: true });
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

test('a shop that is no sandbox is not told', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const sold = await shop.post(`${RECORD}?a=1`, { client_code: member.code, amount: 5, b: 2 });
  assert.deepEqual([sold.status, sold.headers.get(HEADER)], [201, null]);
  assert.equal((await shop.visit('/v1/public/benefits?page=2')).headers.get(HEADER), null);
});

test('the names in the header are few, short and harmless', async () => {
  const shop = await makeShop({ sandbox: true });
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
  assert.equal(answer.headers.get(HEADER), '"body.f0", "body.f1", "body.f2", "body.f3", "body.f4", ...');
});
