/**
 * Documents that an older release stored lack the fields that the model has had since. Each field with a default is taken out of a stored
 * program in turn: the shop goes on as if the default stood there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { sql, sqlState } from '#db/database.ts';
import { checkProgram } from '#program/check-program.ts';
import { programSchema } from '#program/program.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { programField } from '#commerces/program-field.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, stampCard, type Shop } from '#test/make.ts';

const { db } = await service();

type Path = readonly (string | number)[];
type Json = Record<string, unknown>;

/** A program in which every section, list and nullable field says something that its own fields can stand in. */
const FULL: Json = {
  earning: {
    money_per_point: 1,
    double_points: [{ from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }],
    cap: { points: 100, per: 'day' },
    rules: [{ id: 'coffee', title: 'Coffee', give: { multiply: 2 } }],
  },
  points_expiration: { mode: 'rolling', months: 12 },
  levels: { ladder: [{ name: 'Bronze', threshold: 0 }] },
  rewards: {
    welcome: { points: 5 },
    birthday: { points: 5 },
    monthly_top: { points: 5 },
  },
  mail: {},
  branches: [{ id: 3, name: 'Harbour Street' }],
  benefits: [
    {
      ...benefit('coffee', { type: 'free_product', cost: 0, value: undefined }),
      product: { id: 12, name: 'Coffee' },
      shop_coupon: {
        type: 'percentage',
        value: 10,
        product: { shop_id: 4, name: 'Coffee', categories: [{ id: 7, name: 'Drinks' }] },
      },
    },
  ],
};

/** For fields whose default only goes with these. */
const ALSO: Json = {
  ...FULL,
  earning: {
    money_per_point: 1,
    rules: [{ id: 'coffee', title: 'Coffee', give: { points: 2, per: 'unit' } }],
  },
  points_expiration: { mode: 'none' },
  rewards: {
    welcome: { benefit: 'welcome' },
    birthday: { benefit: 'birthday' },
    monthly_top: { benefit: 'monthly-top' },
  },
  benefits: [
    ...(FULL['benefits'] as Json[]),
    ...['welcome', 'birthday', 'monthly_top'].map((kind) =>
      benefit(kind.replace('_', '-'), { benefit_type: kind, cost: 0 }),
    ),
  ],
};

/** Points wait for days, or until they are confirmed. */
const WAITING: readonly Json[] = [{ days: 5 }, { until: 'confirmed', cancel_after_days: 5 }].map(
  (pending) => ({
    ...FULL,
    earning: { money_per_point: 1, pending },
  }),
);

/** A card gives a benefit that is not for sale. */
const STAMPING: Json = {
  ...FULL,
  stamps: [stampCard('lunch', 'dessert')],
  benefits: [
    ...(FULL['benefits'] as Json[]),
    benefit('dessert', { type: 'free_product', value: undefined, cost: 0, on_sale: false }),
  ],
};

const fields = defaultedFields(programSchema, []);

test('the model has fields with a default at every depth', () => {
  assert.ok(fields.length > 50, String(fields.length));
  assert.ok(fields.some(({ path }) => path.length > 6));
});

for (const { path, otherwise } of fields) {
  test(`a program stored without ${path.join('.')} is as good as one with its default`, async () => {
    const file = [FULL, ALSO, ...WAITING, STAMPING]
      .map((said) =>
        withValue(
          { slug: 'x', name: 'x', currency: 'EUR', time_zone: 'Europe/Madrid', ...said },
          path,
          otherwise,
        ),
      )
      .find((said) => checkProgram(said).ok);
    assert.ok(file, 'a program with this default');
    const { slug: _, ...said } = file;
    const aged = await makeShop(said);
    if (!(await takeOut(aged, path))) return;
    assert.deepEqual(await answersOf(aged), await answersUnder(said));

    const checked = checkProgram({ ...file, slug: aged.slug });
    assert.ok(checked.ok);
    assert.deepEqual((await applyProgram(db, checked.program)).changes, []);
    await assertBooksAgree(db, aged.id);
  });
}

test('a benefit and a code lack what was not kept yet when they were stored, and have its default', async () => {
  const parts = fields.filter(({ path }) => path[0] === 'benefits' && path.length > 3);
  const facts = ['benefitType', 'description', 'cost', 'value', 'color', 'image', 'product', 'shopCoupon'];
  const more = ['expiresAt', 'validDays', 'buyLimit'];
  const shop = await makeShop(FULL);
  for (const path of [
    ...parts.map(({ path: [, , part, ...rest] }) => [part === 'shop_coupon' ? 'shopCoupon' : part, ...rest]),
    ...[...facts, ...more].map((fact) => [fact]),
  ]) {
    const browser = await shop.browser(await shop.member());
    await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' });
    const [part, ...rest] = path.map(String);
    const column = part === 'shopCoupon' ? 'shop_coupon' : 'product';
    if (rest.length > 0)
      await sql`
        update benefits set ${sql.id(column)} = ${sql.id(column)} #- ${rest}::text[]
         where commerce_id = ${shop.id} and id = 'coffee'`.execute(db);
    const [kept] = (await browser.get('/v1/me/benefits')).body as { client_benefit_code: number }[];
    await sql`
      update vouchers set benefit = benefit #- ${[part, ...rest]}::text[]
       where commerce_id = ${shop.id} and code = ${kept!.client_benefit_code}`.execute(db);

    const { client_benefit_code: code, ...mine } = (
      (await browser.get('/v1/me/benefits')).body as (typeof kept)[]
    )[0]!;
    const { benefit: shown } = mine as unknown as { benefit: object };
    const offered = (await shop.get('/v1/benefits/coffee')).body;
    if (rest.length > 0) assert.deepEqual(offered, shown, path.join('.'));
    for (const answer of [
      await browser.get('/v1/me/activity'),
      await shop.get(`/v1/benefits/preview/${code}`),
      await shop.get(`/v2/benefits/preview/${code}`),
      await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }),
      await shop.post('/v1/benefits/redeem', { client_benefit_code: code }),
    ])
      assert.equal(answer.status, 200, path.join('.'));
  }
});

test('a reward hands out a benefit as it was stored before its coupon had categories', async () => {
  const coupon = { type: 'percentage', value: 10, product: { shop_id: 4, name: 'Coffee' } };
  const shop = await makeShop({
    rewards: { welcome: { benefit: 'gift' } },
    benefits: [benefit('gift', { benefit_type: 'welcome', cost: 0, shop_coupon: coupon })],
  });
  await sql`
    update benefits set shop_coupon = shop_coupon #- '{product,categories}' where commerce_id = ${shop.id}`.execute(
    db,
  );
  const member = await shop.member();
  assert.deepEqual(member.welcomeBenefit?.shopCoupon?.product?.categories, []);
  const rewards = (await (await shop.browser(member)).get('/v1/me/rewards')).body;
  assert.match(JSON.stringify(rewards), /"categories":\[\]/);
});

test('SQL that asks a stored program for a field gets the default where it has none', async () => {
  for (const { path, otherwise } of fields.filter(({ path }) => path.length <= 2)) {
    const field = programField(...path.map(String));
    const { rows } = await sql<{ absent: unknown; empty: unknown }>`
      select (select ${field} from (select '{}'::jsonb as program) as p) as absent,
             (select ${field} from (select ${JSON.stringify({ [path[0]!]: null })}::jsonb as program) as p) as empty`.execute(
      db,
    );
    assert.deepEqual(rows, [{ absent: otherwise, empty: otherwise }], path.join('.'));
  }
});

test('a program that cannot be read is the trouble of its own shop, in the middle of the calls of others', async () => {
  const [broken, whole] = [await makeShop(FULL), await makeShop(FULL)];
  const members = [await broken.member(), await whole.member()];
  await sql`
    with written as (
      insert into programs (commerce_id, version, program)
      select commerce_id, 2, program - 'currency' from programs where commerce_id = ${broken.id}
    )
    update commerces set program_version = 2 where id = ${broken.id}`.execute(db);
  const { app } = await service();
  const ask = async (shop: Shop, code: number) => {
    const headers = { authorization: `Bearer ${shop.key}` };
    const at = { 'x-commerce-id': String(shop.id) };
    const body = { client_code: code, amount: 3 };
    const answers = await Promise.all([
      app.inject({ method: 'POST', url: '/v1/consumptions/client-code', headers, payload: body }),
      app.inject({ method: 'GET', url: `/v1/clients/${code}`, headers }),
      app.inject({ method: 'GET', url: '/v1/benefits/list', headers }),
      app.inject({ method: 'GET', url: '/v1/public/commerce', headers: at }),
    ]);
    return answers.map(({ statusCode }) => statusCode);
  };
  for (let round = 0; round < 10; round++) {
    const [bad, good] = await Promise.all([ask(broken, members[0]!.code), ask(whole, members[1]!.code)]);
    assert.deepEqual(good, [201, 200, 200, 200]);
    assert.deepEqual(bad, [500, 500, 500, 500]);
  }
});

/** Takes a field out of what is stored; false where a constraint keeps it in every stored program. */
async function takeOut(shop: Shop, path: Path): Promise<boolean> {
  try {
    await sql`
      update programs set program = program #- ${path.map(String)}::text[]
       where commerce_id = ${shop.id}`.execute(db);
    return true;
  } catch (error) {
    if (sqlState(error) === '23514') return false;
    throw error;
  }
}

/** Returns the answers of a shop whose program was stored today; many of these programs come to the same. */
async function answersUnder(said: Json): Promise<unknown[]> {
  const checked = checkProgram({ ...said, slug: 'x' });
  assert.ok(checked.ok);
  const key = JSON.stringify(checked.program);
  const answers = known.get(key) ?? makeShop(said).then(answersOf);
  known.set(key, answers);
  return answers;
}

const known = new Map<string, Promise<unknown[]>>();

/** Returns the answers to the shop, a visitor and a member; ids, codes and instants differ between shops and are left out. */
async function answersOf(shop: Shop): Promise<unknown[]> {
  const member = await shop.member();
  await shop.sell(member, 30);
  const browser = await shop.browser(member);
  const answers: Answer[] = [
    await shop.visit('/v1/public/commerce'),
    await shop.visit('/v1/public/benefits'),
    await shop.get('/v1/benefits/list'),
    await shop.get('/v1/clients/list'),
    await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 12 }),
    await shop.post('/v1/consumptions/preview', { client_code: member.code, amount: 12 }),
    await browser.get('/v1/me'),
    await browser.get('/v1/me/level'),
    await browser.get('/v1/me/rewards'),
    await browser.get('/v1/me/activity'),
    await browser.get('/v1/me/benefits/available'),
    await browser.post('/v1/me/benefits/exchange', { benefit_id: 'coffee' }),
    await browser.get('/v1/me/benefits'),
  ];
  return answers.map(({ status, text }) => [
    status,
    text.replace(
      /"(\w*_date|reached_at|date|client_benefit_code|code|id|email|username)":("[^"]*"|\d+)/g,
      '"$1":…',
    ),
  ]);
}

interface Field {
  readonly path: Path;
  readonly otherwise: unknown;
}

/** Every field of the model that may be left out, with the first entry of each list. */
function defaultedFields(schema: TSchema, path: Path): Field[] {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (anyOf) return anyOf.flatMap((option) => defaultedFields(option, path));
  if (items) return defaultedFields(items, [...path, 0]);
  return Object.entries(properties ?? {}).flatMap(([key, field]) => [
    ...('default' in field ? [{ path: [...path, key], otherwise: field.default }] : []),
    ...defaultedFields(field, [...path, key]),
  ]);
}

function withValue(said: Json, path: Path, value: unknown): Json {
  const copy = structuredClone(said);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as typeof at;
  at[path.at(-1)!] = structuredClone(value);
  return copy;
}
