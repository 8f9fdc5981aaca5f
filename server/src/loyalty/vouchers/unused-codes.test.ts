/** How many unused codes a member can hold, and which codes the lists show. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';

const { db } = await service();

interface Listed {
  readonly client_benefit_code: number;
  readonly used: boolean;
}

test('a member buys no more than the unused codes that the program allows, and goes on after using one', async () => {
  const shop = await makeFreeShop({ codes: { max_unused: 3 } });
  const member = await shop.member();
  const browser = await shop.browser(member);
  const codes: unknown[] = [];
  for (let i = 0; i < 3; i += 1) codes.push((await buy(browser)).body);
  const refused = await buy(browser);
  assert.deepEqual(
    [refused.status, refused.body],
    [400, { message: 'this member has too many unused codes: use one before buying another' }],
  );
  assert.equal(await soldOf(shop), 3);

  await shop.post('/v1/benefits/redeem', { client_benefit_code: (codes[0] as Listed).client_benefit_code });
  assert.equal((await buy(browser)).status, 200);
  assert.equal((await buy(browser)).status, 400);
  await assertBooksAgree(db, shop.id);
});

test('a code past its due date is not an unused code any more', async () => {
  const shop = await makeFreeShop({ sandbox: true, codes: { max_unused: 1 } }, { valid_days: 10 });
  const member = await shop.member();
  const browser = await shop.browser(member);
  assert.deepEqual([(await buy(browser)).status, (await buy(browser)).status], [200, 400]);
  await shop.moveClock('11 days');
  assert.deepEqual([(await buy(browser)).status, (await buy(browser)).status], [200, 400]);
});

test('exchanges at once do not pass the limit together, and a repeat of an earlier one is answered', async () => {
  const shop = await makeFreeShop({ codes: { max_unused: 5 } });
  const browser = await shop.browser(await shop.member());
  const key = { 'idempotency-key': 'the first' };
  const first = await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }, key);
  const answers = await Promise.all(Array.from({ length: 20 }, () => buy(browser)));
  assert.deepEqual(
    [200, 400].map((status) => answers.filter((answer) => answer.status === status).length),
    [4, 16],
  );
  const again = await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }, key);
  assert.deepEqual([again.status, again.text], [200, first.text]);
});

test('a reward is given even to a member who cannot buy more codes', async () => {
  const shop = await makeFreeShop(
    {
      codes: { max_unused: 1 },
      levels: { ladder: [{ name: 'Gold', threshold: 100, benefit: 'gold' }] },
    },
    {},
    [benefit('gold', { benefit_type: 'level', cost: 0 })],
  );
  const member = await shop.member();
  const browser = await shop.browser(member);
  await buy(browser);
  await shop.sell(member, 100);
  assert.equal(((await browser.get('/v1/me/benefits')).body as Listed[]).length, 2);
  assert.equal((await buy(browser)).status, 400);
});

test('the lists show every usable code and the newest 1,000 others, and the past codes are in pages', async () => {
  const shop = await makeFreeShop({}, { valid_days: 3650 });
  const member = await shop.member();
  const browser = await shop.browser(member);
  await fillWithVouchers(shop, member, { used: 1_300, expired: 50, unused: 30, givenBack: 20 });

  const mine = (await browser.get('/v1/me/benefits')).body as Listed[];
  assert.equal(mine.length, 1_031);
  const theirs = (await shop.get(`/v1/clients/${member.code}/benefits`)).body as Listed[];
  assert.deepEqual(theirs, mine);
  const all = await codesOf(shop, 'given_back_at is null');
  const usable = new Set(await codesOf(shop, 'given_back_at is null and used_at is null and due_at > now()'));
  const past = all.filter((code) => !usable.has(code));
  assert.equal(usable.size, 31);
  const expected = new Set([...usable, ...past.slice(0, 1_000)]);
  assert.deepEqual(
    mine.map((one) => one.client_benefit_code),
    all.filter((code) => expected.has(code)),
  );

  const readers = [
    [browser, '/v1/me/benefits/past'],
    [shop, `/v1/clients/${member.code}/benefits/past`],
  ] as const;
  for (const [reader, path] of readers) {
    const paged: number[] = [];
    let cursor: string | null = '';
    let pages = 0;
    while (cursor !== null) {
      const answer = await reader.get(`${path}?cursor=${encodeURIComponent(cursor)}`);
      const page = answer.body as { results: Listed[]; next_cursor: string | null };
      paged.push(...page.results.map((one) => one.client_benefit_code));
      cursor = page.next_cursor;
      pages += 1;
    }
    assert.deepEqual(paged, past);
    assert.equal(pages, 14);
  }
  await emptyOfVouchers(shop);
});

test('a page of past codes takes no cursor of another member, and is empty for anyone who never joined', async () => {
  const shop = await makeFreeShop();
  const [member, other] = [await shop.member(), await shop.member()];
  await fillWithVouchers(shop, member, { used: 150, expired: 0, unused: 0, givenBack: 0 });
  const page = (await (await shop.browser(member)).get('/v1/me/benefits/past')).body as {
    next_cursor: string;
  };
  const stolen = `?cursor=${encodeURIComponent(page.next_cursor)}`;
  assert.equal((await (await shop.browser(other)).get(`/v1/me/benefits/past${stolen}`)).status, 422);
  assert.equal((await shop.get(`/v1/clients/${other.code}/benefits/past${stolen}`)).status, 422);
  assert.equal((await shop.get(`/v1/clients/${member.code}/benefits/past${stolen}`)).status, 200);
  assert.equal((await shop.get('/v1/clients/123456789/benefits/past')).status, 404);
  const elsewhere = await makeFreeShop();
  assert.deepEqual((await (await elsewhere.browser(member)).get('/v1/me/benefits/past')).body, {
    results: [],
    next_cursor: null,
  });
  await emptyOfVouchers(shop);
});

async function makeFreeShop(
  fields: Readonly<Record<string, unknown>> = {},
  of: Readonly<Record<string, unknown>> = {},
  more: readonly object[] = [],
): Promise<Shop> {
  return makeShop({ ...fields, benefits: [benefit('coffee', { cost: 0, ...of }), ...more] });
}

function buy(browser: Awaited<ReturnType<Shop['browser']>>) {
  return browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });
}

async function soldOf(shop: Shop): Promise<number> {
  const { rows } = await sql<{ sold: number }>`
    select sold from benefits where commerce_id = ${shop.id} and id = 'coffee'`.execute(db);
  return rows[0]!.sold;
}

/** Stores one bought voucher, unused, and more as years of exchanges would have left them, several at each instant. */
async function fillWithVouchers(
  shop: Shop,
  member: MadeMember,
  kinds: { used: number; expired: number; unused: number; givenBack: number },
): Promise<void> {
  await shop.voucher(member, 'coffee');
  await sql`
    insert into vouchers (commerce_id, code, member_id, benefit_id, benefit, source, cost, issued_at, due_at, used_at, given_back_at)
    select v.commerce_id, 20000000000000 + n * 7919, v.member_id, v.benefit_id, v.benefit, v.source, v.cost,
           now() - interval '3 days' * (n * 7 % 401),
           case when kind = 'expired' then now() - interval '1 minute' else now() + interval '1 year' end,
           case when kind = 'used' then now() end,
           case when kind = 'given back' then now() end
      from vouchers v,
           lateral (select n, case when n <= ${kinds.used} then 'used'
                                   when n <= ${kinds.used + kinds.expired} then 'expired'
                                   when n <= ${kinds.used + kinds.expired + kinds.unused} then 'unused'
                                   else 'given back' end as kind
                      from generate_series(1, ${kinds.used + kinds.expired + kinds.unused + kinds.givenBack}::int) n) made
     where v.commerce_id = ${shop.id} and v.member_id = ${member.memberId}`.execute(db);
}

/** The books would miss the payments of the vouchers. */
async function emptyOfVouchers(shop: Shop): Promise<void> {
  await sql`
    delete from vouchers
     where commerce_id = ${shop.id} and code between 20000000000000 and 20000100000000`.execute(db);
}

async function codesOf(shop: Shop, which: string): Promise<number[]> {
  const { rows } = await sql<{ code: number }>`
    select code from vouchers where commerce_id = ${shop.id} and ${sql.raw(which)}
     order by issued_at desc, code desc`.execute(db);
  return rows.map((row) => row.code);
}
