/** The reads of a manager about a member. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { NOWHERE } from '#points/purchase-facts.ts';
import * as fc from '#test/random.ts';
import { readMemberHistory } from '#admin/members/read-member-history.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { transaction } from '#db/database.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { assertBooksAgree } from '#test/books.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { service } from '#test/harness.ts';
import {
  benefit,
  makeShop,
  type Browser,
  type MadeMember,
  type ProgramFields,
  type Shop,
} from '#test/make.ts';
import { makeStaff, makeStaffKey, type BackOffice, type MadeStaff } from '#test/staff.ts';
import { expirePoints } from '../../src/operations/jobs/expire-points.ts';
import type {
  AuditPage,
  Found,
  MemberHistory,
  MemberMovement,
  MemberPage,
  TillVoucher,
} from '../../../sdk/src/admin.ts';

const { db } = await service();

const PROGRAM: ProgramFields = {
  sandbox: true,
  points_expiration: { mode: 'rolling', months: 1 },
  benefits: [benefit('coffee', { cost: 20 }), benefit('hello', { benefit_type: 'welcome', cost: 0 })],
  rewards: { birthday: { points: 5 } },
  levels: {
    threshold_type: 'amount',
    ladder: [
      { name: 'Crew', threshold: 10, points_multiplier: 1 },
      { name: 'Captain', threshold: 100, points_multiplier: 1.5 },
    ],
  },
};

test('each line of the history has its arithmetic, who caused it, and what can be done with it', async () => {
  const { shop, manager, member, browser, id } = await opened();
  const script = await makeStaffKey(shop, 'cashier');
  const till = { register_id: 3, branch_id: 4 };
  const bought = await manager.post('purchases', { member_id: id, amount: 120, ...till }, key());
  const { consumption_id: first } = bought.body as { consumption_id: number };
  await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 51,
    external_id: 'order 7',
  });
  await manager.post(`purchases/${first}/reversal`, { amount: 20, reason: 'a cup broke' }, key());
  const [kept, used] = [await exchange(browser), await exchange(browser)];
  await script.post(`vouchers/${used}/redemption`, {}, key());

  const { results, next_cursor: next } = await historyOf(manager, id);
  assert.equal(next, null);
  const staff = { kind: 'staff', name: nameOf(manager), email: manager.email };
  assert.deepEqual(
    results.map(({ kind, points, amount, by, can, voucher }) => [
      kind,
      points,
      amount,
      by,
      can,
      voucher?.state ?? null,
    ]),
    [
      ['usage', 0, null, { kind: 'key', name: 'cashier script' }, [], 'used'],
      ['exchange', -20, null, { kind: 'member' }, [], 'used'],
      ['exchange', -20, null, { kind: 'member' }, ['give_back'], 'usable'],
      ['return', -20, -20, staff, [], null],
      ['purchase', 76, 51, { kind: 'key', name: null }, ['reverse'], null],
      ['purchase', 120, 120, staff, ['reverse'], null],
    ],
  );
  const [, , keptLine, back, captain, whole] = results as [
    MemberMovement,
    MemberMovement,
    MemberMovement,
    MemberMovement,
    MemberMovement,
    MemberMovement,
  ];
  assert.equal(keptLine.voucher!.client_benefit_code, kept);
  assert.deepEqual(
    [keptLine.title, back.reverses_id, whole.id, whole.reversed_amount, whole.reversed_points],
    ['coffee', first, first, 20, 20],
  );
  assert.deepEqual([whole.register_id, whole.branch_id, captain.external_id], [3, 4, 'order 7']);
  assert.match(back.note!, /^Partial return of the purchase of .*: a cup broke$/);
  assert.deepEqual(captain.factors, [
    { kind: 'base', formula: '51 ÷ 1', name: null, points: 51 },
    { kind: 'level', formula: '× 1.5', name: 'Captain', points: 76 },
  ]);
  assert.equal(captain.explanation, '51 ÷ 1 = 51 points; Captain × 1.5 = 76 points.');
  assert.match(back.explanation!, /100, earns less: 20 points taken back/);
  assert.ok(results.every((line) => line.program_version === 1 || line.kind === 'usage'));
  assert.deepEqual(
    (await historyOf(manager, id, 'kind=purchase')).results.map((line) => line.id),
    [captain.id, whole.id],
  );
  assert.deepEqual((await historyOf(manager, id, 'kind=expiry')).results, []);
  await assertBooksAgree(db, shop.id);
});

test('the page says which purchase reached the tier, what is missing to the next one, and what was spent', async () => {
  const { shop, manager, browser, id } = await opened();
  await manager.post('purchases', { member_id: id, amount: 60 }, key());
  const reached = await manager.post('purchases', { member_id: id, amount: 50 }, key());
  await manager.post('purchases', { member_id: id, amount: 7 }, key());
  await exchange(browser);
  const page = await pageOf(manager, id);
  assert.deepEqual(
    [page.level!.id, page.level!.reached_by, page.level!.is_pinned, page.next_level],
    ['captain', (reached.body as { consumption_id: number }).consumption_id, false, null],
  );
  assert.deepEqual(page.lifetime, { amount: 117, purchases: 3, points_earned: 120, points_spent: 20 });
  assert.deepEqual([page.state, page.block_reason], ['member', null]);
  const other = await shop.member();
  await shop.sell(other, 40);
  const { next_level: missing } = await pageOf(manager, await memberIdOf(manager, other));
  assert.deepEqual(missing, {
    id: 'captain',
    name: 'Captain',
    missing: 60,
    threshold: 100,
    threshold_type: 'amount',
  });
});

test('a member’s codes are listed whatever their state', async () => {
  const { shop, manager, browser, id } = await opened();
  await manager.post('purchases', { member_id: id, amount: 99 }, key());
  const [used, kept] = [await exchange(browser), await exchange(browser)];
  await manager.post(`vouchers/${used}/redemption`, {}, key());
  const codes = (await manager.get(`members/${id}/benefits`)).body as TillVoucher[];
  assert.deepEqual(
    codes.map((voucher) => [voucher.client_benefit_code, voucher.state, voucher.source]),
    [
      [kept, 'usable', 'exchange'],
      [used, 'used', 'exchange'],
    ],
  );
  await assertBooksAgree(db, shop.id);
});

test('a page of the history is one statement, however many lines it has and however long the history is', async () => {
  const { shop, member, manager, id } = await opened();
  const counting = await countingDatabase();
  const commerce = (await readCommerce(counting.db, shop.id))!;
  const read = () => readMemberHistory(counting.db, commerce, member.memberId, null, null);
  for (let amount = 1; amount <= 45; amount++) await shop.sell(member, amount);
  const { statements, names } = await counting.count(read);
  assert.deepEqual([statements, names], [1, ['read-member-history']]);
  const amounts = await walk(manager, id);
  assert.deepEqual(
    amounts.map((line) => line.amount),
    Array.from({ length: 45 }, (_, i) => 45 - i),
  );
});

test('only one kind is shown across a history that has little of it', async () => {
  const { shop, member, manager, browser, id } = await opened();
  await shop.sell(member, 90);
  const code = await exchange(browser);
  const purchases = Array.from({ length: 550 }, () => ({
    commerceId: shop.id,
    buyer: { code: member.code },
    amount: 1,
    ...NOWHERE,
  }));
  for (let round = 0; round < 2; round++) await transaction(db, (tx) => recordPurchases(tx, purchases));
  const lines = await walk(manager, id, 'kind=exchange&');
  assert.deepEqual(
    lines.map((line) => line.voucher!.client_benefit_code),
    [code],
  );
});

type Step = { readonly does: 'buy' | 'sell' | 'exchange' | 'undo' | 'job' | 'wait'; readonly size: number };

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom('buy', 'sell', 'exchange', 'undo', 'job', 'wait', 'wait'),
  size: fc.integer({ min: 1, max: 90 }),
});

test(`a member’s page and history say what the member sees, after any history, seed ${fc.SEED}`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('rolling', 'accumulated', 'none'),
      fc.constantFrom('Europe/Madrid', 'Pacific/Apia', 'America/New_York'),
      fc.array(step, { minLength: 15, maxLength: 30 }),
      async (mode, zone, steps) => {
        const life = await opened({
          points_expiration: { mode, ...(mode !== 'none' && { months: 1 }) },
          levels: {
            ...(PROGRAM['levels'] as object),
            valid_months: 2,
          },
          time_zone: zone,
        });
        await live(life, steps);
        await assertSame(life);
      },
    ),
    { numRuns: 6 },
  );
});

async function live({ shop, member, manager, browser, id }: Opened, steps: readonly Step[]): Promise<void> {
  let now = Date.UTC(2027, 0, 10, 9);
  const purchases: number[] = [];
  for (const { does, size } of steps) {
    if (does === 'buy') {
      const { body } = await manager.post('purchases', { member_id: id, amount: size }, key());
      purchases.push((body as { consumption_id: number }).consumption_id);
    }
    if (does === 'sell') await shop.sell(member, size);
    if (does === 'exchange') await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });
    if (does === 'undo' && purchases.length > 0)
      await manager.post(`purchases/${purchases.shift()}/reversal`, {}, key());
    if (does === 'job') await expirePoints.run(db, shop.id);
    if (does === 'wait') await setClock(db, shop.id, new Date((now += size * 12 * 3_600_000)));
  }
}

/** Compares the manager's answers with the contract's. */
async function assertSame({ shop, manager, browser, id }: Opened): Promise<void> {
  const page = await pageOf(manager, id);
  const me = (await browser.get('/v1/me')).body as Record<string, unknown>;
  assert.deepEqual(
    [page.points, page.username, page.email, page.phone],
    [me['points'], me['username'], me['email'], me['phone']],
  );
  const { status, body } = await browser.get('/v1/me/level');
  const level = status === 404 ? null : (body as Record<string, unknown>);
  assert.deepEqual(
    page.level && [
      page.level.name,
      page.level.rank,
      page.level.points_multiplier,
      page.level.reached_at,
      page.level.expiration_date,
      page.level.is_expired,
    ],
    level &&
      ['name', 'rank', 'points_multiplier', 'reached_at', 'expiration_date', 'is_expired'].map(
        (field) => level[field],
      ),
  );
  if (level !== null) {
    assert.deepEqual(
      [page.lifetime.points_earned, page.lifetime.amount, page.lifetime.purchases],
      [level['total_earned_points'], level['total_spent_amount'], level['total_consumptions_count']],
    );
    const next = level['next_level'] as { name: string; threshold: number } | null;
    assert.deepEqual(
      page.next_level && [page.next_level.name, page.next_level.threshold],
      next && [next.name, next.threshold],
    );
    if (page.next_level)
      assert.equal(page.next_level.missing, page.next_level.threshold - page.lifetime.amount);
  }
  const expirations = (await browser.get('/v1/me/points/expirations')).body as {
    points: number;
    expiration_date: string;
  }[];
  assert.deepEqual(
    page.expirations,
    expirations.map(({ points, expiration_date }) => ({ points, expiration_date })),
  );

  const lines = await walk(manager, id);
  const seen: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { results, next_cursor } = (await browser.get(`/v1/me/history?cursor=${cursor}`)).body as {
      results: Record<string, unknown>[];
      next_cursor: string | null;
    };
    seen.push(
      ...results.map((item) => [
        item['kind'],
        item['date'],
        item['points'] ?? 0,
        item['amount'],
        item['event'],
      ]),
    );
    cursor = next_cursor;
  }
  assert.deepEqual(
    lines.map((line) => [line.kind, line.at, line.points, line.amount, line.event]),
    seen,
  );
  assert.equal(
    lines.reduce((sum, { points }) => sum + points, 0),
    page.points,
  );
  await assertBooksAgree(db, shop.id);
}

test('a manager reads the audit of one member, an owner all of it, in pages', async () => {
  const { shop, manager, id } = await opened();
  const owner = await makeStaff(shop, 'owner');
  const other = await memberIdOf(manager, await shop.member());
  for (let amount = 1; amount <= 22; amount++)
    await manager.post('purchases', { member_id: id, amount }, key());
  await manager.post('purchases', { member_id: other, amount: 99 }, key());

  const refused = await manager.get('audit');
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'role_needed']);
  const first = (await manager.get(`audit?member_id=${id}`)).body as AuditPage;
  const second = (await manager.get(`audit?member_id=${id}&cursor=${first.next_cursor}`)).body as AuditPage;
  const amounts = [...first.results, ...second.results].map(({ after }) => after!['amount']);
  assert.deepEqual(
    amounts,
    Array.from({ length: 22 }, (_, i) => 22 - i),
  );
  const [line] = first.results;
  assert.deepEqual(
    [line!.action, line!.by, line!.member_id, line!.before, line!.reason, typeof line!.network],
    [
      'purchase.record',
      { kind: 'staff', name: nameOf(manager), email: manager.email },
      id,
      null,
      null,
      'string',
    ],
  );
  const all = (await owner.get('audit')).body as AuditPage;
  assert.deepEqual([all.results[0]!.member_id, all.results.length], [other, 20]);
  assert.equal((await owner.get(`audit?cursor=${first.next_cursor}`)).status, 422);
  assert.equal((await manager.get(`audit?member_id=${id + 1}`)).status, 404);
});

test('another commerce’s member has no page, no history, no codes and no audit', async () => {
  const { manager } = await opened();
  const there = await opened();
  for (const read of [
    (id: number) => manager.get(`members/${id}`),
    (id: number) => manager.get(`members/${id}/history`),
    (id: number) => manager.get(`members/${id}/benefits`),
    (id: number) => manager.get(`audit?member_id=${id}`),
  ]) {
    const [foreign, unknown] = [await read(there.id), await read(there.id + 1)];
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text]);
  }
});

interface Opened {
  readonly shop: Shop;
  readonly manager: MadeStaff;
  readonly member: MadeMember;
  readonly browser: Browser;
  readonly id: number;
}

/** A shop with a manager and one member, on 10 January 2027. */
async function opened(fields: ProgramFields = {}): Promise<Opened> {
  const shop = await makeShop({ ...PROGRAM, ...fields });
  await setClock(db, shop.id, new Date('2027-01-10T09:00:00Z'));
  const manager = await makeStaff(shop, 'manager');
  const member = await shop.member();
  const id = await memberIdOf(manager, member);
  return { shop, manager, member, browser: await shop.browser(member), id };
}

async function memberIdOf(who: BackOffice, { email }: MadeMember): Promise<number> {
  return ((await who.post('find', { text: email })).body as Found).members[0]!.member_id;
}

async function pageOf(who: BackOffice, id: number): Promise<MemberPage> {
  const { status, body } = await who.get(`members/${id}`);
  assert.equal(status, 200);
  return body as MemberPage;
}

async function historyOf(who: BackOffice, id: number, query = ''): Promise<MemberHistory> {
  const { status, body } = await who.get(`members/${id}/history?${query}`);
  assert.equal(status, 200);
  return body as MemberHistory;
}

async function walk(who: BackOffice, id: number, query = ''): Promise<MemberMovement[]> {
  const lines: MemberMovement[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: MemberHistory = await historyOf(who, id, `${query}cursor=${cursor}`);
    lines.push(...page.results);
    cursor = page.next_cursor;
  }
  return lines;
}

async function exchange(browser: Browser): Promise<number> {
  const { status, body } = await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });
  assert.equal(status, 200);
  return (body as { client_benefit_code: number }).client_benefit_code;
}

/** The name of somebody who was invited without one. */
function nameOf({ email }: MadeStaff): string {
  return email.split('@')[0]!;
}

function key(): Record<string, string> {
  return { 'idempotency-key': randomUUID() };
}
