/**
 * `npm run console-speed -w bench [-- found lists purchases]`: how fast people are found and listed at a large commerce, by
 * which plans, and what that costs purchases: the indexes, and a console that is used. Measures all three parts or those that are
 * named, with as many members as `--found`, `--listed` and `--bought` say. Writes docs/console-speed.md.
 */
import { parseArgs } from 'node:util';
import { openDatabase, sql, type Database } from '../server/src/platform/db/database.ts';
import { findPeople } from '../server/src/loyalty/search/find-people.ts';
import {
  searchMembers,
  type MemberFilter,
  type PlaceOfPage,
} from '../server/src/loyalty/search/search-members.ts';
import { SORTS } from '../server/src/loyalty/search/step-in-order.ts';
import { writeConsoleSpeed, type Cost, type PurchaseCosts, type Timed } from './console-speed-page.ts';
import { useConsole, type Waited } from './console-user.ts';
import { withDatabase, withServer } from './database.ts';
import { codeOf, loadMembers } from './load-members.ts';
import * as lua from './lua.ts';
import { describeMachine, hotShare, watchPostgres } from './machine.ts';
import { costOf, measureHttp } from './measure.ts';
import { withExplainedDatabase, type Plan } from './plans.ts';
import { usual, withSites, type Site } from './sites.ts';
import { median, percentile } from './statistics.ts';

const { values: asked, positionals: parts } = parseArgs({
  options: {
    found: { type: 'string', default: '1000000' },
    listed: { type: 'string', default: '100000' },
    bought: { type: 'string', default: '20000' },
  },
  allowPositionals: true,
});

/** How often each question is asked. */
const TIMES = 20;

/** Purchases of different sites take turns, so that all meet the same machine. */
const TURNS = { count: 8, seconds: 3 };

/** Three people at the console, each with a call every second. */
const CONSOLE = { people: 3, everyMs: 1_000 };

await withServer(async (serverUrl) => {
  const isAsked = (part: string) => parts.length === 0 || parts.includes(part);
  const machine = await withDatabase(serverUrl, 'empty', ({ db }) => describeMachine(db));
  if (isAsked('found')) {
    const members = Number(asked.found);
    say(`Finding: loading ${members} members of one commerce.`);
    const found = await withDatabase(serverUrl, 'migrated', ({ db, url }) =>
      measureFinding(db, url, members),
    );
    await writeConsoleSpeed({ machine, found: { members, ...found } });
  }
  if (isAsked('lists')) {
    const members = Number(asked.listed);
    say(`Lists: loading ${members} members of one commerce, with ten movements each.`);
    const lists = await withDatabase(serverUrl, 'migrated', ({ db, url }) => measureLists(db, url, members));
    await writeConsoleSpeed({ machine, lists: { members, ...lists } });
  }
  if (isAsked('purchases')) {
    const members = Number(asked.bought);
    say(`Purchases: loading ${members} members of 50 commerces, twice.`);
    const purchases = await measurePurchases(serverUrl, members);
    await writeConsoleSpeed({ machine, purchases: { members, ...purchases } });
  }
});

/** Texts as people type them, from the most common to those that nobody has. */
function textsOf(members: number): Record<string, string> {
  return {
    'a code': String(codeOf(Math.floor(members / 2))),
    'an address': `member${Math.floor(members / 2)}@example.com`,
    'the beginning of an address': `member${Math.floor(members / 2)}@`,
    'one letter': 'm',
    'two letters': 'ma',
    'the most common name': 'maría',
    'the most common surname': 'GARCIA',
    'a name and a surname': 'maria garcia',
    'two letters twice': 'ga ma',
    'a rare beginning': 'papad',
    'a name and a rare beginning': 'maria papad',
    'a letter of Cyrillic': 'и',
    'a Chinese given name': '小明',
    'a name that nobody has': 'qqqq',
    'two names that nobody has together': 'maría iván',
  };
}

async function measureFinding(loading: Database, url: string, members: number) {
  const loaded = await loadMembers(loading, { members, movements: 0, commerces: 1, named: true });
  const { commerceId } = loaded.shops[0]!;
  const sizes = await readSizes(loading);
  const questions = Object.entries(textsOf(members)).flatMap(([name, text]) => [
    { name: `${name}, \`${text}\``, ask: (db: Database) => findPeople(db, commerceId, text, 8) },
    ...SORTS.map((sort) => ({
      name: `${name}, \`${text}\`, in a list, ${sort}`,
      ask: (db: Database) => page(db, commerceId, { text, sort }),
    })),
  ]);
  return { sizes, timed: await timeAll(url, questions) };
}

/** Filters as the page of the list offers them. Some match everybody, some a few people, and some nobody. */
function filtersOf(): Record<string, MemberFilter> {
  return {
    everybody: {},
    'who left': { state: 'left' },
    'who is blocked (nobody)': { state: 'blocked' },
    'with a tier': { levelId: 'basic' },
    'with a tier that nobody has': { levelId: 'gold' },
    'at least 1,000 points': { minPoints: 1_000 },
    'at least a billion points (nobody)': { minPoints: 1_000_000_000 },
    'bought this week': { boughtFrom: daysAgo(7) },
    'bought last 30 days ago or earlier': { boughtTo: daysAgo(30) },
    'bought in a week long ago': { boughtFrom: daysAgo(200), boughtTo: daysAgo(193) },
    'points that end within 30 days': { expiringDays: 30 },
    'called M…': { text: 'm' },
    'called M…, who left': { text: 'm', state: 'left' },
    'called Maria Gar…, bought this month, with points that end': {
      text: 'maria gar',
      boughtFrom: daysAgo(30),
      expiringDays: 60,
    },
    'everything at once (nobody)': {
      text: 'm',
      state: 'member',
      levelId: 'basic',
      minPoints: 1,
      maxPoints: 2,
      boughtFrom: daysAgo(360),
      boughtTo: daysAgo(0),
      expiringDays: 400,
    },
  };
}

async function measureLists(loading: Database, url: string, members: number) {
  const loaded = await loadMembers(loading, { members, movements: 10 * members, commerces: 1, named: true });
  const { commerceId } = loaded.shops[0]!;
  await sql`update members set state = 'left', left_at = now() where commerce_id = ${commerceId} and id % 100 = 0`.execute(
    loading,
  );
  await sql`
    update balances set expires_on = current_date + (member_id % 400)::int
     where commerce_id = ${commerceId} and member_id % 5 = 0`.execute(loading);
  await sql`vacuum (analyze) members, balances`.execute(loading);
  const sizes = await readSizes(loading);
  const middle: PlaceOfPage = { id: Math.floor(members / 2), word: 'm', name: 'm', total: null };
  const questions = Object.entries(filtersOf()).flatMap(([name, filter]) =>
    SORTS.flatMap((sort) => [
      { name: `${name}, ${sort}`, ask: (db: Database) => page(db, commerceId, { ...filter, sort }) },
      {
        name: `${name}, ${sort}, from the middle`,
        ask: (db: Database) => page(db, commerceId, { ...filter, sort }, middle),
      },
    ]),
  );
  return { sizes, timed: await timeAll(url, questions) };
}

async function page(
  db: Database,
  commerceId: number,
  filter: MemberFilter,
  after: PlaceOfPage | null = null,
) {
  return (await searchMembers(db, commerceId, filter, { limit: 50, after })).people;
}

interface Question {
  readonly name: string;
  readonly ask: (db: Database) => Promise<readonly unknown[]>;
}

/** Asks each question on connections as the service has them, then once more for the plan of its slowest statement. */
async function timeAll(url: string, questions: readonly Question[]): Promise<Timed[]> {
  const db = openDatabase({ url, poolSize: 2, preparedStatements: true });
  const timed: Omit<Timed, 'slowest'>[] = [];
  try {
    for (const { name, ask } of questions) {
      const { length } = await ask(db);
      const took: number[] = [];
      for (let n = 0; n < TIMES; n++) {
        const start = performance.now();
        await ask(db);
        took.push(performance.now() - start);
        // A question that takes long is not asked so often.
        if (took.reduce((sum, ms) => sum + ms, 0) > 2_000) break;
      }
      timed.push({
        name,
        rows: length,
        p50Ms: median(took),
        p95Ms: percentile(took, 0.95),
        mostMs: Math.max(...took),
      });
    }
  } finally {
    await db.destroy();
  }
  const plans: Plan[][] = [];
  await withExplainedDatabase(
    url,
    (plan) => plans.at(-1)?.push(plan),
    async (explained) => {
      for (const { ask } of questions) {
        plans.push([]);
        await ask(explained);
      }
    },
  );
  return timed.map((each, i) => ({
    ...each,
    slowest: plans[i]!.toSorted((a, b) => b.milliseconds - a.milliseconds)[0]!,
  }));
}

/**
 * The same purchases in turns: as they are, at a site without what finding people needs, and while people use the console. The
 * first turn of each warms up.
 */
async function measurePurchases(serverUrl: string, members: number): Promise<Omit<PurchaseCosts, 'members'>> {
  const size = { ...usual(members), named: true };
  return withSites(serverUrl, [size, size], async ([asItIs, without]) => {
    await removeIndexes(without!.db);
    const postgres = await watchPostgres(asItIs!.db);
    const turns: Record<'with' | 'without' | 'used', Cost[]> = { with: [], without: [], used: [] };
    const waited: Waited = {};
    const buy = async (site: Site): Promise<Cost> => {
      const script = lua.purchases(site.loaded);
      const load = { name: 'purchase', connections: 32, script, counted: 'purchases' } as const;
      const measured = await measureHttp(postgres, site, load, TURNS.seconds);
      return { perSecond: measured.perSecond, micros: costOf(measured), p99Ms: measured.p99Ms! };
    };
    const take = {
      with: () => buy(asItIs!),
      without: () => buy(without!),
      used: async () => {
        const console = await useConsole(asItIs!, CONSOLE.people, CONSOLE.everyMs);
        const cost = await buy(asItIs!);
        for (const [name, times] of Object.entries(await console.stop()))
          (waited[name] ??= []).push(...times);
        return cost;
      },
    };
    const kinds = ['with', 'without', 'used'] as const;
    for (let turn = 0; turn <= TURNS.count; turn++) {
      for (const kind of turn % 2 === 0 ? kinds : kinds.toReversed()) {
        const cost = await take[kind]();
        if (turn > 0) turns[kind].push(cost);
      }
    }
    const middle = (costs: readonly Cost[]): Cost => ({
      perSecond: median(costs.map(({ perSecond }) => perSecond)),
      micros: median(costs.map(({ micros }) => micros)),
      p99Ms: median(costs.map(({ p99Ms }) => p99Ms)),
    });
    return {
      with: middle(turns.with),
      without: middle(turns.without),
      used: middle(turns.used),
      people: CONSOLE.people,
      waited: Object.entries(waited).map(([name, times]) => ({
        name,
        calls: times.length,
        p50Ms: median(times),
        p95Ms: percentile(times, 0.95),
      })),
      hotShare: await hotShare(asItIs!.db),
    };
  });
}

async function removeIndexes(db: Database): Promise<void> {
  await sql`drop index members_email_beginning`.execute(db);
  await sql`drop trigger members_are_found on members`.execute(db);
  await sql`drop trigger renamed_members_are_found on members`.execute(db);
}

/** Bytes on disk of what finding people needs, for each member. */
async function readSizes(db: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select c.relname::text as name, pg_relation_size(c.oid) / (select count(*) from members) as bytes
      from pg_class c
     where c.relname in ('members', 'member_words', 'member_words_pkey', 'member_words_found', 'members_email_beginning')
     order by c.relname`.execute(db);
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
