import { createKey } from '../server/src/loyalty/commerces/api-keys.ts';
import { checkProgram } from '../server/src/program/check-program.ts';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import { applyProgram } from '../server/src/loyalty/apply/apply-program.ts';
import { makeNames } from './names.ts';

export interface LoadSize {
  readonly members: number;
  /** Past purchases, spread evenly over the members. */
  readonly movements: number;
  readonly commerces: number;
  /** More past purchases of some members. */
  readonly more?: readonly History[];
  /** Gives members names as people have them. Otherwise a member is called `member1`. */
  readonly named?: boolean;
  /** API keys of each commerce that were revoked; by default 20. */
  readonly pastKeys?: number;
}

export interface History {
  readonly member: number;
  readonly purchases: number;
  /** Of each purchase. */
  readonly points: number;
}

/** Members are numbered from 1 to `members`, and each commerce has consecutive numbers. */
export interface Loaded extends LoadSize {
  readonly shops: readonly Shop[];
  readonly seconds: number;
  /** Size of the database on disk. */
  readonly bytes: number;
}

/** A commerce with the members `firstMember … firstMember + members - 1`. */
export interface Shop {
  readonly commerceId: number;
  readonly firstMember: number;
  readonly members: number;
  readonly key: string;
}

/** The code of a member. Random codes would have to be looked up before each call. */
export function codeOf(member: number): number {
  return 100_000_000 + member;
}

/** The commerce of a member, by the member's number, which is also the id of the member and of the user. */
export function shopOf(loaded: Loaded, member: number): Shop {
  return loaded.shops.findLast((shop) => shop.firstMember <= member)!;
}

/** A random member. */
export function anybody(loaded: Loaded): number {
  return 1 + Math.floor(Math.random() * loaded.members);
}

/**
 * Fills an empty, migrated database with commerces, members and their history, in a few large statements. The books
 * agree as if every purchase had been recorded. The sizes of the commerces follow Zipf's law; the first is the largest.
 */
export async function loadMembers(database: Database, size: LoadSize): Promise<Loaded> {
  return fillShops(database, size, await openShops(database, size));
}

/** The same for commerces that are there already, with the program `PROGRAM`. */
export async function fillShops(database: Database, size: LoadSize, shops: readonly Shop[]): Promise<Loaded> {
  const start = performance.now();
  const restore = await setAside(database);
  await insertMovements(database, shops, size);
  await insertMembers(database, shops, size);
  await insertTheRest(database, size);
  await restore();
  await sql`vacuum (analyze)`.execute(database);
  const seconds = (performance.now() - start) / 1000;
  const movements = (size.more ?? []).reduce((sum, { purchases }) => sum + purchases, size.movements);
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database()) as bytes`.execute(database);
  return { ...size, movements, shops, seconds, bytes: rows[0]!.bytes };
}

/** The amount a member pays in a purchase, and the points it earns under `PROGRAM`. */
export const AMOUNT = 120;
export const POINTS = AMOUNT / 2;

/** Benefits to exchange points for, and what the first of them costs. */
export const BENEFIT = { unlimited: 'benefit-1', limited: 'benefit-2' } as const;
export const COST = 100;

const benefits = Array.from({ length: 10 }, (_, i) => ({
  id: i === 0 ? 'hello' : `benefit-${i}`,
  benefit_type: i === 0 ? 'welcome' : 'normal',
  type: 'percentage_discount',
  title: `Benefit ${i}`,
  description: 'Ten per cent off anything on the counter.',
  cost: i === 0 ? null : COST * i,
  value: 10,
  // One benefit counts its sales against a limit that no run reaches.
  buy_limit: i === 2 ? 1_000_000_000 : 0,
}));

// A usual program. The second tier is out of reach, so that a run measures purchases and not tier changes.
export const PROGRAM = {
  currency: 'EUR',
  time_zone: 'Europe/Madrid',
  earning: { money_per_point: 2 },
  levels: {
    ladder: [
      { name: 'Basic', threshold: 0 },
      { name: 'Gold', threshold: 1_000_000_000, points_multiplier: 2 },
    ],
  },
  benefits,
  rewards: { welcome: { benefit: 'hello' } },
};

async function openShops(database: Database, { members, commerces }: LoadSize): Promise<Shop[]> {
  const weight = Array.from({ length: commerces }, (_, i) => 1 / (i + 1));
  const total = weight.reduce((sum, part) => sum + part, 0);
  const shops: Shop[] = [];
  let firstMember = 1;
  for (const [i, part] of weight.entries()) {
    const commerceId = await openShop(database, `shop-${i + 1}`);
    const left = members - firstMember + 1;
    const count = i === commerces - 1 ? left : Math.max(1, Math.floor((members * part) / total));
    shops.push({
      commerceId,
      firstMember,
      members: count,
      key: (await createKey(database, commerceId, 'bench')).key,
    });
    firstMember += count;
  }
  return shops;
}

/** Opens a commerce with the program `PROGRAM`. */
export async function openShop(database: Database, slug: string): Promise<number> {
  const checked = checkProgram({ slug, name: slug, ...PROGRAM });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return (await applyProgram(database, checked.program)).commerceId!;
}

/** Drops foreign keys and secondary indexes; the function returned creates them again. Three times as fast. */
async function setAside(database: Database): Promise<() => Promise<void>> {
  const { rows: keys } = await sql<{ on: string; name: string; definition: string }>`
    select conrelid::regclass::text as "on", conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace`.execute(database);
  const { rows: indexes } = await sql<{ name: string; definition: string }>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index
     where indrelid = 'movements'::regclass and not indisprimary`.execute(database);
  for (const { on, name } of keys)
    await sql`alter table ${sql.id(on)} drop constraint ${sql.id(name)}`.execute(database);
  for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(database);
  return async () => {
    for (const { definition } of indexes) await sql.raw(definition).execute(database);
    for (const { on, name, definition } of keys)
      await sql`alter table ${sql.id(on)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(
        database,
      );
  };
}

/**
 * In order of time, so that the history of a member is scattered over the table, as it is in real life. The JSON of a
 * movement is built once for each number of points, which halves the time.
 */
async function insertMovements(database: Database, shops: readonly Shop[], size: LoadSize): Promise<void> {
  const { members, movements, more = [] } = size;
  const pointsOfMore = sql`${more.map(({ points }) => points)}::bigint[]`;
  await sql`
    with said as materialized (
      select points, format('[["infinity", false, %s]]', points)::jsonb as split,
             format('{"rule": 1, "tier": 1, "factors": [["money", %s, 2000]]}', points)::jsonb as snapshot
        from (select generate_series(1, 200) union select unnest(${pointsOfMore})) as p(points)
    )
    insert into movements (commerce_id, member_id, type, at, recorded_at, points, points_earned, amount, purchases, split, snapshot)
    select (${commercesOf(shops)})[width_bucket(g.member, ${firstMembersOf(shops)})], g.member, 'purchase',
           g.at, g.at, g.points, g.points, 2 * g.points, 1, said.split, said.snapshot
      from (select 1 + g * 7919 % ${members}::bigint as member, 1 + g * 31 % 200 as points,
                   now() - interval '1 year' * (1 - g / ${movements}::float8) as at
              from generate_series(1, ${movements}::bigint) as g
            union all
            select h.member, h.points, now() - interval '1 year' * (1 - n / (h.purchases + 1)::float8)
              from unnest(${more.map(({ member }) => member)}::bigint[],
                          ${more.map(({ purchases }) => purchases)}::bigint[], ${pointsOfMore}) as h(member, purchases, points)
             cross join generate_series(1, h.purchases) as n) as g
      join said on said.points = g.points`.execute(database);
}

async function insertMembers(
  database: Database,
  shops: readonly Shop[],
  { named = false }: LoadSize,
): Promise<void> {
  const joinedAt = sql`now() - interval '2 years'`;
  // All words are inserted together afterwards, which is twice as fast.
  await sql`alter table members disable trigger members_are_found`.execute(database);
  await sql`
    insert into members (commerce_id, id, state, email, user_id, code, ordinal, username, enrolled_at, created_at,
                         points_earned, amount_spent, purchases, moved_on, tier_id, tier_rank, tier_reached_at)
    select s.commerce_id, s.id, 'member', 'member' || s.id || '@example.com', s.id, ${codeOf(0)} + s.id, s.ordinal,
           ${named ? nameOf(sql`s.id`) : sql`'member' || s.id`}, ${joinedAt}, ${joinedAt},
           coalesce(l.earned, 0), coalesce(l.amount, 0), coalesce(l.purchases, 0), (l.last_at at time zone ${PROGRAM.time_zone})::date, 'basic', 1, ${joinedAt}
      from ${placesOf(shops)}
      left join (select member_id, sum(points_earned) as earned, sum(amount) as amount, sum(purchases) as purchases,
                        max(at) as last_at
                   from movements group by member_id) as l on l.member_id = s.id
     order by s.id`.execute(database);
  await sql`alter table members enable trigger members_are_found`.execute(database);
  await sql`
    insert into member_words (commerce_id, member_id, word, name)
    select m.commerce_id, m.id, r.word, r.name
      from members m cross join lateral rows_of_name(m.username) as r
     order by m.id`.execute(database);
  await sql`
    insert into balances (commerce_id, member_id, expires_on, moving, points)
    select commerce_id, id, 'infinity', false, points_earned from members where points_earned > 0
     order by id`.execute(database);
  await sql`
    insert into enrolments (commerce_id, total)
    select commerce_id, count(*) from members group by commerce_id`.execute(database);
}

/** A name that follows from the id. Few first names and surnames are common, and two people in five have two surnames. */
function nameOf(id: ReturnType<typeof sql>) {
  const { first, surnames } = makeNames();
  const random = (seed: number) =>
    sql`(hashint8extended(${id}, ${sql.lit(seed)}) & 2147483647) / 2147483648.0::float8`;
  const one = (names: readonly string[], seed: number, skew: number) =>
    sql`(${names}::text[])[1 + floor(${sql.lit(names.length)} * power(${random(seed)}, ${sql.lit(skew)}))::int]`;
  return sql`${one(first, 1, 3)} || ' ' || ${one(surnames, 2, 6)}
             || case when ${random(3)} < 0.4 then ' ' || ${one(surnames, 4, 6)} else '' end`;
}

/** Accounts, a welcome voucher and an idempotency key for every tenth member, and revoked API keys. */
async function insertTheRest(database: Database, { members, pastKeys = 20 }: LoadSize): Promise<void> {
  await sql`
    insert into users (id, email) select id, email from members order by id`.execute(database);
  await sql`select setval('users_id_seq', ${members}), setval('members_id_seq', ${members})`.execute(
    database,
  );
  await sql`
    insert into vouchers (commerce_id, code, member_id, benefit_id, benefit, source, cost, issued_at)
    select m.commerce_id, 10000000000000 + m.id, m.id, b.id,
           jsonb_build_object('id', b.id, 'benefitType', b.benefit_type, 'type', b.type, 'title', b.title,
                              'description', b.description, 'cost', b.cost, 'value', b.value, 'color', b.color,
                              'image', b.image, 'product', b.product, 'shopCoupon', b.shop_coupon,
                              'expiresAt', b.expires_at, 'validDays', b.valid_days, 'buyLimit', b.buy_limit),
           'welcome', 0, m.enrolled_at
      from members m
      join benefits b on b.commerce_id = m.commerce_id and b.id = 'hello'
     where m.id % 10 = 0`.execute(database);
  await sql`
    insert into rewards (commerce_id, member_id, event, period, given_at)
    select commerce_id, id, 'welcome', '', enrolled_at from members where id % 10 = 0`.execute(database);
  await sql`
    insert into idempotency_keys (commerce_id, operation, key, fingerprint, result)
    select m.commerce_id, 'purchase', 'past-' || m.id, sha256('past'), m.id
      from movements m where m.id <= ${members / 10}`.execute(database);
  await sql`
    insert into api_keys (hash, commerce_id, name, prefix, revoked_at)
    select sha256(convert_to(c.id || '/' || n, 'UTF8')), c.id, 'of the past', 'lk_live_', now()
      from commerces c cross join generate_series(1, ${pastKeys}::integer) as n`.execute(database);
}

/** The number, commerce and place in the list of each member, as `s`. */
function placesOf(shops: readonly Shop[]) {
  return sql`(
        select s.commerce_id, s.first + n as id, n + 1 as ordinal
          from unnest(${commercesOf(shops)}, ${firstMembersOf(shops)},
                      ${shops.map((shop) => shop.members)}::bigint[]) as s(commerce_id, first, members)
         cross join generate_series(0, s.members - 1) as n
      ) as s`;
}

function commercesOf(shops: readonly Shop[]) {
  return sql`${shops.map((shop) => shop.commerceId)}::bigint[]`;
}

function firstMembersOf(shops: readonly Shop[]) {
  return sql`${shops.map((shop) => shop.firstMember)}::bigint[]`;
}
