/**
 * Grows everything that is stored about a hundredfold, then reads again. The cost of a read must not grow with the amount stored. It is
 * counted in rows and pages, which PostgreSQL counts exactly, not in time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { expectTampering, testDatabaseUrl } from '#test/database.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { linesOf } from '#test/releases/csv-lines.ts';
import { withExplainedDatabase } from '#test/explain-statements.ts';
import { buildApp } from '../../src/app.ts';
import { onOneServer } from '#test/on-cluster.ts';

const { db } = await service();
const shop = await makeShop(programWith(3));
expectTampering(shop.id);
const member = await shop.member();
const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 50 });
await shop.sell(member, 5);
const [used, unused] = [await shop.voucher(member, 'free-1'), await shop.voucher(member, 'free-1')];
await shop.post('/v1/benefits/redeem', { client_benefit_code: used }, { 'idempotency-key': 'one' });
await call('PUT', '/v1/orders/order-1', {
  headers: { authorization: `Bearer ${shop.key}` },
  body: { client_code: member.code, status: 'paid', paid: 5, refunded: 0, codes: [], version: 1 },
});
const { token } = await shop.browser(member);
const page = await (await shop.browser(member)).get('/v1/me/activity');
assert.equal(page.status, 200);

const FACTOR = 100;
/** A member has points on at most 366 days if they expire after a year, and a page of the history has 20 lines. */
const ROWS_OF_A_MEMBER = 450;
/** By route: 100 clients with their points; the newest 1,000 codes that were used; a page of 100 codes. */
const MORE_ROWS: Readonly<Record<string, number>> = {
  'GET /v1/clients/list': 600,
  'GET /v1/clients/:client_code/benefits': 1_000,
  'GET /v1/me/benefits': 1_000,
  'GET /v1/clients/:client_code/benefits/past': 101,
  'GET /v1/me/benefits/past': 101,
};

test(
  'what a read costs does not grow with what is stored',
  { skip: onOneServer('a plan at the coordinator does not show the work of the others') },
  async (t) => {
    const before = await costOfReads();
    await growEverything();
    const after = await costOfReads();
    const told: string[] = [];
    for (const [name, was] of before) {
      const is = after.get(name)!;
      const line = `${name}: ${was.rows} rows, ${was.pages} pages; then ${is.rows} rows, ${is.pages} pages`;
      told.push(line);
      const more = ROWS_OF_A_MEMBER + (MORE_ROWS[name] ?? 0);
      assert.ok(is.rows <= 2 * was.rows + more, line);
      assert.ok(is.pages <= 3 * was.pages + 2 * more, line);
    }
    t.diagnostic(`\n${told.join('\n')}`);
  },
);

interface Cost {
  readonly rows: number;
  readonly pages: number;
}

/** Reads every GET route of the interface once. */
async function costOfReads(): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  let cost: Cost = { rows: 0, pages: 0 };
  const count = (plan: { rows: number; buffers: number }) => {
    cost = { rows: cost.rows + plan.rows, pages: cost.pages + plan.buffers };
  };
  await withExplainedDatabase(await testDatabaseUrl(), count, async (watched) => {
    const app = await buildApp({ db: watched, log: false, secret: SECRET });
    for (const { method, url, config } of app.routeTable) {
      if (method !== 'GET' || !/^\/v\d/.test(url) || isExport(url)) continue;
      cost = { rows: 0, pages: 0 };
      const answer = await app.inject({
        url: pathOf(url),
        headers: credentials[config?.credential ?? 'none'] ?? {},
      });
      assert.equal(answer.statusCode, 200, `${url}: ${answer.body}`);
      costs.set(`GET ${url}`, cost);
    }
    await app.close();
  });
  return costs;
}

/** An export shows everything that is stored, page by page, and so does a snapshot of events. */
function isExport(url: string): boolean {
  return url.startsWith('/v1/exports/') || url === '/v1/events/snapshot';
}

const credentials: Readonly<Record<string, Record<string, string>>> = {
  key: { authorization: `Bearer ${shop.key}` },
  user: { authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) },
  header: { 'x-commerce-id': String(shop.id) },
};

function pathOf(url: string): string {
  const values: Readonly<Record<string, unknown>> = {
    client_code: member.code,
    client_benefit_code: unused,
    consumption_id: sold.headers.get('x-consumption-id'),
    benefit_id: 'free-1',
    external_id: 'order-1',
  };
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => String(values[name]));
  return url === '/v1/clients/list' ? `${path}?limit=100` : path;
}

function programWith(benefits: number) {
  return {
    benefits: Array.from({ length: benefits }, (_, i) => benefit(`free-${i}`, { cost: 0 })),
    levels: { ladder: [{ id: 'first', name: 'First', threshold: 0 }] },
    points_expiration: { mode: 'rolling', months: 12 },
    rewards: { welcome: { points: 5 } },
  };
}

async function growEverything(): Promise<void> {
  await shop.apply(programWith(3 * FACTOR));
  const people = Array.from({ length: 3 * FACTOR }, (_, i) => `p${i}-${shop.slug}@example.com,5`);
  await importMembers(db, shop.id, linesOf(`email,points\n${people.join('\n')}`));
  const mine = sql`commerce_id = ${shop.id} and member_id = ${member.memberId}`;
  await grow(
    'movements',
    sql`${mine} and type = 'purchase'`,
    sql`'id', nextval('movements_id_seq'), 'at', r.at - n * interval '1 hour'`,
  );
  await grow(
    'vouchers',
    sql`${mine} and used_at is not null`,
    sql`'code', 20000000000000 + n * 17, 'issued_at', r.issued_at - n * interval '1 hour'`,
    50,
  );
  await grow('balances', sql`${mine}`, sql`'expires_on', r.expires_on + n`);
  await grow(
    'orders',
    sql`commerce_id = ${shop.id}`,
    sql`'external_id', r.external_id || n, 'purchase_id', null, 'placed_at', r.placed_at - n * interval '1 hour'`,
    5,
  );
  await grow('rewards', sql`${mine}`, sql`'event', 'birthday', 'period', (2100 + n)::text`);
  // A purchase has one id of the shop's at most.
  await grow(
    'idempotency_keys',
    sql`commerce_id = ${shop.id} and operation <> 'import'`,
    sql`'key', r.key || n`,
  );
  await grow(
    'sessions',
    sql`user_id = ${member.userId}`,
    sql`'id', nextval('sessions_id_seq'), 'handle', '\\x' || md5(n::text || r.id)`,
    20,
  );
  await grow('outbox', sql`true`, sql`'id', nextval('outbox_id_seq')`);
  await grow(
    'api_keys',
    sql`commerce_id = ${shop.id}`,
    sql`'id', nextval('api_keys_id_seq'), 'hash', '\\x' || md5(n::text) || md5(r.id::text)`,
  );
  await sql`analyze`.execute(db);
}

/** Copies the rows of a table, each with other values of some columns. */
async function grow(
  table: string,
  which: ReturnType<typeof sql>,
  changes: ReturnType<typeof sql>,
  times = 1,
): Promise<void> {
  await sql`
    insert into ${sql.raw(table)}
    select (jsonb_populate_record(r, jsonb_build_object(${changes}))).*
      from ${sql.raw(table)} r, generate_series(1, ${(FACTOR - 1) * times}::int) n
     where ${which}`.execute(db);
}
