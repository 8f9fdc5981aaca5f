/** The reports of the back office, as managers, owners and their programs read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdminClient, type ReportLink } from '../../../sdk/src/admin.ts';
import { service } from '#test/harness.ts';
import { runJob } from '#jobs/run-jobs.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { makeStaffKey } from '#test/staff.ts';

const { url } = await service();

const PROGRAM = {
  sandbox: true,
  clock: '2027-03-15T10:00:00Z',
  points_expiration: { mode: 'rolling', months: 2 },
  levels: {
    ladder: [
      { id: 'bronze', name: 'Bronze', threshold: 0 },
      { id: 'gold', name: 'Gold', threshold: 500 },
    ],
  },
  benefits: [
    benefit('coffee', { cost: 100, buy_limit: 10 }),
    benefit('hello', { benefit_type: 'welcome', cost: 0 }),
  ],
  rewards: { welcome: { benefit: 'hello' } },
};

/** A manager's program, which reads reports. */
async function analyst(shop: Shop) {
  const { key } = await makeStaffKey(shop, 'manager');
  return createAdminClient({ baseUrl: url, key });
}

test('each figure of a report can be followed to the lines that it adds up', async () => {
  const shop = await makeShop(PROGRAM);
  const [eva, ann] = [await shop.member('eva'), await shop.member('ann')];
  await shop.sell(eva, 600);
  await shop.sell(ann, 40);
  await shop.voucher(eva, 'coffee');
  await shop.moveClock('80 days');
  await shop.sell(ann, 25);
  const reports = await analyst(shop);
  const days = { from: '2027-03-01', to: '2027-06-30' };
  const range = { ...days, by: 'month' } as const;

  const points = await reports.getPointsReport(range);
  assert.deepEqual(points.range, {
    ...range,
    before_from: '2026-11-01',
    before_to: '2027-02-28',
    today: '2027-06-03',
  });
  assert.deepEqual(
    points.periods.map(({ from, to, figures }) => [from, to, figures.earned, figures.spent, figures.expired]),
    [
      ['2027-03-01', '2027-03-31', 640, 100, 0],
      ['2027-04-01', '2027-04-30', 0, 0, 0],
      ['2027-05-01', '2027-05-31', 0, 0, 540],
      ['2027-06-01', '2027-06-30', 25, 0, 0],
    ],
  );
  assert.equal(points.total.change, 25);
  for (const [figure, link] of Object.entries(points.links)) {
    if (link?.list !== 'movements') continue;
    const { results } = await reports.listReportMovements({
      kind: link.kind,
      from: range.from,
      to: range.to,
    });
    const sum = results.reduce((sum, { points }) => sum + points, 0);
    assert.equal(Math.abs(sum), points.total[figure as keyof typeof points.total], figure);
  }

  const members = await reports.getMembersReport(range);
  assert.deepEqual(members.total, { joined: 2, left: 0, active: 2, first_time: 2, members: 2 });
  assert.deepEqual(
    members.periods.map(({ figures }) => [figures.active, figures.first_time]),
    [
      [2, 2],
      [0, 0],
      [0, 0],
      [1, 0],
    ],
  );
  const joined = await reports.listReportPeople({ kind: 'joined', from: '2027-03-01', to: '2027-03-31' });
  assert.deepEqual(
    joined.results.map(({ member }) => member.client_code),
    [ann.code, eva.code],
  );

  const purchases = await reports.getPurchasesReport(range);
  assert.deepEqual(purchases.total, {
    purchases: 3,
    amount: 665,
    returns: 0,
    returned_amount: 0,
    net_amount: 665,
    average_amount: 222,
  });

  const liability = await reports.getLiabilityReport(range);
  assert.deepEqual(
    liability.periods.map(({ figures }) => figures.outstanding),
    [540, 540, 0, 25],
  );
  assert.deepEqual(liability.total, { outstanding: 25, broken: 540, spent: 100, breakage_percent: 84.4 });
  assert.deepEqual(liability.now, {
    points: 25,
    holders: 1,
    debt: 0,
    debtors: 0,
    never_end: 0,
    waiting: 0,
  });
  assert.deepEqual(liability.endings, [{ from: '2027-08-01', to: '2027-08-31', points: 25, holders: 1 }]);
  const ending = await reports.listReportPeople({ kind: 'ending', from: '2027-08-01', to: '2027-08-31' });
  assert.deepEqual(
    ending.results.map(({ member, day, points }) => [member.client_code, day, points]),
    [[ann.code, '2027-08-03', 25]],
  );

  const benefits = await reports.getBenefitsReport(range);
  assert.deepEqual(benefits.total, { issued: 3, bought: 1, given: 2, points: 100, used: 0, given_back: 0 });
  assert.deepEqual(
    benefits.benefits.map(({ benefit_id, left_in_stock, total }) => [
      benefit_id,
      left_in_stock,
      total.issued,
    ]),
    [
      ['coffee', 9, 1],
      ['hello', null, 2],
    ],
  );
  const given = await reports.listReportPeople({ kind: 'given', ...days, benefit_id: 'hello' });
  assert.equal(given.results.length, 2);

  const levels = await reports.getLevelsReport(range);
  assert.deepEqual(
    levels.levels.map(({ level_id, members, percent, reached }) => [level_id, members, percent, reached]),
    [
      [null, 0, 0, 0],
      ['bronze', 1, 50, 1],
      ['gold', 1, 50, 1],
    ],
  );
  const gold = await reports.listReportPeople({ kind: 'reached', ...days, level_id: 'gold' });
  assert.deepEqual(
    gold.results.map(({ member, title }) => [member.client_code, title]),
    [[eva.code, 'Gold']],
  );
});

test('a list of a report goes on page by page, without a line twice or left out', async () => {
  const shop = await makeShop(PROGRAM);
  const members = await Promise.all(Array.from({ length: 60 }, () => shop.member()));
  for (const member of members) await shop.sell(member, 10);
  await shop.moveClock('80 days');
  const reports = await analyst(shop);
  const range = { from: '2027-03-01', to: '2027-06-30' };
  for (const kind of ['active', 'expired', 'broken', 'earned'] as const) {
    const ids: number[] = [];
    for (let cursor: string | null = null, pages = 0; pages === 0 || cursor !== null; pages++) {
      const page: { results: { member: { member_id: number } }[]; next_cursor: string | null } =
        await reports.listReportMovements({ kind, ...range, ...(cursor !== null && { cursor }) });
      ids.push(...page.results.map(({ member }) => member.member_id));
      cursor = page.next_cursor;
    }
    assert.equal(ids.length, 60, kind);
    assert.equal(new Set(ids).size, 60, kind);
  }
  for (const kind of ['joined', 'given'] as const) {
    const first = await reports.listReportPeople({ kind, ...range });
    const second = await reports.listReportPeople({ kind, ...range, cursor: first.next_cursor! });
    assert.equal(second.next_cursor, null);
    const ids = [...first.results, ...second.results].map(({ member }) => member.member_id);
    assert.equal(new Set(ids).size, 60, kind);
    await assert.rejects(
      reports.listReportPeople({ kind, ...range, benefit_id: 'x', cursor: first.next_cursor! }),
      /cursor/,
    );
  }
});

test('points that have become available are in the figure and in its list, on each page once, before and after the job writes them', async () => {
  const shop = await makeShop({ ...PROGRAM, earning: { money_per_point: 1, pending: { days: 14 } } });
  const { db } = await service();
  const members = await Promise.all(Array.from({ length: 60 }, () => shop.member()));
  for (const member of members) await shop.sell(member, 10);
  await shop.moveClock('20 days');
  const reports = await analyst(shop);
  const range = { from: '2027-03-01', to: '2027-04-30' };
  const pageOf = (kind: 'earned' | 'from_purchases', cursor?: string) =>
    reports.listReportMovements({ kind, ...range, ...(cursor !== undefined && { cursor }) });
  for (const kind of ['earned', 'from_purchases'] as const) {
    const { total } = await reports.getPointsReport({ ...range, by: 'month' });
    assert.equal(total[kind], 600);
    const first = await pageOf(kind);
    // The job writes all that is due; the second page goes on where the first ended.
    if (kind === 'from_purchases') await runJob(db, 'pending-points', shop.id);
    const rest = await pageOf(kind, first.next_cursor!);
    const last = await pageOf(kind, rest.next_cursor!);
    assert.equal(last.next_cursor, null);
    const lines = [...first.results, ...rest.results, ...last.results];
    const available = lines.filter((line) => line.kind === 'available');
    assert.equal(new Set(available.map(({ member }) => member.member_id)).size, 60);
    assert.deepEqual([available.length, lines.length], [60, 120]);
    assert.equal(
      lines.reduce((sum, { points }) => sum + points, 0),
      600,
    );
  }
  const written = await pageOf('earned');
  assert.ok(written.results.every(({ id }) => id !== 0));
});

test('a report is compared with as many whole months, or with as many days, and refuses ranges that make no sense', async () => {
  const shop = await makeShop(PROGRAM);
  const manager = await makeStaffKey(shop, 'manager');
  const rangeOf = async (query: string) => {
    const { status, body } = await manager.get(`reports/purchases?${query}`);
    if (status !== 200) return status;
    const { range, periods, periods_before } = body as Awaited<
      ReturnType<Awaited<ReturnType<typeof analyst>>['getPurchasesReport']>
    >;
    return [range.from, range.to, range.before_from, range.before_to, periods.length, periods_before.length];
  };
  assert.deepEqual(await rangeOf(''), ['2027-02-14', '2027-03-15', '2027-01-15', '2027-02-13', 30, 30]);
  assert.deepEqual(await rangeOf('from=2027-03-01&to=2027-03-31'), [
    '2027-03-01',
    '2027-03-31',
    '2027-02-01',
    '2027-02-28',
    31,
    28,
  ]);
  assert.deepEqual(await rangeOf('from=2027-01-01&to=2027-12-31&by=month'), [
    '2027-01-01',
    '2027-12-31',
    '2026-01-01',
    '2026-12-31',
    12,
    12,
  ]);
  // From a Thursday to a Wednesday.
  assert.deepEqual(await rangeOf('from=2027-02-11&to=2027-03-10&by=week'), [
    '2027-02-11',
    '2027-03-10',
    '2027-01-14',
    '2027-02-10',
    5,
    5,
  ]);
  for (const query of [
    'from=2027-03-02&to=2027-03-01',
    'from=1969-12-31&to=2027-01-01&by=month',
    'to=2047-01-01&from=2027-01-01&by=month',
    'from=2020-01-01&by=day',
    'by=year',
    'from=2027-02-30',
  ])
    assert.equal(await rangeOf(query), 422, query);
});

test('a report is handed out as a spreadsheet that runs no formula, and the audit notes who took it', async () => {
  const shop = await makeShop({
    ...PROGRAM,
    benefits: [benefit('coffee', { title: '=1+1', cost: 10 })],
    rewards: {},
  });
  const eva = await shop.member();
  await shop.sell(eva, 50);
  await shop.voucher(eva, 'coffee');
  const reports = await analyst(shop);
  const csv = async (name: Parameters<typeof reports.exportReport>[0]) =>
    (await (await reports.exportReport(name, { from: '2027-03-14', to: '2027-03-15' })).text())
      .replace('\ufeff', '')
      .trimEnd()
      .split('\r\n');
  assert.deepEqual(await csv('points'), [
    'from,to,earned,from_purchases,from_rewards,added_by_hand,spent,given_back,returned,taken_by_hand,expired,erased,change',
    '2027-03-14,2027-03-14,0,0,0,0,0,0,0,0,0,0,0',
    '2027-03-15,2027-03-15,50,50,0,0,10,0,0,0,0,0,40',
  ]);
  assert.deepEqual(await csv('benefits'), [
    'from,to,benefit_id,title,issued,bought,given,points,used,given_back',
    "2027-03-15,2027-03-15,coffee,'=1+1,1,1,0,10,0,0",
  ]);
  assert.deepEqual(await csv('endings'), ['from,to,points,holders', '2027-05-01,2027-05-31,40,1']);
  for (const name of ['members', 'purchases', 'liability', 'levels'] as const)
    assert.ok((await csv(name)).length >= 2, name);
  const owner = await makeStaffKey(shop, 'owner');
  const { body } = await owner.get('audit');
  const lines = (body as { results: { action: string; subject: string }[] }).results;
  assert.deepEqual(
    lines.filter(({ action }) => action === 'report.export').map(({ subject }) => subject),
    ['levels', 'liability', 'purchases', 'members', 'endings', 'benefits', 'points'],
  );
});

test('Home shows today beside a week ago, and what somebody should look at', async () => {
  const shop = await makeShop({
    ...PROGRAM,
    benefits: [
      benefit('coffee', { cost: 10, buy_limit: 1 }),
      benefit('cake', { cost: 10, expiration: '2027-03-26T00:00:00Z' }),
    ],
    rewards: {},
  });
  const eva = await shop.member();
  await shop.sell(eva, 50);
  await shop.moveClock('7 days');
  await shop.sell(eva, 30);
  await shop.voucher(eva, 'coffee');
  const reports = await analyst(shop);
  const overview = await reports.getReportOverview();
  assert.equal(overview.today, '2027-03-22');
  assert.deepEqual(overview.of_today, {
    purchases: 1,
    amount: 30,
    earned: 30,
    spent: 10,
    used_codes: 0,
    joined: 0,
  });
  assert.deepEqual(overview.of_week_ago, {
    purchases: 1,
    amount: 50,
    earned: 50,
    spent: 0,
    used_codes: 0,
    joined: 1,
  });
  assert.equal(overview.last_30_days.amount, 80);
  assert.equal(overview.days.length, 30);
  assert.deepEqual(overview.liability, { points: 70, holders: 1 });
  assert.equal(overview.members, 1);
  assert.deepEqual(
    overview.attention.map((one) => ('benefit_id' in one ? [one.kind, one.benefit_id] : [one.kind])),
    [
      ['sold_out', 'coffee'],
      ['benefit_ends', 'cake'],
    ],
  );
});

test('every link of a report can be sent as it stands', async () => {
  const shop = await makeShop(PROGRAM);
  const [eva] = [await shop.member('eva'), await shop.member('ann')];
  await shop.sell(eva, 600);
  const reports = await analyst(shop);
  const range = { from: '2027-03-01', to: '2027-03-31', by: 'month' } as const;
  const answers = [
    await reports.getReportOverview(),
    await reports.getPointsReport(range),
    await reports.getMembersReport(range),
    await reports.getPurchasesReport(range),
    await reports.getLiabilityReport(range),
    await reports.getBenefitsReport(range),
    await reports.getLevelsReport(range),
  ];
  const links = answers.flatMap(linksIn);
  const { from, to } = range;
  for (const link of links) {
    if (link.list === 'members') await reports.searchMembers(link.search);
    else if (link.list === 'people') await reports.listReportPeople({ kind: link.kind, from, to });
    else await reports.listReportMovements({ kind: link.kind, from, to });
  }
  assert.deepEqual(new Set(links.map(({ list }) => list)), new Set(['movements', 'people', 'members']));

  const { levels } = await reports.getLevelsReport(range);
  for (const { members, link } of levels) {
    assert.ok(link.list === 'members');
    assert.equal((await reports.searchMembers(link.search)).total, members);
  }
});

/** Returns every link in an answer. */
function linksIn(node: unknown): ReportLink[] {
  if (typeof node !== 'object' || node === null) return [];
  return 'list' in node ? [node as ReportLink] : Object.values(node).flatMap(linksIn);
}
