/**
 * Sends the numbers around every power of two up to 2^63 to every number that comes in: in paths, queries and bodies of
 * all routes, in both imports, and in the rewards of a program. `FUZZ_REQUESTS` of 10,000 or more sends all of them;
 * otherwise a fifth is sent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteOptions } from 'fastify';
import { sql } from '#db/database.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { assertBooksAgree } from '#test/books.ts';
import type { Schema } from '#test/budgets/schemas.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { linesOf } from '#test/releases/csv-lines.ts';

const { app, db } = await service();
const IS_LONG = Number(process.env['FUZZ_REQUESTS'] ?? 0) >= 10_000;

/** As JSON and CSV write them, because most are not exact as numbers. */
const NUMBERS: readonly string[] = [
  ...new Set(
    (IS_LONG
      ? Array.from({ length: 65 }, (_, power) => power)
      : [0, 15, 16, 31, 32, 47, 48, 49, 52, 53, 62, 63, 64]
    )
      .flatMap((power) => [2n ** BigInt(power) - 1n, 2n ** BigInt(power), 2n ** BigInt(power) + 1n])
      .flatMap((number) => [String(number), String(-number)]),
  ),
];

const shop = await makeShop({
  earning: { money_per_point: 0.001, max_amount: 1_000_000_000_000 },
  benefits: [benefit('coffee', { cost: 0 })],
  levels: { threshold_type: 'amount', ladder: [{ name: 'First', threshold: 1, points_multiplier: 2 }] },
});
const member = await shop.member();
const { token } = await shop.browser(member);
const credentials: Readonly<Record<string, Record<string, string>>> = {
  key: { authorization: `Bearer ${shop.key}` },
  user: { authorization: `Bearer ${token}`, 'x-commerce-id': String(shop.id) },
  header: { 'x-commerce-id': String(shop.id) },
};

/** Values that let a request through to the rules, by name. */
const good: Readonly<Record<string, string | number>> = {
  client_code: member.code,
  client_email: member.email,
  client_benefit_code: await shop.voucher(member, 'coffee'),
  consumption_id: await purchaseOf(1_000_000),
  amount: 5,
  benefit_id: 'coffee',
  email: member.email,
  otp: '123456',
  refresh: 'x',
};

test('no number that comes in is a 5xx, whatever its size, and the books agree', async (t) => {
  const seen = new Map<number, number>();
  for (const route of app.routeTable) {
    if (route.method === 'HEAD' || !/^\/v\d/.test(route.url)) continue;
    for (const [part, name] of numbersOf(route)) {
      for (let i = 0; i < NUMBERS.length; i += 8) {
        const answers = await Promise.all(
          NUMBERS.slice(i, i + 8).map(async (number) => {
            const { statusCode } = await app.inject(requestOf(route, part, name, number));
            assert.ok(
              statusCode < 500,
              `${statusCode} to ${String(route.method)} ${route.url}, ${name} ${number}`,
            );
            return statusCode;
          }),
        );
        for (const status of answers) seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    }
  }
  const told = [...seen].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  t.diagnostic(`statuses: ${told.join(', ')}`);
  await assertBooksAgree(db, shop.id);
});

test('imports take a number or say why not, whatever its size, and the books agree', async () => {
  const other = await makeShop({ earning: { money_per_point: 0.001, max_amount: 1_000_000_000_000 } });
  const people = NUMBERS.map((number, i) => `p${i}@example.com,${number}`);
  const members = await importMembers(db, other.id, linesOf(`email,points\n${people.join('\n')}`));
  assert.equal(members.imported + members.refused.length, NUMBERS.length);

  const lines = NUMBERS.flatMap((number, i) => [
    `p${i}@example.com,${number},2020-01-01,1,1`,
    `q${i}@example.com,1,2020-01-02,${number},1`,
    `r${i}@example.com,1,2020-01-03,1,${number}`,
  ]);
  const head = 'client_email,amount,date,id_suc,counter_id';
  const { imported, refused } = await importPurchases(db, other.id, linesOf(`${head}\n${lines.join('\n')}`));
  assert.equal(imported + refused.length, lines.length);
  await assertBooksAgree(db, other.id);
});

test('rewards take a number or say why not, whatever its size, and the books agree', async () => {
  const other = await makeShop();
  let given = 0;
  for (const number of NUMBERS) {
    const refused = await other
      .apply({ rewards: { welcome: { points: Number(number) } } })
      .then(() => false)
      .catch((error: Error) => /points/.test(error.message));
    assert.equal(refused, !(Number(number) >= 1 && Number(number) <= 1_000_000_000), number);
    if (refused) continue;
    await other.member();
    given += 1;
  }
  const { rows } = await sql<{ rewards: number }>`
    select count(*) as rewards from movements where commerce_id = ${other.id} and type = 'reward'`.execute(
    db,
  );
  assert.equal(rows[0]!.rewards, given);
  await assertBooksAgree(db, other.id);
});

async function purchaseOf(amount: number): Promise<number> {
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount });
  return Number(sold.headers.get('x-consumption-id'));
}

type Part = 'params' | 'querystring' | 'body';

function numbersOf({ schema = {} }: RouteOptions): [Part, string][] {
  return (['params', 'querystring', 'body'] as const).flatMap((part) =>
    Object.entries((schema[part] as Schema | undefined)?.properties ?? {})
      .filter(([name, field]) => [field.type].flat().includes('integer') || /code|id$/.test(name))
      .map(([name]): [Part, string] => [part, name]),
  );
}

/** A request that is right but for one number. */
function requestOf(
  { method, url, schema = {}, config }: RouteOptions,
  part: Part,
  name: string,
  number: string,
) {
  const { body } = schema as Partial<Record<Part, Schema>>;
  const path = url.replaceAll(/:(\w+)/g, (_, param: string) =>
    part === 'params' && param === name ? number : String(good[param] ?? '1'),
  );
  const fields = Object.keys(body?.properties ?? {}).flatMap((field) => {
    if (part === 'body' && field === name) return [`"${field}":${number}`];
    return good[field] === undefined ? [] : [`"${field}":${JSON.stringify(good[field])}`];
  });
  return {
    method: method as 'GET',
    url: part === 'querystring' ? `${path}?${name}=${number}` : path,
    headers: {
      ...credentials[config?.credential ?? 'none'],
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { payload: `{${fields.join(',')}}` }),
  };
}
