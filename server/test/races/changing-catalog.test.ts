/** Programs are applied while the catalog is read. */
import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import type { QueryResult } from 'pg';
import { openDatabase, sql } from '#db/database.ts';
import type { App } from '#http/server.ts';
import { cluster, databaseUrl, PATIENT } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { buildApp } from '../../src/app.ts';

const CATALOG = '/v1/public/benefits';
const { db } = await service();
/** Another process on the same database, as far as a process keeps anything. */
const elsewhere = await buildApp({ db, log: false, secret: SECRET });
after(() => elsewhere.close());

/** One is sold of `scarce`: in three of seven versions that is all, so that two versions in one answer could be told. */
function version(i: number) {
  return {
    name: `Version ${i}`,
    benefits: [
      benefit('scarce', { cost: 0, buy_limit: isSoldOut(i) ? 1 : 0, title: `Scarce ${i}` }),
      benefit('always', { title: `Always ${i}` }),
    ],
  };
}

function isSoldOut(i: number): boolean {
  return i % 7 < 3;
}

/** Returns the version that an answer shows. Fails if it shows more than one. */
function versionShown(text: string): number {
  const titles = (JSON.parse(text) as { prize: { title: string } }[]).map(({ prize }) => prize.title);
  const i = Number(titles.at(-1)!.split(' ')[1]);
  assert.deepEqual(titles, [...(isSoldOut(i) ? [] : [`Scarce ${i}`]), `Always ${i}`]);
  return i;
}

async function shopOfVersions(): Promise<Shop> {
  const shop = await makeShop(version(1));
  await shop.voucher(await shop.member(), 'scarce');
  return shop;
}

test('while programs are applied, every answer shows one version only, never one older than the last applied', async () => {
  const shop = await shopOfVersions();
  const headers = { 'x-commerce-id': String(shop.id) };
  const readers = [
    async () => (await shop.visit(CATALOG)).text,
    async () => (await elsewhere.inject({ url: CATALOG, headers })).body,
  ];
  let applied = 1;
  let reads = 0;
  const read = async (text: () => Promise<string>) => {
    const atLeast = applied;
    const shown = versionShown(await text());
    assert.ok(shown >= atLeast, `version ${shown} after ${atLeast} was applied`);
    reads += 1;
  };
  const isDone = () => applied === 30;
  const readOn = async (text: () => Promise<string>) => {
    while (!isDone()) await read(text);
  };
  const apply = async () => {
    while (!isDone()) {
      await shop.apply(version(applied + 1));
      applied += 1;
      await Promise.all(readers.map(read));
    }
  };
  await Promise.all([apply(), ...Array.from({ length: 8 }, (_, i) => readOn(readers[i % 2]!))]);
  assert.ok(reads > 100, `only ${reads} reads`);
});

/** The service on connections of its own, where `after` happens between the end of a statement and its result. */
async function appThatWaits(t: TestContext, after: (statement: string) => Promise<void>): Promise<App> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
  const slow = openDatabase({
    url: databaseUrl(rows[0]!.name),
    poolSize: 5,
    preparedStatements: true,
    cluster,
    patience: PATIENT,
    onConnection(client) {
      const query = client.query.bind(client) as (text: string, values: unknown[]) => Promise<QueryResult>;
      const watched = async (text: string, values: unknown[]) => {
        const result = await query(text, values);
        await after(text);
        return result;
      };
      client.query = watched as typeof client.query;
    },
  });
  const app = await buildApp({ db: slow, log: false, secret: SECRET });
  t.after(async () => {
    await app.close();
    await slow.destroy();
  });
  return app;
}

test('a program that is applied between the statements of one read does not affect its answer', async (t) => {
  const shop = await shopOfVersions();
  let applied = 1;
  const app = await appThatWaits(t, async () => {
    applied += 1;
    await shop.apply(version(applied));
  });
  const headers = { 'x-commerce-id': String(shop.id) };
  for (let read = 0; read < 10; read++) {
    const atLeast = applied;
    assert.ok(versionShown((await app.inject({ url: CATALOG, headers })).body) >= atLeast);
  }
  assert.ok(applied > 10);
});

test(
  'who asks after a change does not get what was read for others before it',
  { timeout: 10_000 },
  async (t) => {
    const shop = await shopOfVersions();
    const looked = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    t.after(() => changed.resolve());
    let isFirst = true;
    const app = await appThatWaits(t, async (statement) => {
      if (!isFirst || !statement.startsWith('-- read-shelves')) return;
      isFirst = false;
      looked.resolve();
      await changed.promise;
    });
    const ask = async () => {
      const headers = { 'x-commerce-id': String(shop.id) };
      return versionShown((await app.inject({ url: CATALOG, headers })).body);
    };
    const before = ask();
    await looked.promise;
    await shop.apply(version(2));
    const late = await ask();
    changed.resolve();
    assert.deepEqual([await before, late, await ask()], [1, 2, 2]);
  },
);
