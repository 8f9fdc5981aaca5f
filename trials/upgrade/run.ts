/**
 * `npm run upgrade -w trials -- [members] [--from COMMIT]`: an upgrade under load. The release before this tree makes
 * its database, fills it and serves purchases and reads; meanwhile the migrations that came since are run, as
 * `loyalty migrate` runs them. Tells how long they take, which locks they hold, and what callers notice: of the old
 * service before, during and after, and of the new one on the same rows. At the end the books must agree.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase, sql, type Database } from '../../server/src/platform/db/database.ts';
import { migrate, readMigrationStatus } from '../../server/src/platform/db/migrate.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import { readReleases } from '../../server/test/releases/release.ts';
import { startService, type Child } from '../../bench/child.ts';
import { withDatabase, withServer } from '../../bench/database.ts';
import { codeOf, type Loaded } from '../../bench/load-members.ts';
import { withOldRelease, type OldRelease } from './old-release.ts';
import { inProduction } from '../../bench/sites.ts';
import { createLoad } from './load.ts';
import { watchLocks } from './watch-locks.ts';

const COMMERCES = 10;
const MS_BETWEEN = 10_000;
const MOST_FAILURES = 10;
/** Members whom no call of the load is about: their answers have to stay as they are. */
const LEFT_ALONE = 500;

const { values: asked, positionals } = parseArgs({
  options: { from: { type: 'string' } },
  allowPositionals: true,
});
const members = Number(positionals[0] ?? 100_000);
const commit = asked.from ?? readReleases().at(-1)!.credentials.commit;

await withServer((serverUrl) =>
  withDatabase(serverUrl, 'empty', ({ db, url }) => withOldRelease(commit, (old) => measure(db, url, old))),
);

async function measure(db: Database, url: string, old: OldRelease): Promise<void> {
  say(`Loading ${members} members with ten movements each, by the code of ${commit.slice(0, 10)}.`);
  const loaded = await old.fill(url, { members, movements: 10 * members, commerces: COMMERCES });
  say('Moving the members onto a ladder of three tiers, by the same code.');
  await climbLadders(db, url, loaded, old);

  const env = inProduction(url, randomBytes(32).toString('base64'));
  const load = createLoad(loaded, LEFT_ALONE + 1);
  const { before, migrated } = await withService(old.start(env), async (service) => {
    const before = await answersOfTheRest(service, loaded);
    say('The old service is called.');
    load.enter('old service, before');
    const stop = load.start(service);
    await setTimeout(MS_BETWEEN);
    say('The migrations run.');
    load.enter('old service, during the migrations');
    const migrated = await migrateUnderWatch(url, db);
    load.enter('old service, after them');
    await setTimeout(MS_BETWEEN);
    await stop();
    return { before, migrated };
  });
  const after = await withService(startService(env), async (service) => {
    const after = await answersOfTheRest(service, loaded);
    say('The new service is called.');
    load.enter('new service');
    const stop = load.start(service);
    await setTimeout(MS_BETWEEN);
    await stop();
    return after;
  });

  say('Checking the books.');
  const { differences, movements } = await verifyLedger(db);
  const changed = before.filter((answer, i) => answer !== after[i]).length;
  const { applied, seconds, failures, locks } = migrated;
  const names = applied.length === 0 ? 'no migration' : applied.join(', ');
  console.log(`\n${members} members, ${movements} movements; ${names}: ${seconds.toFixed(2)} s`);
  if (failures.length > 0) console.log(`Failed ${failures.length} times before.\n${failures.join('\n')}`);
  console.table(locks.held);
  console.log(
    `In ${locks.looks} looks at most ${locks.mostWaiting} waited for a table at once, ` +
      `the longest for ${Math.round(locks.longestWaitMs)} ms.`,
  );
  console.table(load.report());
  console.log(
    `Of ${before.length} answers about members left alone ${changed} changed; ` +
      `the books show ${differences.length} differences.`,
  );
  for (const difference of differences.slice(0, 10)) console.error(difference);
  const failed = load.report().some((phase) => phase.failed !== '');
  if (differences.length > 0 || changed > 0 || failed || failures.length > 0) process.exitCode = 1;
}

async function withService<T>(starting: Promise<Child>, work: (service: Child) => Promise<T>): Promise<T> {
  const service = await starting;
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Gives every shop a ladder: half of its members have reached the middle tier, a fifth the top, which has a gift. */
async function climbLadders(db: Database, url: string, { shops }: Loaded, old: OldRelease): Promise<void> {
  for (const [i, { commerceId }] of shops.entries()) {
    const text = await old.loyalty(url, ['export', `shop-${i + 1}`, '--json']);
    const program = JSON.parse(text) as { benefits: object[] };
    const { rows } = await sql<{ thresholds: number[] }>`
      select percentile_disc(array[0.5, 0.8]) within group (order by points_earned) as thresholds
        from members where commerce_id = ${commerceId}`.execute(db);
    const [middle, top] = rows[0]!.thresholds.map(Number);
    const ladder = [
      { name: 'Basic', threshold: 0 },
      { name: 'Silver', threshold: middle, points_multiplier: 1.25 },
      { name: 'Gold', threshold: top! + 1, points_multiplier: 2, benefit: 'gold-gift' },
    ];
    const gift = { id: 'gold-gift', benefit_type: 'level', type: 'free_product', title: 'For Gold' };
    const benefits = [...program.benefits, { ...gift, product: { name: 'A gift' } }];
    const climbed = { ...program, benefits, levels: { threshold_type: 'points', ladder } };
    await old.loyalty(url, ['apply', '-'], JSON.stringify(climbed));
  }
  await sql`vacuum (analyze)`.execute(db);
}

/** Returns the shop's view of the first members of the first shop, whom the load leaves alone. */
async function answersOfTheRest({ port }: Child, { shops }: Loaded): Promise<string[]> {
  const { firstMember, key } = shops[0]!;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const base = `http://127.0.0.1:${port}/v1`;
  const answers: string[] = [];
  for (let member = firstMember; member < firstMember + LEFT_ALONE; member++) {
    const code = codeOf(member);
    const body = JSON.stringify({ client_code: code, amount: 1000 });
    for (const asked of [
      fetch(`${base}/clients/${code}`, { headers }),
      fetch(`${base}/clients/${code}/benefits`, { headers }),
      fetch(`${base}/consumptions/preview`, { method: 'POST', headers, body }),
    ]) {
      answers.push(await (await asked).text());
    }
  }
  return answers;
}

/**
 * Runs the migrations on a connection of their own and looks at the locks all the while. Migrations that fail, because
 * a lock was not to be had in time or two waited for each other, are run again, as they are when a process starts again.
 */
async function migrateUnderWatch(url: string, db: Database) {
  const named = new URL(url);
  named.searchParams.set('application_name', 'upgrade');
  const own = openDatabase({
    url: named.href,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  const stopWatching = watchLocks(db, 'upgrade');
  const missing = (await readMigrationStatus(db)).filter(({ appliedAt }) => appliedAt === null);
  const began = performance.now();
  const failures: string[] = [];
  try {
    for (;;) {
      const failure = await migrate(own).then(
        () => null,
        (error: unknown) => describe(db, error),
      );
      const seconds = (performance.now() - began) / 1000;
      const applied = missing.map(({ name }) => name);
      if (failure === null) return { applied, seconds, failures, locks: await stopWatching() };
      say(`The migrations failed. ${failure}`);
      failures.push(failure);
      if (failures.length === MOST_FAILURES) throw new Error('the migrations cannot be applied under load');
    }
  } finally {
    await stopWatching();
    await own.destroy();
  }
}

/** Returns PostgreSQL's message, with the names of the tables that it numbers. */
async function describe(db: Database, error: unknown): Promise<string> {
  const { message, detail = '' } = error as Error & { detail?: string };
  const { rows } = await sql<{ number: string; name: string }>`
    select oid::text as number, relname::text as name
      from pg_class where relnamespace = 'public'::regnamespace`.execute(db);
  const names = new Map(rows.map(({ number, name }) => [number, name]));
  return `${message}: ${detail.replaceAll(/relation (\d+)/g, (all, number: string) => names.get(number) ?? all)}`;
}

function say(sentence: string): void {
  process.stderr.write(`${Math.round(performance.now() / 1000)} s: ${sentence}\n`);
}
