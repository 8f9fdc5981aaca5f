/** The report of what purchases earned: equal to the ledger, and to what rules gave by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdminClient, type EarnedFigures, type EarningReport } from '../../../sdk/src/admin.ts';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { SEED } from '#test/random.ts';
import { createRandom } from '#test/create-random.ts';
import { makeStaffKey } from '#test/staff.ts';

const { url } = await service();

const RULES = [
  { id: 'coffee', title: 'Double on coffee', when: { categories: ['coffee'] }, give: { multiply: 2 } },
  { id: 'loaf', title: 'Three for a loaf', when: { products: ['loaf'] }, give: { points: 3, per: 'unit' } },
  { id: 'old', title: 'Old', when: { branches: [2] }, give: { points: 5 } },
];
const PROGRAM = {
  sandbox: true,
  clock: '2027-03-01T06:00:00Z',
  time_zone: 'Europe/Madrid',
  branches: [{ id: 1, name: 'Harbour Street' }],
  earning: { money_per_point: 1, exclude: { categories: ['tobacco'] }, rules: RULES },
};

const PRODUCTS = [
  { product: 'latte', categories: ['coffee', 'hot'] },
  { product: 'loaf', categories: ['bread'] },
  { product: 'cigars', categories: ['tobacco'] },
  { categories: ['coffee'] },
  {},
];

interface Sold {
  readonly amount: number;
  readonly units: number;
  readonly product?: string;
  readonly categories?: readonly string[];
}
interface Bought {
  readonly id: number;
  readonly branch: number | null;
  readonly lines: readonly Sold[] | null;
  readonly at: Date;
}

async function analyst(shop: Shop) {
  const { key } = await makeStaffKey(shop, 'manager');
  return createAdminClient({ baseUrl: url, key });
}

/** Sums by the ledger alone. */
async function readLedger(shop: Shop) {
  const { db } = await service();
  const { rows } = await sql<EarnedFigures>`
    with kept as (
      select coalesce(reverses_id, id) as purchase, sum(amount) as amount, sum(points_earned) as points
        from movements
       where commerce_id = ${shop.id} and type in ('purchase', 'reversal', 'correction')
       group by 1)
    select count(*) filter (where amount > 0)::integer as purchases, sum(amount)::integer as amount, sum(points)::integer as points
      from kept`.execute(db);
  return rows[0]!;
}

const figures = ({ purchases, amount, points }: EarnedFigures) => ({ purchases, amount, points });

function addUp(parts: readonly EarnedFigures[]) {
  const sum = (of: keyof EarnedFigures) => parts.reduce((all, part) => all + part[of], 0);
  return { purchases: sum('purchases'), amount: sum('amount'), points: sum('points') };
}

const allOf = ({ named, others, unnamed }: EarningReport['products']) => [...named, others, unnamed];

test(`the report agrees with the ledger and with the rules by hand, after returns too (seed ${SEED})`, async () => {
  const random = createRandom(SEED);
  const upTo = (end: number) => random.below(end);
  const shop = await makeShop(PROGRAM);
  const member = await shop.member();
  const bought: Bought[] = [];
  const { db } = await service();
  for (let i = 0; i < 40; i++) {
    const lines = Array.from({ length: 1 + upTo(4) }, (): Sold => ({
      ...PRODUCTS[upTo(PRODUCTS.length)],
      amount: 1 + upTo(20),
      units: 1 + upTo(3),
    }));
    const hasLines = upTo(5) > 0;
    const branch = [null, 1, 2][upTo(3)]!;
    const answer = await shop.post('/v1/consumptions/client-code', {
      client_code: member.code,
      amount: lines.reduce((sum, { amount }) => sum + amount, 0),
      id_suc: branch,
      ...(hasLines && { lines: lines.map((line, place) => ({ id: String(place), ...line })) }),
    });
    assert.equal(answer.status, 201);
    const id = Number(answer.headers.get('x-consumption-id'));
    const { rows } = await sql<{ at: Date }>`
      select at from movements where commerce_id = ${shop.id} order by id desc limit 1`.execute(db);
    let kept: readonly Sold[] | null = hasLines ? lines : null;
    if (upTo(4) === 0) {
      assert.equal((await shop.post(`/v1/consumptions/${id}/reversal`, {})).status, 201);
      kept = hasLines ? lines.map((line) => ({ ...line, amount: 0, units: 0 })) : null;
    } else if (hasLines && upTo(3) === 0) {
      // The first line comes back.
      const [{ amount, units }] = lines as [Sold];
      const returned = { lines: [{ id: '0', amount, units }] };
      assert.equal((await shop.post(`/v1/consumptions/${id}/reversal`, returned)).status, 201);
      kept = lines.with(0, { ...lines[0]!, amount: 0, units: 0 });
    }
    bought.push({ id, branch, lines: kept, at: rows[0]!.at });
    if (upTo(3) === 0) await shop.moveClock(`${upTo(30)} hours`);
  }

  const reports = await analyst(shop);
  const range = { from: '2027-02-01', to: '2027-12-31' };
  const report = await reports.getEarningReport(range);
  const ledger = await readLedger(shop);
  assert.deepEqual(report.total, ledger);
  assert.deepEqual(addUp(report.branches), ledger);
  assert.deepEqual(addUp(report.hours), ledger);
  const { purchases: _, ...sums } = addUp(allOf(report.products));
  assert.deepEqual(sums, { amount: ledger.amount, points: ledger.points });

  // By hand: each euro of coffee earns one more, each loaf three, and each purchase at branch 2 five.
  const isIn = (line: Sold, category: string) => line.categories?.includes(category) === true;
  const keptLines = bought.flatMap(({ lines }) => lines ?? []);
  const sumOf = (lines: readonly Sold[], of: 'amount' | 'units') =>
    lines.reduce((sum, line) => sum + line[of], 0);
  const coffee = keptLines.filter((line) => isIn(line, 'coffee'));
  const loaves = keptLines.filter((line) => line.product === 'loaf');
  const gave = (id: string) => report.rules.find((rule) => rule.rule_id === id)!;
  assert.equal(gave('coffee').points, sumOf(coffee, 'amount'));
  assert.equal(gave('coffee').line_amount, sumOf(coffee, 'amount'));
  assert.equal(gave('loaf').points, 3 * sumOf(loaves, 'units'));
  assert.equal(gave('loaf').line_amount, sumOf(loaves, 'amount'));
  for (const name of ['latte', 'loaf', 'cigars']) {
    const found = report.products.named.find((one) => one.name === name);
    const lines = keptLines.filter((line) => line.product === name);
    assert.equal(found?.amount ?? 0, sumOf(lines, 'amount'), name);
  }
  for (const name of ['coffee', 'hot', 'bread', 'tobacco']) {
    const found = report.categories.named.find((one) => one.name === name);
    assert.equal(
      found?.amount ?? 0,
      sumOf(
        keptLines.filter((line) => isIn(line, name)),
        'amount',
      ),
      name,
    );
  }
  assert.deepEqual(
    new Map(report.branches.map(({ branch_id: id, name }) => [id, name])),
    new Map([
      [null, null],
      [1, 'Harbour Street'],
      [2, null],
    ]),
  );
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Madrid',
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  assert.deepEqual(
    new Set(
      report.hours.map(({ weekday, hour }) => `${weekdays[weekday - 1]} ${String(hour).padStart(2, '0')}`),
    ),
    new Set(bought.map(({ at }) => local.format(at).replace(/[^A-Za-z0-9]+/g, ' '))),
  );

  // A rule that ends keeps its figures, and a paused one too.
  const after = {
    ...PROGRAM,
    earning: { ...PROGRAM.earning, rules: [{ ...RULES[0]!, paused: true }, RULES[1]!] },
  };
  await shop.apply(after);
  const later = await reports.getEarningReport(range);
  assert.deepEqual(
    later.rules.map(({ rule_id, state }) => [rule_id, state]),
    [
      ['coffee', 'paused'],
      ['loaf', 'running'],
      ['old', 'gone'],
    ],
  );
  assert.deepEqual(later.rules.map(figures), report.rules.map(figures));

  const file = await (await reports.exportReport('earning', range)).text();
  const [head, all, ...rows] = file.trim().split(/\r?\n/);
  assert.match(head!, /by,id,name,purchases,amount,points$/);
  assert.equal(all, `all,,,${ledger.purchases},${ledger.amount},${ledger.points}`);
  assert.ok(rows.some((row) => row.startsWith('rule,coffee,Double on coffee,')));
  assert.ok(rows.some((row) => row.startsWith('branch,1,Harbour Street,')));
});

test('of overlapping multipliers the one that counts has given the difference, and a cap cuts what rules have given', async () => {
  const shop = await makeShop({
    ...PROGRAM,
    earning: {
      money_per_point: 1,
      cap: { points: 25, per: 'day' },
      rules: [
        { id: 'twice', title: 'Twice', give: { multiply: 2 } },
        { id: 'thrice', title: 'Thrice', give: { multiply: 3 } },
        { id: 'none', title: 'None on gifts', when: { categories: ['gift'] }, give: { multiply: 0 } },
      ],
    },
  });
  const member = await shop.member();
  await shop.sell(member, 5);
  const reports = await analyst(shop);
  const points = async () =>
    (await reports.getEarningReport({ from: '2027-03-01', to: '2027-03-01' })).rules.map(
      (rule) => rule.points,
    );
  // 15 points; without the tripling 10, without the doubling as many.
  assert.deepEqual(await points(), [0, 5, 0]);
  // 10 more are left of the cap of 25, for 24 points. Without the tripling it would be 10 as well.
  await shop.sell(member, 8);
  assert.deepEqual(await points(), [0, 5, 0]);
});

test('money that was carried on is worth the same without the rule', async () => {
  const shop = await makeShop({
    ...PROGRAM,
    earning: {
      money_per_point: 10,
      carry_remainder: true,
      rules: [
        { id: 'visit', title: 'Five for a visit', give: { points: 5 } },
        { id: 'coffee', title: 'Double on coffee', when: { categories: ['coffee'] }, give: { multiply: 2 } },
      ],
    },
  });
  const member = await shop.member();
  // 0 and 5 points, and 9 wait; then 20 count for 2, and 5 more.
  await shop.sell(member, 9);
  await shop.sell(member, 11);
  const reports = await analyst(shop);
  const report = await reports.getEarningReport({ from: '2027-03-01', to: '2027-03-01' });
  assert.equal(report.total.points, 12);
  assert.deepEqual(
    report.rules.map(({ rule_id, points }) => [rule_id, points]),
    [
      ['visit', 10],
      ['coffee', 0],
    ],
  );
});

test('a report of more than a year is refused, and nothing of another shop is in it', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  await other.sell(await other.member(), 50);
  const reports = await analyst(shop);
  await assert.rejects(reports.getEarningReport({ from: '2026-01-01', to: '2027-01-02' }), { status: 422 });
  const report = await reports.getEarningReport({ from: '2026-01-01', to: '2027-01-01' });
  assert.deepEqual(report.total, { purchases: 0, amount: 0, points: 0 });
  assert.deepEqual([report.branches, report.hours, report.products.named], [[], [], []]);
});
