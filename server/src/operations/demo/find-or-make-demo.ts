import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import { createKey, findKey } from '#commerces/api-keys.ts';
import { setClock } from '#commerces/clock.ts';
import { setCommerceAside } from '#commerces/close-commerce.ts';
import { commerceIdOf, readCommerce } from '#commerces/commerce.ts';
import { openDatabase, sql, transaction, type Database } from '#db/database.ts';
import { listMembers } from '#members/list-members.ts';
import { makeDataFolder } from '#files/data-folder.ts';
import { demoPeople } from './demo-people.ts';
import { liveEightMonths, WEEKS } from './live-eight-months.ts';

/** The facts about the demo commerce that the start-up block shows. */
export interface Demo {
  readonly commerceId: number;
  readonly name: string;
  readonly slug: string;
  readonly key: string;
  readonly clientCode: number;
}

const SLUG = 'demo';
/** The languages of the demo's own texts. */
export type DemoLanguage = 'en' | 'es';
/** Names and time zones are as in the programs. */
const SHOPS = {
  en: {
    name: 'Harbour Bakery',
    timeZone: 'Europe/Lisbon',
    program: new URL('./demo-program.yaml', import.meta.url),
  },
  es: {
    name: 'Panadería del Puerto',
    timeZone: 'Europe/Madrid',
    program: new URL('./demo-program.es.yaml', import.meta.url),
  },
} as const;
const LOCK = '3853314791062309109';

/**
 * Finds the demo commerce, or creates it in a database without any commerce. Its key is stored in
 * `DATA_DIR/demo.json`. If that file is gone, the demo gets a new key. A demo whose making was interrupted is closed and made anew. Calls
 * `onMake` before it makes one, which takes seconds. Returns null if there are commerces but no demo.
 * `language` is that of a new demo's own texts; a demo that is there keeps its own.
 */
export async function findOrMakeDemo(
  database: Database,
  dataDir: string,
  onMake: () => void = () => {},
  language: DemoLanguage = 'en',
): Promise<Demo | null> {
  const file = join(dataDir, 'demo.json');
  const kept = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Demo,
    () => null,
  );
  if (kept !== null && (await findKey(database, kept.key))?.commerceId === kept.commerceId) return kept;

  const demo = await alone(database, async () => {
    await setUnfinishedAside(database);
    return (await findDemo(database)) ?? makeDemo(database, onMake, language);
  });
  if (demo === null) return null;
  makeDataFolder(dataDir);
  await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

/**
 * Of processes that start together, one makes the demo, and the others wait for it. The turn belongs to a transaction, because behind a pooler
 * a connection does not keep what belongs to its session.
 */
async function alone<T>(database: Database, work: () => Promise<T>): Promise<T> {
  const turn = openDatabase({ ...database.address, poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await transaction(
      turn,
      async (tx) => {
        await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
        // Asks again and again, because a statement that waits for a lock has a time limit.
        for (let isMine = false; !isMine; await sleep(isMine ? 0 : 100)) {
          const { rows } = await sql<{ isMine: boolean }>`
            select pg_try_advisory_xact_lock(${LOCK}::bigint) as "isMine"`.execute(tx);
          isMine = rows[0]!.isMine;
        }
        return work();
      },
      { snapshot: true, mayRepeat: false },
    );
  } finally {
    await turn.destroy();
  }
}

async function findDemo(database: Database): Promise<Demo | null> {
  const id = await commerceIdOf(database, SLUG);
  const commerce = id === undefined ? undefined : await readCommerce(database, id);
  if (commerce === undefined || !commerce.sandbox || commerce.status === 'closed') return null;
  const { members } = await listMembers(database, commerce.id, { limit: 1, offset: 0 });
  const clientCode = members[0]?.code;
  // Somebody may have made a commerce with this slug.
  if (clientCode == null) return null;
  if (commerce.now < new Date()) await setClock(database, commerce.id, new Date());
  return createDemoKey(database, commerce.id, commerce.program.name, clientCode);
}

/**
 * Closes a demo whose making was interrupted. Its first key is the mark that it is complete: it is stored after everything else. A commerce
 * that somebody made has other members, staff or another name.
 */
async function setUnfinishedAside(database: Database): Promise<void> {
  const names = Object.values(SHOPS).map(({ name }) => name);
  const addresses = demoPeople.map(({ address }) => `${address}@example.com`);
  await transaction(database, async (tx) => {
    const { rows: commerces } = await sql<{ id: number }>`
      select id from commerces where slug = ${SLUG} and sandbox and status <> 'closed' for update`.execute(
      tx,
    );
    const id = commerces[0]?.id;
    if (id === undefined) return;
    const { rows } = await sql`
      select 1
        from commerces c
        join programs p on p.commerce_id = ${id} and p.version = c.program_version
       where c.id = ${id} and p.program ->> 'name' = any(${names}::text[])
         and not exists (select from api_keys where commerce_id = ${id})
         and not exists (select from staff where commerce_id = ${id})
         and not exists (select from members where commerce_id = ${id} and email <> all(${addresses}::text[]))`.execute(
      tx,
    );
    if (rows.length > 0) await setCommerceAside(tx, id);
  });
}

async function makeDemo(
  database: Database,
  onMake: () => void,
  language: DemoLanguage,
): Promise<Demo | null> {
  const { timeZone, program } = SHOPS[language];
  const { rows } = await sql`
    select 1 from commerces where slug !~ ${`^${SLUG}-[0-9]+$`} or status <> 'closed' limit 1`.execute(
    database,
  );
  if (rows.length > 0) return null;
  onMake();
  // Only a first start reads a program file. The code for it takes a tenth of the memory of an idle service, so it is
  // loaded only now.
  const [{ readProgram }, { applyProgram }] = await Promise.all([
    import('#program/read-program.ts'),
    import('#apply/apply-program.ts'),
  ]);
  // Counted in days of the shop: so many hours ago can be another day where the clocks have changed since.
  const start = startOfDay(addDays(localDay(new Date(), timeZone), -WEEKS * 7), timeZone);
  const read = readProgram(fillInDates(await readFile(program, 'utf8'), timeZone));
  if (!read.ok) throw new Error(`the demo's program is not valid: ${JSON.stringify(read.problems)}`);
  const { commerceId } = await applyProgram(database, read.program, { clock: start });
  if (commerceId === null) throw new Error('the demo was not created');
  const clientCode = await liveEightMonths(database, commerceId, start);
  return createDemoKey(database, commerceId, read.program.name, clientCode);
}

async function createDemoKey(
  database: Database,
  commerceId: number,
  name: string,
  clientCode: number,
): Promise<Demo> {
  const { key } = await createKey(database, commerceId, 'demo');
  return { commerceId, name, slug: SLUG, key, clientCode };
}

/** Fills in the days of double points: a weekend two months ago, the days around today, and a few days next month. */
function fillInDates(text: string, timeZone: string): string {
  const today = localDay(new Date(), timeZone);
  const windows = [
    [-60, -57],
    [-2, daysUntilMonday(today)],
    [31, 34],
  ].map(([from, to]) => {
    const [start, end] = [from!, to!].map((days) => startOfDay(addDays(today, days), timeZone).toISOString());
    return `{ from: ${start}, to: ${end} }`;
  });
  return text.replace('double_points: []', `double_points: [${windows.join(', ')}]`);
}

/** The double points end on a Sunday, but not today or tomorrow. */
function daysUntilMonday(today: Day): number {
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay();
  const days = (8 - weekday) % 7 || 7;
  return days < 3 ? days + 7 : days;
}
