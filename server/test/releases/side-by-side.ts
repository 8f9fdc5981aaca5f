/** A release and this tree run side by side on one database, each with its own code, while callers go on calling. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { sql, type Database } from '#db/database.ts';
import { findFreePort } from '#db/embedded/free-port.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { databaseUrl, emptyDatabase, nameOf } from '../database.ts';
import { startService, type ServiceProcess } from '../service-process.ts';
import { unpackRelease } from './release-code.ts';
import type { Release } from './release.ts';

const MEMBERS = 8;
const CALLERS = 4;
/** Each caller makes so many rounds of calls before the next process starts or stops. */
const ROUNDS = 8;

/**
 * Upgrades a database from a release to this tree under load, and goes back where the release's program can. Returns how
 * many calls were made, and asserts that none failed and that the books agree.
 * @param install whether to install the packages that the release asks for, instead of using those of this tree
 */
export async function runSideBySide(t: TestContext, release: Release, install = false): Promise<number> {
  const db = await emptyDatabase(t, 2);
  const url = databaseUrl(await nameOf(db));
  const folder = await unpackRelease(t, release.credentials.commit, install);
  const start = async (entry?: string) =>
    startService(url, { RATE_LIMITS: 'off', DRAIN_SECONDS: '1', PORT: String(await findFreePort()) }, entry);
  /** The old program gives up if the database does not answer within two seconds, which it may not on a busy machine. */
  const startOld = async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await start(join(folder, 'server/src/start.js'));
      } catch (error) {
        if (attempt === 5) throw error;
      }
    }
  };

  const old = await startOld();
  const callers = startCallers(db, await openShop(folder, url, old));
  await callers.turnTo([old]);
  const present = await start();
  await callers.turnTo([old, present]);
  await callers.turnTo([present]);
  await stop(old);
  if (canGoBackTo(release)) {
    const again = await startOld();
    await callers.turnTo([again, present]);
    await callers.turnTo([again]);
    await stop(present);
    await callers.turnTo([again]);
    await callers.end();
    await stop(again);
  } else {
    await callers.end();
    await stop(present);
  }

  const { calls, failed, purchases } = callers.counts;
  assert.deepEqual(failed, []);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from movements where type = 'purchase'`.execute(db);
  assert.equal(rows[0]!.count, purchases);
  assert.deepEqual((await verifyLedger(db)).differences, []);
  return calls;
}

/** 0.1.0 refuses every newer schema. */
export function canGoBackTo({ version }: Release): boolean {
  return version !== '0.1.0';
}

interface Shop {
  readonly id: number;
  readonly key: string;
  readonly codes: readonly number[];
}

/** Opens a shop with members by the release's own commands and calls. */
async function openShop(folder: string, url: string, { base }: ServiceProcess): Promise<Shop> {
  const file = join(folder, 'program.json');
  await writeFile(file, JSON.stringify(PROGRAM));
  const loyalty = (...args: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [join(folder, 'server/src/cli/loyalty.js'), ...args, '--json'], {
        env: { PATH: process.env['PATH'], ENV_FILE: 'off', DATABASE_URL: url },
        encoding: 'utf8',
      }),
    ) as Record<string, unknown>;
  const { commerce_id: id } = loyalty('apply', file);
  const { key } = loyalty('key', 'create', '--commerce', PROGRAM.slug);
  const members = join(folder, 'members.csv');
  const people = Array.from({ length: MEMBERS }, (_, i) => `person-${i}@example.com`);
  await writeFile(members, `email\n${people.join('\n')}\n`);
  loyalty('members', 'import', members, '--commerce', PROGRAM.slug);
  const listed = await fetch(`${base}/v1/clients/list?limit=100`, {
    headers: { authorization: `Bearer ${String(key)}` },
  });
  const { items } = (await listed.json()) as { items: { code: number }[] };
  assert.equal(items.length, MEMBERS);
  return { id: Number(id), key: String(key), codes: items.map(({ code }) => code) };
}

const PROGRAM = {
  slug: 'corner',
  name: 'Corner',
  currency: 'EUR',
  time_zone: 'Europe/Madrid',
  earning: { money_per_point: 1 },
  points_expiration: { mode: 'rolling', months: 12 },
  levels: {
    ladder: [
      { name: 'Guest', threshold: 0 },
      { name: 'Friend', threshold: 300, points_multiplier: 1.5, benefit: 'tea' },
    ],
  },
  benefits: [
    {
      id: 'tea',
      benefit_type: 'level',
      type: 'free_product',
      title: 'A tea',
      cost: 0,
      product: { name: 'Tea' },
    },
    { id: 'bun', type: 'free_product', title: 'A bun', cost: 20, product: { name: 'Bun' } },
  ],
};

/** Callers that call whichever processes they are told of, one after the other. */
function startCallers(db: Database, shop: Shop) {
  const counts = { calls: 0, purchases: 0, rounds: 0, failed: [] as string[] };
  let services: readonly ServiceProcess[] = [];
  const end = new AbortController();
  const call = async (method: string, path: string, body?: object) => {
    const { base } = services[counts.calls++ % services.length]!;
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${shop.key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => error);
    if (answer instanceof Response && answer.ok) return (await answer.json()) as Record<string, unknown>;
    const why = answer instanceof Response ? `${answer.status} ${await answer.text()}` : answer.message;
    counts.failed.push(`${method} ${path}: ${why}`);
    return null;
  };
  const buy = async (path: string, body: object) => {
    const bought = await call('POST', path, body);
    if (bought !== null) counts.purchases++;
    return bought;
  };

  let started: Promise<unknown> | null = null;
  const live = async (_: unknown, who: number) => {
    while (!end.signal.aborted) {
      const code = shop.codes[(counts.rounds + who) % shop.codes.length]!;
      await buy('/v1/consumptions/client-code', { client_code: code, amount: 30 });
      const waiting = { client_email: `newcomer-${who}-${counts.rounds % 5}@example.com`, amount: 12 };
      await buy('/v1/consumptions/email', waiting);
      await call('POST', '/v1/consumptions/preview', { client_code: code, amount: 100 });
      await call('GET', `/v1/clients/${code}`);
      await call('GET', '/v1/clients/list?limit=5');
      const codes = await sql<{ code: number }>`
        select code from vouchers where commerce_id = ${shop.id} and used_at is null order by code limit 1`.execute(
        db,
      );
      for (const { code: voucher } of who === 0 ? codes.rows : [])
        await call('POST', '/v1/benefits/redeem', { client_benefit_code: voucher });
      counts.rounds++;
    }
  };
  return {
    counts,
    /** Calls these processes from now on. Resolves when calls to others have ended and some rounds have been made. */
    async turnTo(next: readonly ServiceProcess[]): Promise<void> {
      services = next;
      started ??= Promise.all(Array.from({ length: CALLERS }, live));
      // A round that has begun may still wait for an answer of the processes before.
      for (const until = counts.rounds + CALLERS + ROUNDS; counts.rounds < until;)
        await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async end(): Promise<void> {
      end.abort();
      await started;
    },
  };
}

/** Stops a process as a supervisor does. */
async function stop({ child }: ServiceProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
}
