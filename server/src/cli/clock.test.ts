import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { makeShop } from '#test/make.ts';

const START = '2027-01-10T10:00:00Z';

interface Shown {
  readonly slug: string;
  readonly now: string;
  readonly today: string;
  readonly sandbox: boolean;
}

interface Advanced {
  readonly slug: string;
  readonly from: string;
  readonly to: string;
  readonly jobs: Record<string, number>;
}

test('a sandbox starts at the clock of its program, and moving the clock reports what fell due', async () => {
  const shop = await makeSandbox();
  const member = await shop.member();
  await shop.sell(member, 30);
  const shown = (await loyalty(['clock', 'show', shop.slug])).json<Shown>();
  assert.deepEqual([shown.slug, shown.today, shown.sandbox], [shop.slug, '2027-01-10', true]);

  const advanced = await loyalty(['clock', 'advance', shop.slug, '13', 'months']);
  assert.equal(advanced.code, 0, advanced.stderr);
  const { from, to, jobs } = advanced.json<Advanced>();
  assert.deepEqual(
    [from.slice(0, 10), to.slice(0, 10), jobs['expire-points']],
    ['2027-01-10', '2028-02-10', 1],
  );
  assert.equal((await loyalty(['clock', 'show', String(shop.id)])).json<Shown>().today, '2028-02-10');
  assert.equal(await pointsOf(shop, member.code), 0);
});

test('the clock of a real commerce and an invalid duration are refused in one sentence', async () => {
  const real = await makeShop();
  const refused = await loyalty(['clock', 'advance', real.slug, '1d']);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /is not a sandbox/);
  const { slug } = await makeSandbox();
  const unread = await loyalty(['clock', 'advance', slug, 'tomorrow']);
  assert.deepEqual([unread.code, unread.stdout], [1, '']);
  assert.match(unread.stderr, /^"tomorrow" is not a valid duration/);
});

test('a job can be run by name for one commerce or all, and a second run finds nothing to do', async () => {
  const shop = await makeSandbox();
  await shop.sell(await shop.member(), 30);
  await shop.moveClock('13 months');
  const run = async (...where: string[]) =>
    (await loyalty(['jobs', 'run', 'expire-points', ...where])).json();
  assert.deepEqual(await run('--commerce', shop.slug), { job: 'expire-points', members: 1, failures: [] });
  assert.deepEqual(await run('--commerce', shop.slug), { job: 'expire-points', members: 0, failures: [] });
  assert.deepEqual(await run(), { job: 'expire-points', members: 0, failures: [] });
  const unknown = await loyalty(['jobs', 'run', 'nonsense']);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /It must be one of .*expire-points, /);
});

function makeSandbox() {
  return makeShop({
    sandbox: true,
    clock: START,
    points_expiration: { mode: 'rolling', months: 12 },
  });
}

async function pointsOf(shop: Awaited<ReturnType<typeof makeSandbox>>, code: number): Promise<unknown> {
  return ((await shop.get(`/v1/clients/${code}`)).body as { points: number }).points;
}
