/**
 * What a shop costs in a round of the jobs that follow the ledger: `npm run job-rounds -w bench [-- --shops N,N --rounds N]` prints, for each number
 * of shops, the milliseconds of a shop at which one purchase was made, and of a shop at which nothing happened. docs/scaling.md computes with both.
 */
import { parseArgs } from 'node:util';
import { NOWHERE } from '../server/src/loyalty/points/purchase-facts.ts';
import { recordPurchases } from '../server/src/loyalty/purchases/record-purchases.ts';
import { runJob, type JobName } from '../server/src/operations/jobs/run-jobs.ts';
import { transaction, type Database } from '../server/src/platform/db/database.ts';
import { withDatabase, withServer } from './database.ts';
import { figure, table, whole } from './figures.ts';
import { AMOUNT, codeOf, loadMembers, type Loaded } from './load-members.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: { shops: { type: 'string', default: '1000,10000' }, rounds: { type: 'string', default: '3' } },
});
const rounds = Number(values.rounds);

const FOLLOWING = ['reports', 'seal', 'verify'] as const satisfies readonly JobName[];
const MEMBERS_OF_SHOP = 10;
/** Calls of one transaction. */
const AT_ONCE = 250;

await withServer(async (serverUrl) => {
  for (const shops of values.shops.split(',').map(Number))
    await withDatabase(serverUrl, 'migrated', async ({ db }) => {
      const members = shops * MEMBERS_OF_SHOP;
      const loaded = await loadMembers(db, { members, movements: members, commerces: shops, pastKeys: 0 });
      for (const name of FOLLOWING) await runJob(db, name);
      await measure(db, loaded);
    });
});

async function measure(db: Database, loaded: Loaded): Promise<void> {
  const visits: Record<string, number[]> = {};
  const looks: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    await buyEverywhere(db, loaded);
    for (const name of FOLLOWING) {
      (visits[name] ??= []).push(await timed(() => runJob(db, name)));
      (looks[name] ??= []).push(await timed(() => runJob(db, name)));
    }
  }
  const shops = loaded.shops.length;
  const each = (of: Record<string, number[]>, name: string) => median(of[name]!) / shops;
  const sum = (of: Record<string, number[]>) => FOLLOWING.reduce((total, name) => total + each(of, name), 0);
  process.stdout.write(
    `${table(
      [`ms of a shop, ${whole(shops)} shops`, ...FOLLOWING, 'together'],
      [
        ['one purchase', ...FOLLOWING.map((name) => figure(each(visits, name))), figure(sum(visits))],
        ['nothing new', ...FOLLOWING.map((name) => each(looks, name).toFixed(4)), sum(looks).toFixed(4)],
      ],
    )}\n\n`,
  );
}

/** Records a purchase at each shop, by its first member. */
async function buyEverywhere(db: Database, { shops }: Loaded): Promise<void> {
  for (let at = 0; at < shops.length; at += AT_ONCE) {
    const calls = shops.slice(at, at + AT_ONCE).map(({ commerceId, firstMember }) => ({
      commerceId,
      buyer: { code: codeOf(firstMember) },
      amount: AMOUNT,
      ...NOWHERE,
    }));
    await transaction(db, (tx) => recordPurchases(tx, calls));
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
