import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setClock } from '#commerces/clock.ts';
import { sql, transaction } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { exchangeBenefit } from '#test/exchange-benefit.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { storedPurchaseId } from '#test/stored-id.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { reversePurchase } from './reverse-purchase.ts';

test('a whole purchase is taken back once', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await buy(shop, member, 40);
  const id = await buy(shop, member, 100);

  const answer = await reverse(shop, id);
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.body, { message: 'consumption reversed', amount: 100, points: 100 });
  assert.equal(await pointsOf(shop, member), 40);
  assert.deepEqual(await figuresOf(shop, member), [40, 40, 1]);

  assert.equal((await reverse(shop, id)).status, 400);
  assert.equal((await reverse(shop, id, { amount: 1 })).status, 400);
  assert.equal(await pointsOf(shop, member), 40);
  await assertBooksAgree((await service()).db, shop.id);
});

test('a reason of staff follows the note of the return, and erasing it leaves the note', async () => {
  const { db } = await service();
  const shop = await makeShop({ sandbox: true, clock: '2027-01-10T10:00:00Z' });
  const member = await shop.member();
  const bought = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 100 });
  const purchaseId = await storedPurchaseId(bought);
  const { answer, entry } = await transaction(db, (tx) =>
    reversePurchase(tx, { commerceId: shop.id, purchaseId, amount: 40, reason: 'the vase was broken' }),
  );
  assert.deepEqual(entry, {
    action: 'purchase.reverse',
    memberId: member.memberId,
    movementId: answer.reversalId,
    before: { amount: 100, points: 100 },
    after: { amount: 60, points: 60 },
    personal: { reason: 'the vase was broken' },
  });
  const noteOf = async () => {
    const { body } = await (await shop.browser(member)).get('/v1/me/activity');
    return (body as { results: { additional_note: string }[] }).results[0]!.additional_note;
  };
  assert.equal(await noteOf(), 'Partial return of the purchase of Jan 10, 2027: the vase was broken');
  await sql`delete from movement_notes where commerce_id = ${shop.id}`.execute(db);
  assert.equal(await noteOf(), 'Partial return of the purchase of Jan 10, 2027');
});

test('partial returns add up exactly to the whole, by the rules of the purchase', async () => {
  const shop = await makeShop({ earning: { money_per_point: 3 } });
  const member = await shop.member();
  const id = await buy(shop, member, 100); // 33
  await shop.apply({ earning: { money_per_point: 1 } });

  const points = [];
  for (const amount of [1, 2, 50, 46]) points.push((await reversed(shop, id, amount)).points);
  // Kept 99, 97, 47, 1: worth 33, 32, 15, 0.
  assert.deepEqual(points, [0, 1, 17, 15]);
  assert.deepEqual(await figuresOf(shop, member), [0, 1, 1]);
  assert.deepEqual((await reversed(shop, id)).points, 0);
  assert.deepEqual(await figuresOf(shop, member), [0, 0, 0]);

  const { body } = await shop.get(`/v1/consumptions/${id}`);
  const { points: earned, reversed_amount, reversed_points } = body as Record<string, number>;
  assert.deepEqual([earned, reversed_amount, reversed_points], [33, 100, 33]);
});

const impossible: [what: string, body: object, status: number][] = [
  ['more than the purchase', { amount: 101 }, 400],
  ['nothing', { amount: 0 }, 400],
  ['less than nothing', { amount: -1 }, 400],
  ['a fraction', { amount: 1.5 }, 422],
];
for (const [what, body, status] of impossible) {
  test(`taking back ${what} is a ${status}`, async () => {
    const shop = await makeShop();
    const member = await shop.member();
    const id = await buy(shop, member, 100);
    assert.equal((await reverse(shop, id, body)).status, status);
    assert.equal(await pointsOf(shop, member), 100);
  });
}

test("a purchase that is not this commerce's does not exist", async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const id = await buy(other, await other.member(), 100);
  const strange = await reverse(shop, id);
  const never = await reverse(shop, 999_999_999);
  assert.equal(strange.status, 404);
  assert.equal(strange.text, never.text);
});

const policies: [policy: string, status: number, after: number][] = [
  ['negative', 201, -60],
  ['clamp', 201, 0],
  ['refuse', 400, 40],
];
for (const [policy, status, after] of policies) {
  test(`returns: ${policy} leaves ${after} where 60 of 100 were spent`, async () => {
    const shop = await makeShop(selling(60, { earning: { money_per_point: 1, returns: policy } }));
    const member = await shop.member();
    const id = await buy(shop, member, 100);
    await exchange(shop, member);
    const answer = await reverse(shop, id);
    assert.equal(answer.status, status);
    assert.equal(await pointsOf(shop, member), after);
    await assertBooksAgree((await service()).db, shop.id);
  });
}

test('the next points earned pay the debt first', async () => {
  const shop = await makeShop(selling(60));
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  await exchange(shop, member);
  await reverse(shop, id);
  await buy(shop, member, 70);
  assert.equal(await pointsOf(shop, member), 10); // -60 + 70
  await assert.rejects(exchange(shop, member));
});

test('points that expired unspent are taken back from nobody', async () => {
  const shop = await makeShop(rolling(1));
  await at(shop, '2027-01-10');
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  await at(shop, '2027-03-01');
  assert.equal(await pointsOf(shop, member), 0);
  assert.deepEqual(await reversed(shop, id), { message: 'consumption reversed', amount: 100, points: 0 });
  assert.equal(await pointsOf(shop, member), 0);
  assert.deepEqual(await figuresOf(shop, member), [0, 0, 0]);
});

test('if half the points of two purchases of one day were spent and half expired, the returns forgive half', async () => {
  const shop = await makeShop({ ...selling(60), ...rolling(1) });
  await at(shop, '2027-01-10');
  const member = await shop.member();
  const ids = [await buy(shop, member, 50), await buy(shop, member, 50)];
  await exchange(shop, member); // 60 of 100; 40 expire
  await at(shop, '2027-03-01');
  const taken = [];
  for (const id of ids) taken.push((await reversed(shop, id)).points);
  assert.deepEqual(taken, [10, 50]); // 50 - 40, then 50
  assert.equal(await pointsOf(shop, member), -60);
  await assertBooksAgree((await service()).db, shop.id);
});

test('points that a later purchase had moved count as expired where they expired', async () => {
  const shop = await makeShop({ points_expiration: { mode: 'accumulated', months: 2 }, sandbox: true });
  await at(shop, '2027-01-10');
  const member = await shop.member();
  const id = await buy(shop, member, 100); // good until 10 March
  await at(shop, '2027-02-20');
  await buy(shop, member, 1); // all until 20 April
  await at(shop, '2027-05-01');
  assert.equal((await reversed(shop, id)).points, 0);
  assert.equal(await pointsOf(shop, member), 0);
});

test('a tier is lost only by a return of the purchase that reached it', async () => {
  const ladder = [
    { name: 'Bronze', threshold: 0 },
    { name: 'Silver', threshold: 100, points_multiplier: 2 },
  ];
  const shop = await makeShop({ levels: { ladder } });
  const member = await shop.member();
  const before = await buy(shop, member, 60);
  const reaching = await buy(shop, member, 60); // 120
  assert.equal(await tierOf(shop, member), 'silver');

  await reverse(shop, before); // 60 < 100, and did not reach it
  assert.equal(await tierOf(shop, member), 'silver');
  await reverse(shop, reaching, { amount: 10 });
  assert.equal(await tierOf(shop, member), 'bronze');
  await buy(shop, member, 50); // 100, at the multiplier of Bronze
  assert.equal(await tierOf(shop, member), 'silver');
  assert.deepEqual(await figuresOf(shop, member), [100, 100, 2]);
});

test('returns work for members who left or are blocked, and for people whose points wait', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  await sql`update members set blocked_at = now(), state = 'left', left_at = now() where id = ${member.memberId}`.execute(
    db,
  );
  assert.equal((await reversed(shop, id)).points, 100);

  const body = { client_email: 'waits@example.com', amount: 30 };
  const waiting = (await shop.post('/v1/consumptions/email', body)).headers.get('x-consumption-id');
  assert.equal((await reversed(shop, Number(waiting))).points, 30);
  const stranger = await findMember(db, { commerceId: shop.id, email: 'waits@example.com' });
  assert.deepEqual(stranger?.figures, { points: 0, amount: 0 });
});

test('every note is in the language that the commerce has when it is read', async () => {
  const { db } = await service();
  const shop = await makeShop({ locale: 'es', ...rolling(12) });
  await at(shop, '2027-01-10');
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  await reverse(shop, id, { amount: 1 });
  await shop.apply({ locale: 'en', ...rolling(12) });
  await reverse(shop, id);
  const notes = async () => {
    const { body } = await (await shop.browser(member)).get('/v1/me/activity');
    const { results } = body as { results: { additional_note: string | null }[] };
    return results.map((item) => item.additional_note);
  };
  const english = 'Partial return of the purchase of Jan 10, 2027';
  assert.deepEqual(await notes(), [english, english, null]);
  await shop.apply({ locale: 'es', ...rolling(12) });
  const spanish = 'Devolución parcial de la compra del 10 ene 2027';
  assert.deepEqual(await notes(), [spanish, spanish, null]);
  const { rows } = await sql`
    select note from movements where commerce_id = ${shop.id} and note is not null`.execute(db);
  assert.deepEqual(rows, []);
});

test('a repeated idempotency key returns the first return, and a different return with the same key is refused', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  const key = { 'idempotency-key': 'k1' };
  const first = await shop.post(`/v1/consumptions/${id}/reversal`, { amount: 30 }, key);
  const again = await shop.post(`/v1/consumptions/${id}/reversal`, { amount: 30 }, key);
  assert.equal(again.status, 201);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.equal((await shop.post(`/v1/consumptions/${id}/reversal`, { amount: 31 }, key)).status, 422);
  assert.equal(await pointsOf(shop, member), 70);
});

test('a return says whose purchase it was and the balance right after it, and says the same again', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  await buy(shop, member, 40);
  const id = await buy(shop, member, 100);
  const path = `/v1/consumptions/${id}`;
  const key = { 'idempotency-key': 'k1' };
  const first = await shop.post(`${path}/reversal`, { amount: 30 }, key);
  assert.deepEqual(saidOf(first), [String(id), path, '110']);
  const { paths } = (await (await service()).app.inject({ url: '/openapi-extensions.json' })).json<{
    paths: Record<string, { post: { responses: Record<number, { headers: object }> } }>;
  }>();
  const { headers } = paths['/v1/consumptions/{consumption_id}/reversal']!.post.responses[201]!;
  assert.deepEqual(Object.keys(headers).slice(0, 3), ['X-Consumption-Id', 'Location', 'X-Points-Balance']);
  await buy(shop, member, 5);
  assert.deepEqual(saidOf(await shop.post(`${path}/reversal`, { amount: 30 }, key)), saidOf(first));

  const body = { client_email: 'waits-for-a-return@example.com', amount: 30 };
  const waiting = Number((await shop.post('/v1/consumptions/email', body)).headers.get('x-consumption-id'));
  assert.equal(saidOf(await reverse(shop, waiting, { amount: 10 }))[2], '20');
  await assertBooksAgree((await service()).db, shop.id);
});

test('a return below zero and one after points have expired say the balance that the member sees', async () => {
  const shop = await makeShop({ ...selling(60), ...rolling(1) });
  await at(shop, '2027-01-10');
  const member = await shop.member();
  await buy(shop, member, 7);
  await at(shop, '2027-02-20');
  const id = await buy(shop, member, 100);
  await exchange(shop, member);
  // Seven points have expired and are not written off, and the days are those of another time zone from now on.
  await shop.apply({ ...selling(60), ...rolling(1), time_zone: 'Pacific/Kiritimati' });
  await at(shop, '2027-03-12');
  const answer = await reverse(shop, id);
  assert.equal(Number(answer.headers.get('x-points-balance')), await pointsOf(shop, member));
  assert.ok(Number(answer.headers.get('x-points-balance')) < 0);
  await assertBooksAgree((await service()).db, shop.id);
});

test('each of many returns at once says the balance right after it', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  const answers = await Promise.all(Array.from({ length: 10 }, () => reverse(shop, id, { amount: 10 })));
  const told = answers.map((answer) => Number(answer.headers.get('x-points-balance')));
  assert.deepEqual(
    told.toSorted((a, b) => a - b),
    [0, 10, 20, 30, 40, 50, 60, 70, 80, 90],
  );
});

test('concurrent returns never take back more than the purchase', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const id = await buy(shop, member, 100);
  const answers = await Promise.all(Array.from({ length: 20 }, () => reverse(shop, id, { amount: 15 })));
  assert.equal(answers.filter((answer) => answer.status === 201).length, 6);
  assert.equal(answers.filter((answer) => answer.status === 400).length, 14);
  assert.equal(await pointsOf(shop, member), 10);
  assert.deepEqual(await figuresOf(shop, member), [10, 10, 1]);
  await assertBooksAgree((await service()).db, shop.id);
});

function rolling(months: number): ProgramFields {
  return { points_expiration: { mode: 'rolling', months }, sandbox: true };
}

function selling(cost: number, fields: ProgramFields = {}): ProgramFields {
  return { benefits: [benefit('coffee', { cost })], ...fields };
}

async function at(shop: Shop, day: string): Promise<void> {
  await setClock((await service()).db, shop.id, new Date(`${day}T10:00:00Z`));
}

async function buy(shop: Shop, member: MadeMember, amount: number): Promise<number> {
  const answer = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  assert.equal(answer.status, 201);
  return Number(answer.headers.get('x-consumption-id'));
}

async function exchange(shop: Shop, member: MadeMember): Promise<void> {
  const { db } = await service();
  await exchangeBenefit(db, { commerceId: shop.id, userId: member.userId, benefitId: 'coffee' });
}

function reverse(shop: Shop, id: number, body: object = {}): Promise<Answer> {
  return shop.post(`/v1/consumptions/${id}/reversal`, body);
}

/** Returns the headers of an answer about the purchase and the balance. */
function saidOf({ headers }: Answer): (string | null)[] {
  return ['x-consumption-id', 'location', 'x-points-balance'].map((name) => headers.get(name));
}

async function reversed(shop: Shop, id: number, amount?: number) {
  const answer = await reverse(shop, id, amount === undefined ? {} : { amount });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as { message: string; amount: number; points: number };
}

async function pointsOf(shop: Shop, member: MadeMember): Promise<unknown> {
  return ((await shop.get(`/v1/clients/${member.code}`)).body as { points: number }).points;
}

async function figuresOf(shop: Shop, member: MadeMember): Promise<number[]> {
  const found = await findMember((await service()).db, { commerceId: shop.id, code: member.code });
  return [found!.figures.points, found!.figures.amount, found!.purchases];
}

async function tierOf(shop: Shop, member: MadeMember): Promise<string | null> {
  const found = await findMember((await service()).db, { commerceId: shop.id, code: member.code });
  return found!.standing.tierId;
}
