/** Rules of a program by line, time, place and buyer, through the interface. The figures are computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommerce } from '#commerces/commerce.ts';
import { createKey } from '#commerces/api-keys.ts';
import { sql, transaction, type Tx } from '#db/database.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { askWhatIf } from '#what-if/what-if.ts';
import { assertBooksAgree } from '#test/books.ts';
import { countingDatabase } from '#test/count-statements.ts';
import { expectTampering } from '#test/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { storedPurchaseId } from '#test/stored-id.ts';
import { deleteOldPurchaseLines } from '#purchases/purchase-lines.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { NOWHERE } from '#points/purchase-facts.ts';

const { db } = await service();

/** A Tuesday, 08:00 in Madrid. */
const TUESDAY = '2027-03-02T07:00:00Z';

const COFFEE = {
  id: 'coffee',
  title: 'Double on coffee',
  when: { categories: ['coffee'], hours: { from: '07:00', to: '10:00' } },
  give: { multiply: 2 },
};

const BREAKFAST = [
  { id: '1', product: 'latte', categories: ['coffee'], units: 2, amount: 7 },
  { id: '2', product: 'croissant', categories: ['bakery'], amount: 4 },
  { id: '3', product: 'cigarettes', categories: ['tobacco'], amount: 6 },
];

function cafe(earning: ProgramFields = {}, fields: ProgramFields = {}): Promise<Shop> {
  return makeShop({
    sandbox: true,
    clock: TUESDAY,
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1, exclude: { categories: ['tobacco'] }, rules: [COFFEE], ...earning },
    ...fields,
  });
}

const earned = (answer: Answer) => {
  assert.equal(answer.status, 201, answer.text);
  return Number(answer.headers.get('x-points-earned'));
};
const buy = (shop: Shop, { code }: MadeMember, amount: number, more: object = {}) =>
  shop.post('/v1/consumptions/client-code', { client_code: code, amount, ...more });
const balanceOf = async (shop: Shop, { code }: MadeMember) =>
  ((await shop.get(`/v1/clients/${code}`)).body as { points: number }).points;
const reverse = (shop: Shop, answer: Answer, body: object = {}) =>
  shop.post(`/v1/consumptions/${answer.headers.get('x-consumption-id')}/reversal`, body);

test('each line counts by its own rule, what is excluded earns nothing, and the preview says the same', async () => {
  const shop = await cafe();
  const member = await shop.member();
  const bought = { client_code: member.code, amount: 17, lines: BREAKFAST, channel: 'counter' };
  const preview = await shop.post('/v1/consumptions/preview', bought);
  // 7 × 2 + 4 + 6 × 0 = 18
  const words = '7 × 2 (Double on coffee) + 4 + 6 × 0 (earns nothing) = 18; 18 ÷ 1 = 18 points.';
  assert.deepEqual(preview.body, {
    points: 18,
    base_points: 18,
    double_points: false,
    level_multiplier: 1,
    explanation: words,
  });
  const answer = await shop.post('/v1/consumptions/client-code', bought);
  assert.equal(earned(answer), 18);
  const read = await shop.get(`/v1/consumptions/${answer.headers.get('x-consumption-id')}`);
  const { explanation, points } = read.body as { explanation: string; points: number };
  assert.deepEqual([explanation, points], [words, 18]);
  // Without lines the whole amount is one line of no product.
  assert.equal(earned(await buy(shop, member, 17)), 17);
  const byEmail = { client_email: member.email, amount: 17, lines: BREAKFAST };
  assert.equal(earned(await shop.post('/v1/consumptions/email', byEmail)), 18);
  await shop.moveClock('2 hours');
  assert.equal(earned(await buy(shop, member, 17, { lines: BREAKFAST })), 11);
  await assertBooksAgree(db, shop.id);
});

test('the order is one floor, double points, the tier, and what rules add', async () => {
  const shop = await cafe(
    {
      money_per_point: 3,
      double_points: [{ from: '2027-03-01T00:00:00Z', to: '2027-03-03T00:00:00Z' }],
      rules: [
        { ...COFFEE, give: { multiply: 1.5 } },
        { id: 'visit', title: 'A visit', give: { points: 5 } },
        {
          id: 'stamp',
          title: 'Each coffee',
          when: { categories: ['coffee'] },
          give: { points: 3, per: 'unit' },
        },
      ],
    },
    { levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 0, points_multiplier: 1.25 }] } },
  );
  const member = await shop.member();
  // floor((7 × 1.5 + 4) ÷ 3) = floor(14.5 ÷ 3) = 4; × 2 = 8; × 1.25 = 10; + 5 + 2 × 3 = 21
  const answer = await buy(shop, member, 17, { lines: BREAKFAST });
  assert.equal(earned(answer), 21);
  // The latte comes back: floor(4 ÷ 3) = 1; × 2 = 2; × 1.25 = 2; + 5 = 7
  const back = await reverse(shop, answer, { lines: [{ id: '1', amount: 7, units: 2 }] });
  assert.deepEqual(back.body, { message: 'consumption reversed', amount: 7, points: 14 });
  assert.equal(await balanceOf(shop, member), 7);
  await reverse(shop, answer);
  assert.equal(await balanceOf(shop, member), 0);
  await assertBooksAgree(db, shop.id);
});

test('pieces without lines come back in proportion and add up to the whole, after the rule is gone', async () => {
  const shop = await cafe();
  const member = await shop.member();
  const answer = await buy(shop, member, 17, { lines: BREAKFAST });
  await shop.apply({ sandbox: true, time_zone: 'Europe/Madrid', earning: { money_per_point: 10 } });
  // 5 of 7, 4, 6: 2.06, 1.18, 1.76 is 2, 1, 2. Left: 5 × 2 + 3 = 13.
  assert.deepEqual((await reverse(shop, answer, { amount: 5 })).body, {
    message: 'consumption reversed',
    amount: 5,
    points: 5,
  });
  // 5 of 5, 3, 4: 2.08, 1.25, 1.67 is 2, 1, 2. Left: 3 × 2 + 2 = 8.
  assert.equal(((await reverse(shop, answer, { amount: 5 })).body as { points: number }).points, 5);
  assert.equal(((await reverse(shop, answer)).body as { points: number }).points, 8);
  assert.equal(await balanceOf(shop, member), 0);
  await assertBooksAgree(db, shop.id);
});

test('a return of lines names lines of the purchase, and no more than is left of them', async () => {
  const shop = await cafe();
  const member = await shop.member();
  const answer = await buy(shop, member, 17, { lines: BREAKFAST });
  const refused = async (body: object) => {
    const { status, headers, text } = await reverse(shop, answer, body);
    return [status, headers.get('x-error-code'), text];
  };
  assert.match(String(await refused({ lines: [{ id: '9', amount: 1 }] })), /400,invalid_amount,.*no line 9/);
  assert.match(String(await refused({ lines: [{ id: '1', amount: 8 }] })), /7 and 2 units left/);
  assert.match(
    String(await refused({ amount: 5, lines: [{ id: '1', amount: 4 }] })),
    /are 4 together, and amount is 5/,
  );
  const without = await buy(shop, member, 17);
  assert.match(
    (await reverse(shop, without, { lines: [{ id: '1', amount: 4 }] })).text,
    /lines are not known/,
  );
  assert.equal((await reverse(shop, answer, { lines: [{ id: '1', amount: 4 }] })).status, 201);
  assert.match((await reverse(shop, answer, { lines: [{ id: '1', amount: 4 }] })).text, /3 and 1 units left/);
});

test('lines that do not add up are a 400, a line named twice is a 422, and a long body is read', async () => {
  const shop = await cafe();
  const member = await shop.member();
  const wrong = await buy(shop, member, 18, { lines: BREAKFAST });
  assert.deepEqual([wrong.status, wrong.headers.get('x-error-code')], [400, 'invalid_amount']);
  assert.match(wrong.text, /lines are 17 together, and amount is 18/);
  assert.equal((await buy(shop, member, 14, { lines: [BREAKFAST[0], BREAKFAST[0]] })).status, 422);
  const many = Array.from({ length: 100 }, (_, i) => ({
    id: `line ${i}`,
    product: `product ${i}`.padEnd(64, '.'),
    categories: ['coffee', 'c'.repeat(64), 'd'.repeat(64), 'e'.repeat(64)],
    amount: 1,
  }));
  assert.equal(earned(await buy(shop, member, 100, { lines: many })), 200);
  assert.equal(
    (await buy(shop, member, 101, { lines: [...many, { id: 'one more', amount: 1 }] })).status,
    422,
  );
});

test('where lines are required, a purchase without them is recorded and earns nothing', async () => {
  const shop = await cafe({ lines: 'required' });
  const member = await shop.member();
  assert.equal(earned(await buy(shop, member, 17)), 0);
  assert.equal(earned(await buy(shop, member, 17, { lines: BREAKFAST })), 18);
  await assertBooksAgree(db, shop.id);
});

test('a limit holds against many purchases at once, and only a whole return frees it', async () => {
  const shop = await cafe({
    exclude: {},
    rules: [{ id: 'daily', title: 'Once a day', give: { points: 100 }, limit: { times: 1, per: 'day' } }],
  });
  const member = await shop.member();
  const answers = await Promise.all(Array.from({ length: 30 }, () => buy(shop, member, 1)));
  const points = answers.map(earned).toSorted((a, b) => a - b);
  assert.deepEqual(points, [...Array.from({ length: 29 }, () => 1), 101]);
  const first = answers.find((answer) => earned(answer) === 101)!;
  assert.equal(earned(await buy(shop, member, 2)), 2);
  await reverse(shop, first);
  const again = await buy(shop, member, 2);
  assert.equal(earned(again), 102);
  await reverse(shop, again, { amount: 1 });
  assert.equal(earned(await buy(shop, member, 2)), 2);
  await shop.moveClock('1 day');
  assert.equal(earned(await buy(shop, member, 2)), 102);
  // Several of one person in one transaction.
  const other = await shop.member();
  const outcomes = await transaction(db, (tx) =>
    recordPurchases(
      tx,
      [1, 2, 3].map((amount) => ({ commerceId: shop.id, buyer: { code: other.code }, ...NOWHERE, amount })),
    ),
  );
  assert.deepEqual(
    outcomes.map((outcome) => outcome.recorded && outcome.pointsEarned),
    [101, 2, 3],
  );
  await assertBooksAgree(db, shop.id);
});

test('the first purchase, the first days, the tier, the branch and the channel', async () => {
  const give = (points: number) => ({ give: { points } });
  const shop = await cafe(
    {
      exclude: {},
      rules: [
        { id: 'first', title: 'First', when: { first_purchase: true }, ...give(1_000) },
        { id: 'week', title: 'First week', when: { joined_days: 7 }, ...give(100) },
        { id: 'gold', title: 'Gold', when: { levels: ['gold'] }, ...give(10_000) },
        { id: 'new', title: 'Harbour', when: { branches: [3], registers: [1, 2] }, ...give(10) },
        { id: 'web', title: 'Web', when: { channels: ['web'] }, ...give(100_000) },
      ],
    },
    { levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 1_000_000 }] } },
  );
  const member = await shop.member();
  assert.equal(earned(await buy(shop, member, 1, { id_suc: 3, counter_id: 2 })), 1_111);
  assert.equal(earned(await buy(shop, member, 1, { id_suc: 3, counter_id: 9, channel: 'web' })), 100_101);
  await shop.moveClock('7 days');
  assert.equal(earned(await buy(shop, member, 1, { id_suc: 3 })), 1);
  // Leaving and coming back makes nobody new.
  await shop.leave(member);
  await (await shop.browser(member)).post('/v1/me/subscription');
  assert.equal(earned(await buy(shop, member, 999_000)), 999_000);
  assert.equal(earned(await buy(shop, member, 1)), 10_001);
  await assertBooksAgree(db, shop.id);
});

test('a visitor is told what everybody would earn, by the public rules alone', async () => {
  const shop = await cafe({
    exclude: {},
    rules: [
      COFFEE,
      { id: 'secret', title: 'Secret', public: false, give: { multiply: 9 } },
      { id: 'first', title: 'First', when: { first_purchase: true }, give: { points: 1_000 } },
      { id: 'once', title: 'Once', give: { points: 1_000 }, limit: { times: 9, per: 'ever' } },
    ],
  });
  const { status, body } = await call('POST', '/v1/public/earning-preview', {
    headers: { 'x-commerce-id': String(shop.id) },
    body: { amount: 17, lines: BREAKFAST },
  });
  assert.equal(status, 200);
  assert.equal((body as { points: number }).points, 24);
});

test('what earns more now and next is public, in words and fields', async () => {
  const shop = await cafe({
    rules: [
      COFFEE,
      { id: 'secret', title: 'Secret', public: false, give: { multiply: 9 } },
      { id: 'paused', title: 'Paused', paused: true, give: { multiply: 9 } },
      { id: 'later', title: 'Later', from: '2027-03-20T00:00:00Z', give: { multiply: 9 } },
      { id: 'over', title: 'Over', to: TUESDAY, give: { multiply: 9 } },
      {
        id: 'night',
        title: 'Late show',
        when: { weekdays: ['friday'], hours: { from: '22:00', to: '02:00' }, min_amount: 20 },
        give: { points: 10 },
        limit: { times: 1, per: 'week' },
        to: '2027-06-30T22:00:00Z',
      },
    ],
  });
  const { body, status } = await shop.visit('/v1/public/earning');
  assert.equal(status, 200);
  const { rules } = body as { rules: Record<string, unknown>[] };
  const shown = rules.map(({ id, text, is_open, opens_at, closes_at }) => ({
    id,
    text,
    is_open,
    opens_at,
    closes_at,
  }));
  assert.deepEqual(shown, [
    {
      id: 'coffee',
      text: {
        en: 'points × 2 on coffee, from 07:00 to 10:00',
        es: 'puntos × 2 en coffee, de 07:00 a 10:00',
      },
      is_open: true,
      opens_at: null,
      closes_at: '2027-03-02T09:00:00.000Z',
    },
    {
      id: 'night',
      text: {
        en: '10 points more, Friday, from 22:00 to 02:00, from €20, at most once a week, until June 30, 2027',
        es: '10 puntos más, viernes, de 22:00 a 02:00, desde 20\u00a0€, como máximo una vez a la semana, hasta el 30 de junio de 2027',
      },
      is_open: false,
      opens_at: '2027-03-05T21:00:00.000Z',
      closes_at: '2027-03-06T01:00:00.000Z',
    },
  ]);
  assert.deepEqual(rules[1]!['give'], { multiply: null, points: 10, per: 'purchase' });
});

test('the fields of a public rule say all that it asks besides the time', async () => {
  const when = {
    products: ['latte'],
    categories: ['coffee'],
    channels: ['till'],
    branches: [3],
    registers: [7],
    levels: ['gold'],
    first_purchase: true,
    min_amount: 20,
    joined_days: 30,
  };
  const levels = { ladder: [{ id: 'gold', name: 'Gold', threshold: 0 }] };
  const shop = await cafe(
    { rules: [{ ...COFFEE, when: { ...when, weekdays: ['tuesday'] }, give: { multiply: 3 } }] },
    { levels },
  );
  const { body } = await shop.visit('/v1/public/earning');
  const [rule] = (body as { rules: { when: object }[] }).rules;
  assert.deepEqual(rule!.when, when);
  const { program } = (await readCommerce(db, shop.id))!;
  const { weekdays: _weekdays, hours: _hours, ...others } = program.earning.rules[0]!.when;
  assert.deepEqual(Object.keys(rule!.when).toSorted(), Object.keys(others).toSorted());
});

test('an order earns by its lines, and its returned lines take back what they earned', async () => {
  const shop = await cafe();
  const member = await shop.member();
  const { key } = await createKey(db, shop.id, 'web shop', { scopes: KEY_SCOPES });
  const put = (state: object) =>
    call('PUT', '/v1/orders/order-1', {
      headers: { authorization: `Bearer ${key}` },
      body: {
        client_code: member.code,
        status: 'paid',
        paid: 17,
        refunded: 0,
        codes: [],
        version: 1,
        lines: BREAKFAST,
        ...state,
      },
    });
  const pointsOf = (answer: Answer) => (answer.body as { points: number }).points;
  assert.equal(pointsOf(await put({})), 18);
  const [latte, ...others] = BREAKFAST;
  const returned = {
    refunded: 7,
    version: 2,
    lines: [{ ...latte, returned_units: 2, returned_amount: 7 }, ...others],
  };
  assert.equal(pointsOf(await put(returned)), 4);
  // Two more were paid than was said first: in proportion to what was sold, 0.8, 0.5 and 0.7 is 1, 0 and 1.
  assert.equal(pointsOf(await put({ paid: 19, refunded: 7, version: 3, lines: null })), 6);
  assert.equal(
    pointsOf(await put({ status: 'cancelled', refunded: 19, paid: 19, version: 4, lines: null })),
    0,
  );
  assert.equal(await balanceOf(shop, member), 0);
  await assertBooksAgree(db, shop.id);
});

test('units of an order that the shop does not count go with their money, unless it says that none came back', async () => {
  const perLoaf = {
    id: 'bread',
    title: 'Points for bread',
    when: { products: ['loaf'] },
    give: { points: 3, per: 'unit' },
  };
  const shop = await cafe({ exclude: {}, rules: [perLoaf] });
  const { key } = await createKey(db, shop.id, 'web shop', { scopes: KEY_SCOPES });
  const loaf = { id: '1', product: 'loaf', units: 2, amount: 10 };
  const other = { id: '2', product: 'jam', amount: 10 };
  const afterReturn = async (...states: { refunded: number; lines: object[] }[]) => {
    const member = await shop.member();
    const answers: number[] = [];
    for (const [i, state] of [{ refunded: 0, lines: [loaf, other] }, ...states].entries()) {
      const answer = await call('PUT', `/v1/orders/order-of-${member.code}`, {
        headers: { authorization: `Bearer ${key}` },
        body: { client_code: member.code, status: 'paid', paid: 20, codes: [], version: i + 1, ...state },
      });
      assert.equal(answer.status, i === 0 ? 201 : 200, answer.text);
      answers.push((answer.body as { points: number }).points);
    }
    return answers;
  };
  const back = (returned: object) => [{ ...loaf, ...returned }, other];

  assert.deepEqual(await afterReturn({ refunded: 10, lines: back({ returned_amount: 10 }) }), [26, 10]);
  assert.deepEqual(
    await afterReturn({ refunded: 10, lines: back({ returned_amount: 10, returned_units: null }) }),
    [26, 10],
  );
  // Half of a loaf was paid back, so its whole is still there.
  assert.deepEqual(
    await afterReturn(
      { refunded: 2, lines: back({ returned_amount: 2 }) },
      { refunded: 5, lines: back({ returned_amount: 5 }) },
    ),
    [26, 24, 18],
  );
  assert.deepEqual(
    await afterReturn({ refunded: 10, lines: back({ returned_amount: 10, returned_units: 0 }) }),
    [26, 16],
  );
  // What was counted once stays counted.
  assert.deepEqual(
    await afterReturn(
      { refunded: 2, lines: back({ returned_amount: 2, returned_units: 2 }) },
      { refunded: 4, lines: back({ returned_amount: 4 }) },
    ),
    [26, 18, 16],
  );
  await assertBooksAgree(db, shop.id);
});

test('what was bought is exported, deleted with the person, and in no event', async () => {
  const shop = await cafe();
  const member = await shop.member();
  await buy(shop, member, 17, { lines: BREAKFAST });
  const rows = async () =>
    (await sql`select from purchase_lines where commerce_id = ${shop.id}`.execute(db)).rows.length;
  const { rows: snapshots } = await sql<{ text: string }>`
    select snapshot::text as text from movements where commerce_id = ${shop.id}`.execute(db);
  assert.ok(snapshots.every(({ text }) => !/latte|croissant|cigarettes/.test(text)));
  assert.equal(await rows(), 1);
  await shop.erase(member);
  assert.equal(await rows(), 0);
  await assertBooksAgree(db, shop.id);
});

test('lines are deleted when they are old, and the books check what does not need them', async () => {
  const shop = await cafe();
  const member = await shop.member();
  const answer = await buy(shop, member, 17, { lines: BREAKFAST });
  await sql`
    update purchase_lines set stored_at = now() - interval '25 months' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await deleteOldPurchaseLines(db, 0);
  await deleteOldPurchaseLines(db, 26);
  const rows = async () =>
    (await sql`select from purchase_lines where commerce_id = ${shop.id}`.execute(db)).rows.length;
  assert.equal(await rows(), 1);
  await deleteOldPurchaseLines(db, 24);
  assert.equal(await rows(), 0);
  await assertBooksAgree(db, shop.id);
  assert.match(
    (await reverse(shop, answer, { lines: [{ id: '1', amount: 4 }] })).text,
    /lines are not known/,
  );
  assert.equal(((await reverse(shop, answer, { amount: 5 })).body as { points: number }).points, 5);
  await reverse(shop, answer);
  assert.equal(await balanceOf(shop, member), 0);
  await assertBooksAgree(db, shop.id);
});

test('tampering with what a rule gave is found', async () => {
  const shop = await cafe({
    exclude: { categories: ['tobacco'] },
    rules: [
      COFFEE,
      { id: 'visit', title: 'Visit', give: { points: 5 }, limit: { times: 1, per: 'day' } },
      { id: 'big', title: 'Big', when: { min_amount: 10 }, give: { points: 5 } },
    ],
  });
  const member = await shop.member();
  const id = await storedPurchaseId(await buy(shop, member, 17, { lines: BREAKFAST }));
  expectTampering(shop.id);
  const changed = async (path: string, value: unknown) => {
    const from = sql`snapshot = jsonb_set(snapshot, ${`{${path}}`}::text[], ${JSON.stringify(value)}::jsonb)`;
    return findings(shop, sql`update movements set ${from} where commerce_id = ${shop.id} and id = ${id}`);
  };
  // The places: lines, [kind, points, price, multiplied, excluded]; added, [kind, points, added].
  for (const [path, value] of [
    ['factors,0,3,0,4', [1]],
    ['factors,0,3,0,2', 3000],
    ['factors,0,4', []],
    ['factors,0,3,0,0', 'tea'],
    ['factors,1,2,0,2', 6],
    ['factors,1,2,0,0', 'big'],
    ['factors,1,2', []],
    ['used', []],
    ['used', ['big']],
    ['lines,0,0', 8],
    ['lines,0,1', 3],
    ['lines', [[17, 1]]],
  ] as const)
    assert.notDeepEqual(await changed(path, value), [], path);
  const lines = sql`update purchase_lines set lines = jsonb_set(lines, '{1,categories}', '["coffee"]') where commerce_id = ${shop.id}`;
  assert.notDeepEqual(await findings(shop, lines), []);
  await assertBooksAgree(db, shop.id);
});

/** Returns what the books find after a change, which is then undone. */
async function findings(shop: Shop, change: ReturnType<typeof sql>): Promise<readonly string[]> {
  const asSuperuser = (work: (tx: Tx) => Promise<unknown>) =>
    transaction(db, async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await work(tx);
    });
  const kept = await sql<{ id: number; snapshot: string }>`
    select id, snapshot::text as snapshot from movements where commerce_id = ${shop.id}`.execute(db);
  const lines = await sql<{ id: number; lines: string }>`
    select purchase_id as id, lines::text as lines from purchase_lines where commerce_id = ${shop.id}`.execute(
    db,
  );
  await asSuperuser((tx) => change.execute(tx));
  const { differences } = await verifyLedger(db, { commerceIds: [shop.id] });
  await asSuperuser(async (tx) => {
    for (const row of kept.rows)
      await sql`
        update movements set snapshot = ${row.snapshot}::jsonb
         where commerce_id = ${shop.id} and id = ${row.id}`.execute(tx);
    for (const row of lines.rows)
      await sql`
        update purchase_lines set lines = ${row.lines}::jsonb
         where commerce_id = ${shop.id} and purchase_id = ${row.id}`.execute(tx);
  });
  return differences.map(({ invariant }) => invariant);
}

test('a what-if of these rules comes to what happened at a shop that had them', async () => {
  const earning = {
    money_per_point: 2,
    exclude: { categories: ['tobacco'] },
    rules: [
      COFFEE,
      { id: 'first', title: 'First', when: { first_purchase: true }, give: { points: 50 } },
      { id: 'web', title: 'Web', when: { channels: ['web'], min_amount: 10 }, give: { multiply: 3 } },
      { id: 'unit', title: 'Each', when: { products: ['croissant'] }, give: { points: 4, per: 'unit' } },
      { id: 'once', title: 'Once', give: { points: 9 }, limit: { times: 1, per: 'week' } },
    ],
  };
  const play = async (shop: Shop) => {
    const member = await shop.member();
    const first = await buy(shop, member, 17, { lines: BREAKFAST });
    const second = await buy(shop, member, 17, { lines: BREAKFAST, channel: 'web' });
    await reverse(shop, second, { amount: 6 });
    await shop.moveClock('3 hours');
    await buy(shop, member, 25, { channel: 'web' });
    await reverse(shop, first, { lines: [{ id: '2', amount: 4, units: 1 }] });
    await reverse(shop, first);
    await buy(shop, member, 9, { lines: [{ id: '1', product: 'croissant', units: 3, amount: 9 }] });
    await shop.moveClock('1 day');
    return balanceOf(shop, member);
  };
  const [plain, ruled] = [await cafe({ exclude: {}, rules: [] }), await cafe(earning)];
  await play(plain);
  const balance = await play(ruled);
  const { program } = (await readCommerce(db, ruled.id))!;
  const { program: own } = (await readCommerce(db, plain.id))!;
  const said = await askWhatIf(db, {
    commerceId: plain.id,
    program: { ...own, earning: program.earning },
    from: '2027-03-02',
    to: '2027-03-02',
  });
  const { rows } = await sql<{ earned: number; back: number }>`
    select sum(points_earned) filter (where type = 'purchase')::bigint as earned,
           -sum(points_earned) filter (where type = 'reversal')::bigint as back
      from movements where commerce_id = ${ruled.id}`.execute(db);
  assert.deepEqual([said.points.earned.now, said.points.takenBack.now], [rows[0]!.earned, rows[0]!.back]);
  assert.equal(said.points.earned.now - said.points.takenBack.now, balance);
  await assertBooksAgree(db, ruled.id);
});

test('a cap cuts what is above it, and a return frees what it took', async () => {
  const shop = await cafe({ exclude: {}, rules: [COFFEE], cap: { points: 100, per: 'day' } });
  const member = await shop.member();
  const first = await buy(shop, member, 70);
  assert.equal(earned(first), 70);
  const second = await buy(shop, member, 40, { lines: [{ ...BREAKFAST[0], amount: 40 }] });
  assert.equal(earned(second), 30);
  const { body } = await shop.get(`/v1/consumptions/${second.headers.get('x-consumption-id')}`);
  assert.equal(
    (body as { explanation: string }).explanation,
    '40 × 2 (Double on coffee) = 80; 80 ÷ 1 = 80 points; at most 100 a day: 30 points.',
  );
  assert.equal(earned(await buy(shop, member, 5)), 0);
  await reverse(shop, first, { amount: 20 });
  assert.equal(earned(await buy(shop, member, 50)), 20);
  // Of 40 are 20 kept, which would earn 40: still 30.
  await reverse(shop, second, { amount: 20 });
  assert.equal(await balanceOf(shop, member), 100);
  await reverse(shop, second, { amount: 10 });
  assert.equal(await balanceOf(shop, member), 90);
  await shop.moveClock('1 day');
  const answers = await Promise.all(Array.from({ length: 12 }, () => buy(shop, member, 10)));
  assert.equal(
    answers.map(earned).reduce((sum, points) => sum + points, 0),
    100,
  );
  await assertBooksAgree(db, shop.id);
});

test('a purchase of a program without rules sends no further statement, and one with a limit sends one', async () => {
  const counting = await countingDatabase();
  const shopOf = async (earning: ProgramFields) => {
    const shop = await cafe({ exclude: {}, rules: [], ...earning });
    const member = await shop.member();
    const record = (amount: number) =>
      transaction(counting.db, (tx) =>
        recordPurchases(tx, [{ commerceId: shop.id, buyer: { code: member.code }, ...NOWHERE, amount }]),
      );
    await record(1);
    return (await counting.count(() => record(2))).names;
  };
  const plain = await shopOf({});
  assert.deepEqual(await shopOf({ rules: [COFFEE] }), plain);
  const limit = { times: 3, per: 'day' };
  const limited = await shopOf({ rules: [{ ...COFFEE, limit }] });
  assert.deepEqual(
    limited.filter((name) => name !== 'read-past-purchases'),
    plain,
  );
  assert.equal(limited.length, plain.length + 1);
  const ever = await shopOf({ rules: [{ ...COFFEE, limit: { times: 3, per: 'ever' } }] });
  assert.deepEqual(
    ever.filter((name) => name !== 'read-uses-of-rules'),
    plain,
  );
  assert.equal(ever.length, plain.length + 1);
});

test('a limit for ever counts uses of any age, those under another limit before too, and a cap of a day beside it its day', async () => {
  const rule = { ...COFFEE, when: {}, give: { points: 10 } };
  const limited = (times: number, per: string) => ({ rules: [{ ...rule, limit: { times, per } }] });
  const shop = await cafe({ exclude: {}, ...limited(1, 'month') });
  const member = await shop.member();
  assert.deepEqual([earned(await buy(shop, member, 5)), earned(await buy(shop, member, 5))], [15, 5]);
  await shop.moveClock('40 days');
  await shop.apply({
    sandbox: true,
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1, ...limited(2, 'ever'), cap: { points: 18, per: 'day' } },
  });
  assert.deepEqual([earned(await buy(shop, member, 5)), earned(await buy(shop, member, 5))], [15, 3]);
  await shop.moveClock('400 days');
  assert.equal(earned(await buy(shop, member, 5)), 5);
  await assertBooksAgree(db, shop.id);
});

test('a purchase to which a rule gave nothing leaves its limit to the next one, and the books know how it was counted before', async () => {
  const limit = { times: 1, per: 'week' };
  const shop = await cafe({
    exclude: {},
    rules: [
      { ...COFFEE, when: { categories: ['coffee'] }, limit },
      { id: 'visit', title: 'Visit', when: { channels: ['web'] }, give: { points: 10 }, limit },
    ],
    cap: { points: 100, per: 'day' },
  });
  const member = await shop.member();
  const coffee = (amount: number) => [
    { id: '1', categories: ['coffee'], amount },
    { id: '2', amount: 100 - amount },
  ];
  const free = await buy(shop, member, 100, { lines: coffee(0) });
  const above = await buy(shop, member, 5, { channel: 'web' });
  assert.deepEqual([earned(free), earned(above)], [100, 0]);
  // As earlier releases counted.
  expectTampering(shop.id);
  const counted = async (answer: Answer, id: string) =>
    findings(
      shop,
      sql`update movements set snapshot = snapshot || ${JSON.stringify({ used: [id] })}::jsonb
           where commerce_id = ${shop.id} and id = ${await storedPurchaseId(answer)}`,
    );
  assert.deepEqual([await counted(free, 'coffee'), await counted(above, 'visit')], [[], []]);
  assert.notDeepEqual(await counted(free, 'visit'), []);
  await shop.moveClock('1 day');
  assert.equal(earned(await buy(shop, member, 7, { channel: 'web', lines: [{ ...BREAKFAST[0] }] })), 24);
  assert.equal(earned(await buy(shop, member, 7, { channel: 'web', lines: [{ ...BREAKFAST[0] }] })), 7);
  await assertBooksAgree(db, shop.id);
});
