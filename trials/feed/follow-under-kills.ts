/**
 * Movements and happenings are written under load while the service, its database and the reader of the feed are killed again and again.
 * The reader has nothing but its file of pages, and in the end everything that the shop knows.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealLedger } from '../../server/src/insight/seals/seal-ledger.ts';
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import { findFreePort } from '../../server/src/platform/db/embedded/free-port.ts';
import { assertCopyAgrees } from '../../server/test/events/compare.ts';
import { apply, emptyCopy, type Copy, type ReadPage } from '../../server/test/events/reader.ts';
import { startScratchServer } from '../../server/test/postgres.ts';
import { ROOT } from '../../server/test/repository.ts';
import { endService, makeWorld, type Service } from '../faults/world.ts';
import { makeFeedShop, startWriters, type FeedShop } from './writers.ts';

export interface FeedReport {
  /** Events in the feed, all of which the reader has, each once. */
  readonly events: number;
  readonly movements: number;
  /** How many movements are proven to be all there are, by their places in the sealed history. */
  readonly provenTo: number;
  readonly kills: { service: number; database: number; reader: number };
}

interface Options {
  /** Writes at least so many events, */
  readonly events: number;
  /** or as many as fit into this time. */
  readonly longestMs: number;
  readonly writers?: number;
  readonly longestUpMs?: number;
}

/** @throws AssertionError if the reader misses anything, has anything twice, or knows anything else than the shop */
export async function followUnderKills({
  events,
  longestMs,
  writers = 24,
  longestUpMs = 4_000,
}: Options): Promise<FeedReport> {
  const server = await startScratchServer();
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-feed-'));
  const file = join(folder, 'pages.jsonl');
  const world = await makeWorld(server.adminUrl, { members: 1 });
  const { db } = world;
  let reader: ChildProcess | null = null;
  try {
    const shop = await makeFeedShop(db);
    const port = String(await findFreePort());
    let service = await world.startService({ PORT: port });
    const startReader = () =>
      spawn(process.execPath, [join(import.meta.dirname, 'reader.ts'), service.base, shop.key, file], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    reader = startReader();
    const kills = { service: 0, database: 0, reader: 0 };
    const acts: Record<keyof typeof kills, () => Promise<void>> = {
      async service() {
        await endService(service, 'SIGKILL');
        service = await world.startService({ PORT: port });
      },
      database: () => crash(db),
      async reader() {
        await kill(reader!);
        reader = startReader();
      },
    };
    const stopWriters = startWriters(shop, db, service.base, writers);
    const until = performance.now() + longestMs;
    const names = Object.keys(acts) as (keyof typeof kills)[];
    const isEnough = async () => performance.now() > until || (await countEvents(db, shop)) >= events;
    for (let round = 0; round < names.length || !(await isEnough()); round++) {
      await sleep(Math.random() * longestUpMs);
      const name = names[round % names.length]!;
      await acts[name]();
      kills[name] += 1;
      if (round % 10 === 0) await sealLedger(db, shop.id).catch(() => {});
    }
    await stopWriters();
    await sealLedger(db, shop.id);
    await untilRead(db, shop, service, file);
    await kill(reader);
    reader = null;
    const copy = await replay(file);
    await assertCopyAgrees(db, shop.id, copy);
    assert.equal(copy.ids.size, await countEvents(db, shop), 'every event');
    return { events: copy.ids.size, ...(await verify(service, shop, folder, copy)), kills };
  } finally {
    if (reader !== null) await kill(reader);
    await world.remove();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error('the reader has given up');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** PostgreSQL stops all its processes if one of them is killed, and recovers. */
async function crash(db: Database): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  process.kill(rows[0]!.pid, 'SIGKILL');
  await sleep(200);
  while ((await sql`select 1`.execute(db).catch(() => null)) === null) await sleep(50);
}

async function countEvents(db: Database, { id }: FeedShop): Promise<number> {
  const { rows } = await sql<{ events: number }>`
    select (select count(*) from movements where commerce_id = ${id})
           + (select count(*) from happenings where commerce_id = ${id}) as events`.execute(db);
  return rows[0]!.events;
}

/** Waits until the feed has nothing more behind the reader’s last page. */
async function untilRead(db: Database, shop: FeedShop, { base }: Service, file: string): Promise<void> {
  const longest = performance.now() + 300_000;
  const wanted = await countEvents(db, shop);
  while ((await countRead(file)) < wanted) {
    if (performance.now() > longest) throw new Error('the reader stands still');
    await sleep(500);
  }
  const { next } = JSON.parse(await lastLine(file)) as ReadPage;
  const answer = await fetch(`${base}/v1/events?after=${encodeURIComponent(next)}`, {
    headers: { authorization: `Bearer ${shop.key}` },
  });
  const { events } = (await answer.json()) as ReadPage;
  if (events.length > 0) throw new Error(`${events.length} events more than there can be`);
}

async function countRead(file: string): Promise<number> {
  let read = 0;
  for await (const page of pagesOf(file)) read += page.events.length;
  return read;
}

async function lastLine(file: string): Promise<string> {
  let last = '';
  for await (const line of linesOf(file)) last = line;
  return last;
}

const linesOf = (file: string) => createInterface({ input: createReadStream(file) });

async function* pagesOf(file: string): AsyncGenerator<ReadPage, void> {
  for await (const line of linesOf(file)) {
    // The last line may be under way.
    if (line.endsWith('}')) yield JSON.parse(line) as ReadPage;
  }
}

/** Makes the copy of the shop from nothing but the pages. Fails on an event that comes twice. */
async function replay(file: string): Promise<Copy> {
  const copy = emptyCopy();
  for await (const { events } of pagesOf(file)) for (const event of events) apply(copy, event);
  return copy;
}

/**
 * Proves with `loyalty events verify` that no movement is missing. Most events were read before they were sealed, so those that name
 * their places are read once more.
 */
async function verify(
  { base }: Service,
  { key }: FeedShop,
  folder: string,
  copy: Copy,
): Promise<Pick<FeedReport, 'movements' | 'provenTo'>> {
  const file = join(folder, 'copy.jsonl');
  const ids: string[] = [];
  let after = '';
  for (let hasMore = true; hasMore;) {
    const answer = await fetch(`${base}/v1/events?limit=1000${after}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const page = (await answer.json()) as ReadPage;
    ids.push(...page.events.map(({ id }) => id));
    await appendFile(file, page.events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    after = `&after=${encodeURIComponent(page.next)}`;
    hasMore = page.has_more;
  }
  assert.deepEqual(ids, [...copy.ids], 'the order of the feed');
  const told = execFileSync(
    process.execPath,
    [join(ROOT, 'server/src/cli/loyalty.js'), 'events', 'verify', file, '--json'],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], ENV_FILE: 'off' } },
  );
  const { movements, proven: provenTo } = JSON.parse(told) as { movements: number; proven: number };
  assert.equal(movements, copy.movements);
  return { movements, provenTo };
}
