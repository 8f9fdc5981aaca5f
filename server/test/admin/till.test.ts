/** The work of a till of the console: find, preview, record, redeem, and look at the day. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql } from '#db/database.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { someone } from '#test/sign-in.ts';
import { makeStaff, makeStaffKey, type BackOffice } from '#test/staff.ts';
import type {
  Found,
  PurchasePreview,
  RecordedPurchase,
  StaffProgram,
  TillDay,
  TillMember,
  TillVoucher,
} from '../../../sdk/src/admin.ts';

const { db } = await service();

const LADDER: ProgramFields = {
  levels: {
    threshold_type: 'points',
    ladder: [
      { name: 'Crew', threshold: 0, points_multiplier: 1 },
      { name: 'Captain', threshold: 100, points_multiplier: 1.5 },
    ],
  },
};

test('a cashier finds a member by the card or the address, and sees only a part of the address', async () => {
  const shop = await makeShop(LADDER);
  const till = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  await shop.sell(member, 120);
  const spaced = String(member.code).replace(/(\d{3})(\d{3})(\d{3})/, ' $1 $2-$3 ');
  for (const text of [String(member.code), spaced, member.email.toUpperCase()]) {
    const found = await find(till, text);
    assert.equal(found.members.length, 1, text);
    const { email, member_id: id, ...rest } = found.members[0]!;
    // The name is the first part of the address until the member changes it, so the domain would complete it.
    assert.equal(email, 'm…@…');
    assert.ok(id > 2 ** 48);
    assert.deepEqual(rest, {
      client_code: member.code,
      username: member.email.split('@')[0],
      state: 'member',
      level_name: 'Captain',
      points: 120,
    });
    assert.deepEqual(
      { ...found, members: [] },
      { members: [], voucher: null, movement: null, stranger: null },
    );
  }
  const manager = await makeStaff(shop, 'manager');
  assert.equal((await find(manager, String(member.code))).members[0]!.email, member.email);
  const { member_id: id } = (await find(till, String(member.code))).members[0]!;
  await manager.patch(`members/${id}/profile`, { username: 'Eva' });
  assert.equal((await find(till, String(member.code))).members[0]!.email, 'm…@example.com');
});

test('an address that nobody here has is a stranger’s, and what is no code, address or name finds nothing', async () => {
  const shop = await makeShop();
  const till = await makeStaff(shop, 'cashier');
  const elsewhere = await makeShop();
  const member = await elsewhere.member();
  assert.equal((await find(till, ` ${member.email.toUpperCase()} `)).stranger, member.email);
  const nothing = { members: [], voucher: null, movement: null, stranger: null };
  for (const text of [
    String(member.code),
    '12345678901234',
    '431870012345678',
    'a@b',
    '@',
    '7',
    ' ',
    '012345678',
  ])
    assert.deepEqual(await find(till, text), nothing, text);
  assert.equal((await till.post('find', { text: '' })).status, 422);
  assert.equal((await till.post('find', { text: 'x'.repeat(256) })).status, 422);
});

test('a code, a movement and, for a manager, the shop’s own id of a purchase are found', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const [till, manager] = [await makeStaff(shop, 'cashier'), await makeStaff(shop, 'manager')];
  const member = await shop.member();
  const sold = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 50,
    external_id: 'order 7-7',
  });
  const purchaseId = Number(sold.headers.get('x-consumption-id'));
  const code = await shop.voucher(member, 'coffee');
  const id = await memberIdOf(till, member);

  const dashed = String(code).replace(/(\d{7})/, '$1-');
  const { voucher, ...rest } = await find(till, dashed);
  assert.deepEqual(rest, { members: [], movement: null, stranger: null });
  assert.deepEqual(voucher, (await till.get(`vouchers/${code}`)).body);
  assert.equal(voucher!.username, member.email.split('@')[0]);

  const movement = { id: purchaseId, member_id: id };
  assert.deepEqual((await find(till, String(purchaseId))).movement, movement);
  assert.deepEqual((await find(manager, 'order 7-7')).movement, movement);
  assert.equal((await find(till, 'order 7-7')).movement, null);
});

test('the till shows the tier, what is missing to the next one, what expires next and what can be used', async () => {
  const shop = await makeShop({
    ...LADDER,
    sandbox: true,
    points_expiration: { mode: 'rolling', months: 1 },
    benefits: [benefit('coffee', { cost: 5 }), benefit('cake', { cost: 5, valid_days: 3 })],
  });
  await setClock(db, shop.id, new Date('2027-01-10T09:00:00Z'));
  const till = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  await shop.sell(member, 60);
  const [coffee, cake, used] = [
    await shop.voucher(member, 'coffee'),
    await shop.voucher(member, 'cake'),
    await shop.voucher(member, 'coffee'),
  ];
  await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
  const shown = await tillMember(till, member);
  assert.deepEqual(
    [shown.level, shown.next_level, shown.expiring, shown.points],
    [
      { id: 'crew', name: 'Crew', points_multiplier: 1 },
      { name: 'Captain', missing: 40, threshold_type: 'points' },
      { points: 45, expiration_date: '2027-02-10T22:59:59.999Z', days_left: 31 },
      45,
    ],
  );
  assert.deepEqual(
    shown.vouchers.map((voucher) => [voucher.client_benefit_code, voucher.state]),
    [
      [cake, 'usable'],
      [coffee, 'usable'],
    ],
  );
  await setClock(db, shop.id, new Date('2027-01-20T09:00:00Z'));
  assert.deepEqual(
    (await tillMember(till, member)).vouchers.map((voucher) => voucher.client_benefit_code),
    [coffee],
  );
  assert.equal(((await till.get(`vouchers/${cake}`)).body as TillVoucher).state, 'expired');
});

test('a preview has the arithmetic of the purchase that is recorded, for members and for strangers', async () => {
  const shop = await makeShop({
    ...LADDER,
    locale: 'es-AR',
    earning: {
      money_per_point: 1,
      double_points: [{ from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z' }],
    },
  });
  const till = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  await shop.sell(member, 60);
  const id = await memberIdOf(till, member);
  const preview = (await till.post('till/preview', { member_id: id, amount: 1751 })).body as PurchasePreview;
  assert.deepEqual(preview, {
    points: 5253,
    factors: [
      { kind: 'base', formula: '1.751 ÷ 1', name: null, points: 1751 },
      { kind: 'double_points', formula: '× 2', name: 'puntos dobles', points: 3502 },
      { kind: 'level', formula: '× 1,5', name: 'Captain', points: 5253 },
    ],
    explanation: preview.explanation,
    stamps: [],
  });
  assert.equal((await buy(till, { member_id: id, amount: 1751 })).points, preview.points);

  for (const email of [someone('stranger'), (await (await makeShop()).member()).email]) {
    const seen = (await till.post('till/preview', { client_email: email, amount: 33 }))
      .body as PurchasePreview;
    const recorded = await buy(till, { client_email: email, amount: 33 });
    assert.deepEqual([seen.points, recorded.waits], [recorded.points, true]);
  }
  await assertBooksAgree(db, shop.id);
});

test('the preview refuses what recording refuses, with the same words', async () => {
  const shop = await makeShop({ earning: { money_per_point: 1, max_amount: 1000 } });
  const till = await makeStaff(shop, 'cashier');
  const [blocked, gone, elsewhere] = [
    await shop.member(),
    await shop.member(),
    await (await makeShop()).member(),
  ];
  const [blockedId, goneId] = [await memberIdOf(till, blocked), await memberIdOf(till, gone)];
  await shop.block(blocked);
  await shop.leave(gone);
  for (const [buyer, amount, status] of [
    [{ member_id: blockedId }, 5, 403],
    [{ member_id: goneId }, 5, 403],
    [{ client_email: gone.email }, 5, 403],
    [{ client_email: elsewhere.email }, 1001, 400],
    [{ member_id: blockedId + 1 }, 5, 404],
    [{ member_id: 5 }, 5, 404],
    [{}, 5, 422],
    [{ member_id: goneId, client_email: gone.email }, 5, 422],
  ] as const) {
    const previewed = await till.post('till/preview', { ...buyer, amount });
    const recorded = await till.post('purchases', { ...buyer, amount }, key());
    assert.deepEqual(
      [previewed.status, previewed.text, previewed.headers.get('x-error-code')],
      [recorded.status, recorded.text, recorded.headers.get('x-error-code')],
    );
    assert.equal(recorded.status, status);
  }
  assert.equal(await auditRows(shop), 0);
});

test('a purchase counts once for each key, and a repeat gets the same answer and leaves no trace in the audit', async () => {
  const shop = await makeShop();
  const till = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const id = await memberIdOf(till, member);
  const keyed = key();
  const purchase = { member_id: id, amount: 30, register_id: 3, branch_id: 4 };
  const answers = await Promise.all([1, 2, 3].map(() => till.post('purchases', purchase, keyed)));
  const [first, ...repeats] = answers.toSorted((a, b) => rank(a) - rank(b)) as [Answer, Answer, Answer];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(first.headers.get('idempotency-replayed'), null);
  for (const repeat of repeats)
    assert.deepEqual([repeat.text, repeat.headers.get('idempotency-replayed')], [first.text, 'true']);
  const { consumption_id: purchaseId, at: _, ...rest } = first.body as RecordedPurchase;
  assert.deepEqual(rest, { points: 30, points_waiting: 0, balance: 30, waits: false });
  assert.equal(await auditRows(shop), 1);

  const other = await till.post('purchases', { ...purchase, amount: 31 }, keyed);
  assert.deepEqual([other.status, other.headers.get('x-error-code')], [422, 'key_reused']);
  const bare = await till.post('purchases', purchase);
  assert.equal(bare.status, 422);

  const looked = (await shop.get(`/v1/consumptions/${purchaseId}`)).body as Record<string, unknown>;
  assert.deepEqual(
    [looked['amount'], looked['counter_id'], looked['id_suc'], looked['client_code']],
    [30, 3, 4, member.code],
  );
  // A purchase of the contract with the same key is another one.
  const contract = await shop.post(
    '/v1/consumptions/client-code',
    { client_code: member.code, amount: 30 },
    keyed,
  );
  assert.deepEqual([contract.status, contract.headers.get('idempotency-replayed')], [201, null]);
  await assertBooksAgree(db, shop.id);
});

test('the audit names who recorded a purchase or redeemed a code, for people and for keys', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const [till, script] = [await makeStaff(shop, 'cashier'), await makeStaffKey(shop, 'cashier')];
  const member = await shop.member();
  const id = await memberIdOf(till, member);
  const bought = await buy(till, { member_id: id, amount: 30, register_id: 3 });
  const code = await shop.voucher(member, 'coffee');
  assert.equal((await script.post(`vouchers/${code}/redemption`, { register_id: 4 }, key())).status, 200);
  const { rows } = await sql`
    select a.action, a.actor, a.staff_id as "staffId", a.key_id as "keyId", a.subject, a.after, m.type
      from audit a
      join movements m on m.commerce_id = a.commerce_id and m.id = a.movement_id and m.member_id = a.member_id
     where a.commerce_id = ${shop.id} and a.action <> 'staff.invite'
     order by a.id`.execute(db);
  assert.deepEqual(rows, [
    {
      action: 'purchase.record',
      actor: 'staff',
      staffId: till.staffId,
      keyId: null,
      subject: String(bought.consumption_id),
      after: { amount: 30, points: 30, balance: 30, branch_id: null, register_id: 3 },
      type: 'purchase',
    },
    {
      action: 'voucher.redeem',
      actor: 'key',
      staffId: null,
      keyId: script.id,
      subject: String(code),
      after: { state: 'used', register_id: 4 },
      type: 'usage',
    },
  ]);
});

test('two tills redeem one code at once: one of them does, and the other is told that it was used', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const tills = [await makeStaff(shop, 'cashier'), await makeStaff(shop, 'cashier')] as const;
  const member = await shop.member();
  await shop.sell(member, 1000);
  for (let round = 0; round < 10; round++) {
    const code = await shop.voucher(member, 'coffee');
    const answers = await Promise.all(
      tills.map((till, i) => till.post(`vouchers/${code}/redemption`, { register_id: i + 1 }, key())),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 400]));
    const lost = answers.find(({ status }) => status === 400)!;
    assert.equal(lost.headers.get('x-error-code'), 'benefit_used');
    const { state, ended_at: endedAt } = answers.find(({ status }) => status === 200)!.body as TillVoucher;
    assert.deepEqual([state, typeof endedAt], ['used', 'string']);
  }
  assert.equal(await auditRows(shop), 10);
  await assertBooksAgree(db, shop.id);
});

test('two tills and the contract sell to one member at once, and every purchase counts once', async () => {
  const shop = await makeShop(LADDER);
  const tills = [await makeStaff(shop, 'cashier'), await makeStaff(shop, 'manager')] as const;
  const member = await shop.member();
  const id = await memberIdOf(tills[0], member);
  const sales = Array.from({ length: 10 }, (_, i) => 10 + i);
  const answers = await Promise.all(
    sales.flatMap((amount) => [
      tills[0].post('purchases', { member_id: id, amount }, key()),
      tills[1].post('purchases', { client_email: member.email, amount }, key()),
      shop.post('/v1/consumptions/client-code', { client_code: member.code, amount }),
    ]),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).filter((status) => status !== 201),
    [],
  );
  const { rows } = await sql<{ purchases: number; amount: number }>`
    select purchases, amount_spent as amount from members
     where commerce_id = ${shop.id} and id = ${member.memberId}`.execute(db);
  assert.deepEqual(rows, [{ purchases: 30, amount: 3 * sales.reduce((sum, amount) => sum + amount, 0) }]);
  assert.equal(await auditRows(shop), 20);
  await assertBooksAgree(db, shop.id);
});

test('a purchase of somebody whose points wait answers the same after the person has joined', async () => {
  const shop = await makeShop();
  const till = await makeStaff(shop, 'cashier');
  const email = someone('waiting');
  const keyed = key();
  const first = await till.post('purchases', { client_email: email, amount: 12 }, keyed);
  assert.equal((first.body as RecordedPurchase).waits, true);
  const invited = (await find(till, email)).members[0]!;
  assert.deepEqual([invited.state, invited.client_code, invited.points], ['invited', null, 12]);
  assert.equal((await buy(till, { member_id: invited.member_id, amount: 5 })).waits, true);
  await shop.member(email.split('@')[0]);
  assert.equal((await buy(till, { client_email: email, amount: 5 })).waits, false);
  const again = await till.post('purchases', { client_email: email, amount: 12 }, keyed);
  assert.deepEqual([again.status, again.text], [201, first.text]);
  await assertBooksAgree(db, shop.id);
});

test('unknown members and those of other shops are the same 404', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const other = await makeShop({ benefits: [benefit('coffee')] });
  const [till, there] = [await makeStaff(shop, 'manager'), await makeStaff(other, 'manager')];
  const member = await other.member();
  await other.sell(member, 100);
  const code = await other.voucher(member, 'coffee');
  const id = await memberIdOf(there, member);
  const ofMember = await Promise.all([id, id + 1, 7].map((wrong) => till.get(`till/members/${wrong}`)));
  assert.deepEqual(new Set(ofMember.map(refusalOf)), new Set([refusalOf(ofMember[1]!)]));
  assert.equal(ofMember[0]!.status, 404);
  const bought = await Promise.all(
    [id, id + 1, 7].map((wrong) => till.post('purchases', { member_id: wrong, amount: 1 }, key())),
  );
  assert.deepEqual(new Set(bought.map(refusalOf)), new Set([refusalOf(ofMember[0]!)]));
  for (const act of [
    (wrong: number | string) => till.get(`vouchers/${wrong}`),
    (wrong: number | string) => till.post(`vouchers/${wrong}/redemption`, {}, key()),
  ]) {
    const answers = [await act(code), await act(code === 99999999999999 ? code - 1 : code + 1)];
    assert.deepEqual(answers.map(refusalOf)[0], answers.map(refusalOf)[1]);
    assert.deepEqual([answers[0]!.status, (await act(`0${code}`)).status], [404, 404]);
  }
});

test('a register’s day has its own lines, pages, and what is left of its purchases', async () => {
  const shop = await makeShop({ sandbox: true, benefits: [benefit('coffee', { cost: 1 })] });
  await setClock(db, shop.id, new Date('2027-03-01T20:00:00Z'));
  const till = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const id = await memberIdOf(till, member);
  await buy(till, { member_id: id, amount: 5, register_id: 1 }); // yesterday, once the clock has moved
  await setClock(db, shop.id, new Date('2027-03-02T09:00:00Z'));
  for (let amount = 1; amount <= 23; amount++) await buy(till, { member_id: id, amount, register_id: 1 });
  await buy(till, { member_id: id, amount: 7, register_id: 2 });
  await buy(till, { member_id: id, amount: 8 });
  await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 9, counter_id: 1 });
  const code = await shop.voucher(member, 'coffee');
  await till.post(`vouchers/${code}/redemption`, { register_id: 1 }, key());

  const first = (await till.get('till/day?register_id=1')).body as TillDay;
  const { results: _, next_cursor: cursor, ...totals } = first;
  assert.deepEqual(totals, { purchases: 23, amount: 276, cents: 0, points: 276, used_codes: 1 });
  assert.deepEqual(
    [first.results.length, first.results[0]!.kind, first.results[0]!.title, first.results[0]!.can_undo],
    [20, 'usage', 'coffee', false],
  );
  const second = (await till.get(`till/day?register_id=1&cursor=${cursor}`)).body as TillDay;
  assert.equal(second.next_cursor, null);
  const amounts = [...first.results, ...second.results].map(({ amount }) => amount);
  assert.deepEqual(amounts, [null, ...Array.from({ length: 23 }, (_, i) => 23 - i)]);
  assert.ok(second.results.every((line) => line.can_undo && line.register_id === 1 && line.member_id === id));
  assert.deepEqual(
    ((await till.get('till/day')).body as TillDay).results.map(({ amount }) => amount),
    [8],
  );
  assert.equal((await till.get(`till/day?register_id=2&cursor=${cursor}`)).status, 422);
  await assertBooksAgree(db, shop.id);
});

test('registers of two branches with one id have days of their own, and a cashier undoes only what is of the branch', async () => {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 })] });
  const till = await makeStaff(shop, 'cashier');
  const member = await shop.member();
  const id = await memberIdOf(till, member);
  const [here, there] = [
    { register_id: 1, branch_id: 4 },
    { register_id: 1, branch_id: 5 },
  ];
  const mine = await buy(till, { member_id: id, amount: 10, ...here });
  const theirs = await buy(till, { member_id: id, amount: 20, ...there });
  const code = await shop.voucher(member, 'coffee');
  await till.post(`vouchers/${code}/redemption`, here, key());
  const dayOf = async (place: string) => {
    const { results, amount, used_codes: used } = (await till.get(`till/day?${place}`)).body as TillDay;
    return [results.map((line) => [line.kind, line.amount]), amount, used];
  };
  const usage = ['usage', null];
  assert.deepEqual(await dayOf('register_id=1&branch_id=4'), [[usage, ['purchase', 10]], 10, 1]);
  assert.deepEqual(await dayOf('register_id=1&branch_id=5'), [[['purchase', 20]], 20, 0]);
  assert.deepEqual(await dayOf('register_id=1'), [[usage, ['purchase', 20], ['purchase', 10]], 30, 1]);

  const undo = (purchase: { consumption_id: number }, place: object) =>
    till.post(`purchases/${purchase.consumption_id}/reversal`, place, key());
  assert.equal((await undo(theirs, here)).status, 403);
  assert.equal((await undo(mine, here)).status, 201);
  assert.deepEqual(await dayOf('register_id=1&branch_id=5'), [[['purchase', 20]], 20, 0]);
  assert.deepEqual((await dayOf('register_id=1&branch_id=4')).slice(1), [0, 1]);
});

test('a cashier undoes a whole purchase of today at the same register, once, and nothing else', async () => {
  const shop = await makeShop({ sandbox: true });
  await setClock(db, shop.id, new Date('2027-03-01T20:00:00Z'));
  const [till, manager] = [await makeStaff(shop, 'cashier'), await makeStaff(shop, 'manager')];
  const member = await shop.member();
  const id = await memberIdOf(till, member);
  const sell = async (amount: number, registerId?: number) =>
    (await buy(till, { member_id: id, amount, ...(registerId !== undefined && { register_id: registerId }) }))
      .consumption_id;
  const undo = (who: BackOffice, purchase: number, body: object, keyed = key()) =>
    who.post(`purchases/${purchase}/reversal`, body, keyed);

  const yesterday = await sell(9, 1);
  await setClock(db, shop.id, new Date('2027-03-02T09:00:00Z'));
  const [first, elsewhere, partly, none] = [
    await sell(20, 1),
    await sell(21, 2),
    await sell(22, 1),
    await sell(23),
  ];
  const sold = await shop.post('/v1/consumptions/client-code', {
    client_code: member.code,
    amount: 24,
    counter_id: 1,
  });
  const contract = Number(sold.headers.get('x-consumption-id'));
  assert.equal((await undo(manager, partly, { amount: 2, reason: 'a cup broke' })).status, 201);
  for (const [purchase, body] of [
    [yesterday, { register_id: 1 }],
    [elsewhere, { register_id: 1 }],
    [partly, { register_id: 1 }],
    [contract, { register_id: 1 }],
    [none, { register_id: 1 }],
    [first, {}],
    [first, { register_id: 1, amount: 20 }],
  ] as const) {
    const refused = await undo(till, purchase, body);
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'role_needed']);
  }
  assert.equal((await undo(till, first + 1, { register_id: 1 })).status, 404);

  const keyed = key();
  const undone = await undo(till, first, { register_id: 1, reason: 'wrong member' }, keyed);
  assert.deepEqual(
    [undone.status, undone.body],
    [201, { message: 'consumption reversed', amount: 20, points: 20, balance: 97 }],
  );
  await setClock(db, shop.id, new Date('2027-03-03T09:00:00Z'));
  const again = await undo(till, first, { register_id: 1, reason: 'wrong member' }, keyed);
  assert.deepEqual(
    [again.status, again.text, again.headers.get('idempotency-replayed')],
    [201, undone.text, 'true'],
  );
  await setClock(db, shop.id, new Date('2027-03-03T09:00:00Z'));
  assert.equal((await undo(manager, yesterday, {})).status, 201);
  assert.equal((await undo(manager, yesterday, {})).headers.get('x-error-code'), 'already_reversed');
  await assertBooksAgree(db, shop.id);
});

test('what was undone leaves the day’s figures, and its line says so', async () => {
  const shop = await makeShop();
  const [till, manager] = [await makeStaff(shop, 'cashier'), await makeStaff(shop, 'manager')];
  const id = await memberIdOf(till, await shop.member());
  const [whole, part] = [
    await buy(till, { member_id: id, amount: 20, cents: 40, register_id: 1 }),
    await buy(till, { member_id: id, amount: 30, cents: 90, register_id: 1 }),
  ];
  await till.post(`purchases/${whole.consumption_id}/reversal`, { register_id: 1 }, key());
  await manager.post(`purchases/${part.consumption_id}/reversal`, { amount: 10, cents: 95 }, key());
  const seenBy = async (who: BackOffice) => (await who.get('till/day?register_id=1')).body as TillDay;
  const { results, next_cursor: _, ...totals } = await seenBy(till);
  assert.deepEqual(totals, { purchases: 1, amount: 19, cents: 95, points: 19, used_codes: 0 });
  assert.deepEqual(
    results.map((line) => [
      line.kind,
      [line.amount, line.cents],
      line.points,
      [line.reversed_amount, line.reversed_cents],
      line.can_undo,
    ]),
    [
      ['return', [-20, -40], -20, [0, 0], false],
      ['purchase', [30, 90], 30, [11, -5], false],
      ['purchase', [20, 40], 20, [20, 40], false],
    ],
  );
  assert.deepEqual(
    (await seenBy(manager)).results.map((line) => line.can_undo),
    [false, true, false],
  );
});

test('the program is as it is at the commerce’s own time', async () => {
  const window = { from: '2027-01-01T00:00:00Z', to: '2027-01-02T00:00:00Z' };
  const shop = await makeShop({
    ...LADDER,
    sandbox: true,
    earning: { money_per_point: 2.5, double_points: [window] },
    points_expiration: { mode: 'rolling', months: 6 },
  });
  await setClock(db, shop.id, new Date('2027-01-01T12:00:00Z'));
  const till = await makeStaff(shop, 'cashier');
  const { now, ...program } = (await till.get('program')).body as StaffProgram;
  assert.match(now, /^2027-01-01T12:00:/);
  assert.deepEqual(program, {
    today: '2027-01-01',
    status: 'active',
    money_per_point: 2.5,
    max_amount: 1_000_000_000,
    unusual_amount: 5000,
    double_points: [{ from: '2027-01-01T00:00:00.000Z', to: '2027-01-02T00:00:00.000Z', is_open: true }],
    points_expiration: { mode: 'rolling', months: 6 },
    levels: [
      { id: 'crew', name: 'Crew', threshold: 0, points_multiplier: 1 },
      { id: 'captain', name: 'Captain', threshold: 100, points_multiplier: 1.5 },
    ],
    threshold_type: 'points',
    branches: [],
    sold: [],
  });
});

async function find(who: BackOffice, text: string): Promise<Found> {
  const { status, body } = await who.post('find', { text });
  assert.equal(status, 200);
  return body as Found;
}

async function memberIdOf(who: BackOffice, { email }: MadeMember): Promise<number> {
  return (await find(who, email)).members[0]!.member_id;
}

async function tillMember(who: BackOffice, member: MadeMember): Promise<TillMember> {
  return (await who.get(`till/members/${await memberIdOf(who, member)}`)).body as TillMember;
}

async function buy(who: BackOffice, purchase: object): Promise<RecordedPurchase> {
  const { status, body } = await who.post('purchases', purchase, key());
  assert.equal(status, 201);
  return body as RecordedPurchase;
}

function key(): Record<string, string> {
  return { 'idempotency-key': randomUUID() };
}

/** Counts the acts here, apart from inviting the staff. */
async function auditRows({ id }: Shop): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from audit where commerce_id = ${id} and action <> 'staff.invite'`.execute(db);
  return rows[0]!.n;
}

function refusalOf({ status, text, headers }: Answer): string {
  return `${status} ${text} ${headers.get('x-error-code')}`;
}

function rank({ headers }: Answer): number {
  return headers.get('idempotency-replayed') === 'true' ? 1 : 0;
}
