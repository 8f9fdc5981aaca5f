/**
 * The limit below which nothing can go: what a purchase, a balance and an exchange cost PostgreSQL at the very least, if 64 of
 * them share one statement. Nothing of the service takes part. The tables have the columns that a correct answer
 * needs and no others; each statement is durable, refuses people it does not know, and never makes a balance negative.
 * Anything that makes these programs slower flatters the service.
 *
 * `npm run limit -w bench [-- members rounds]` measures them alone.
 */
import { randomInt } from 'node:crypto';
import { Client } from 'pg';
import { SESSION_OPTIONS } from '../server/src/platform/db/database.ts';
import { buyersOf, membersOf } from './cast.ts';
import { startHello, startThinService, type Child } from './child.ts';
import { withDatabase, withServer } from './database.ts';
import { AMOUNT, codeOf, COST, POINTS } from './load-members.ts';
import { thinLoadsOf, type HttpLoad } from './loads.ts';
import * as lua from './lua.ts';
import { watchPostgres } from './machine.ts';
import { costOf, measureHttp, measureLimit, type Measured } from './measure.ts';
import { median } from './statistics.ts';

/** Sends batches, one after the other, for some seconds. Returns the number of calls that were answered. */
export type Limit = (seconds: number) => Promise<number>;

/** The limits by the names of their loads, and a check of their books. */
export interface Limits {
  readonly url: string;
  readonly loads: Readonly<Record<`limit, ${string}`, Limit>>;
  /** @throws if a balance is not the sum of its movements, or a voucher was not paid */
  check(): Promise<void>;
}

/** Calls that share a statement. Nobody is in a batch twice: a second call of a member waits for the next batch. */
export const BATCH = 64;
const COMMERCES = 50;

/** Runs `work` with the limits on a database of their own, in which each member has made ten purchases. */
export async function withLimits<T>(
  serverUrl: string,
  members: number,
  work: (limits: Limits) => Promise<T>,
): Promise<T> {
  return withDatabase(serverUrl, 'empty', async ({ url }) => {
    const client = new Client({ connectionString: url, options: SESSION_OPTIONS });
    await client.connect();
    try {
      await client.query(TABLES);
      await client.query(fill(members));
      await client.query('vacuum (analyze)');
      return await work(createLimits(client, url, members));
    } finally {
      await client.end();
    }
  });
}

/** One batch of calls. Each returns a row for every call that succeeded. */
export interface Batches {
  readonly buy: (calls: readonly { readonly member: number; readonly amount: number }[]) => Promise<Row[]>;
  readonly balances: (members: readonly number[]) => Promise<Row[]>;
  readonly exchange: (
    calls: readonly { readonly member: number; readonly voucher: number }[],
  ) => Promise<Row[]>;
}

/** The row that the caller gets. The driver reads bigint as text. */
type Row = { readonly code: string } & Record<string, string>;

/** The statements on an open connection. */
export function createBatches(client: Client): Batches {
  const run = async (name: string, text: string, values: unknown[]) =>
    (await client.query<Row>({ name, text, values })).rows;
  const namesOf = (members: readonly number[]) => [members.map(commerceOf), members.map(codeOf)];
  return {
    buy: (calls) =>
      run('purchase', PURCHASE, [
        ...namesOf(calls.map(({ member }) => member)),
        calls.map(({ amount }) => amount),
        calls.map(({ amount }) => (amount * POINTS) / AMOUNT),
      ]),
    balances: (members) => run('balance', BALANCE, namesOf(members)),
    exchange: (calls) =>
      run('exchange', EXCHANGE, [
        ...namesOf(calls.map(({ member }) => member)),
        calls.map(({ voucher }) => voucher),
        calls.map(() => COST),
      ]),
  };
}

export const TABLES = `
  create table members (
    commerce_id bigint not null,
    code        bigint not null,
    points      bigint not null check (points >= 0),
    primary key (commerce_id, code)
  ) with (fillfactor = 70);
  create table movements (
    commerce_id bigint not null,
    code        bigint not null,
    id          bigint generated always as identity,
    at          timestamptz not null default now(),
    points      bigint not null,
    amount      bigint,
    voucher     bigint,
    primary key (commerce_id, code, id)
  );
  create table vouchers (
    commerce_id bigint not null,
    voucher     bigint not null,
    code        bigint not null,
    cost        bigint not null,
    at          timestamptz not null default now(),
    primary key (commerce_id, voucher)
  )`;

const PURCHASE = `
  with bought as (
    update members m
       set points = m.points + c.points
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as c(commerce_id, code, amount, points)
     where m.commerce_id = c.commerce_id and m.code = c.code
    returning m.commerce_id, m.code, c.amount, c.points
  )
  insert into movements (commerce_id, code, amount, points)
  select commerce_id, code, amount, points from bought
  returning code, id`;

const BALANCE = `
  select m.code, m.points
    from unnest($1::bigint[], $2::bigint[]) as c(commerce_id, code)
    join members m on m.commerce_id = c.commerce_id and m.code = c.code`;

const EXCHANGE = `
  with paid as (
    update members m
       set points = m.points - c.cost
      from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) as c(commerce_id, code, voucher, cost)
     where m.commerce_id = c.commerce_id and m.code = c.code and m.points >= c.cost
    returning m.commerce_id, m.code, c.voucher, c.cost
  ), issued as (
    insert into vouchers (commerce_id, voucher, code, cost)
    select commerce_id, voucher, code, cost from paid
  )
  insert into movements (commerce_id, code, points, voucher)
  select commerce_id, code, -cost, voucher from paid
  returning code, voucher`;

/** Ten purchases of everybody, in order of time, and points for many exchanges. */
export function fill(members: number): string {
  const buyers = membersOf(buyersOf(members)).join(',');
  return `
    insert into movements (commerce_id, code, points, amount)
    select m % ${COMMERCES}, ${codeOf(0)} + m, points, 2 * points
      from (select 1 + g * 7919 % ${members} as m, 1 + g * 31 % 200 as points
              from generate_series(1, 10 * ${members}::bigint) as g
            union all
            select m, 400000000 from unnest('{${buyers}}'::bigint[]) as m) as past;
    insert into members (commerce_id, code, points)
    select commerce_id, code, sum(points) from movements group by commerce_id, code order by code`;
}

function commerceOf(member: number): number {
  return member % COMMERCES;
}

const CHECK = `
  select (select count(*)
            from members m
            join (select commerce_id, code, sum(points) as points from movements group by commerce_id, code) as l
              on l.commerce_id = m.commerce_id and l.code = m.code
           where l.points <> m.points) as wrong,
         (select count(*) from vouchers) - (select count(*) from movements where voucher is not null) as unpaid`;

function createLimits(client: Client, url: string, members: number): Limits {
  const batches = createBatches(client);
  const buyers = membersOf(buyersOf(members));
  // Codes count up, so that they never collide. The service draws random ones.
  let vouchers = 0;
  const anybody = () => pick(() => randomInt(1, members + 1));
  const buyer = () => pick(() => buyers[randomInt(buyers.length)]!);
  return {
    url,
    loads: {
      'limit, purchase': repeat(() => batches.buy(anybody().map((member) => ({ member, amount: AMOUNT })))),
      'limit, balance': repeat(() => batches.balances(anybody())),
      'limit, exchange': repeat(() =>
        batches.exchange(buyer().map((member) => ({ member, voucher: vouchers++ }))),
      ),
    },
    async check() {
      const { rows } = await client.query<{ wrong: string; unpaid: string }>(CHECK);
      if (rows[0]!.wrong !== '0' || rows[0]!.unpaid !== '0')
        throw new Error(`the books of the limit do not agree: ${JSON.stringify(rows[0])}`);
    },
  };
}

/** Different members, as many as share a batch. */
function pick(one: () => number): number[] {
  const members = new Set<number>();
  while (members.size < BATCH) members.add(one());
  return [...members];
}

function repeat(batch: () => Promise<unknown[]>): Limit {
  return async (seconds) => {
    const until = performance.now() + seconds * 1000;
    let answered = 0;
    while (performance.now() < until) {
      const { length } = await batch();
      if (length !== BATCH) throw new Error(`${length} of ${BATCH} calls were answered`);
      answered += length;
    }
    return answered;
  };
}

/** Prints the limits and, measured in the same rounds, the thin service that puts them behind HTTP. */
async function tell(serverUrl: string, limits: Limits, members: number, rounds: number): Promise<void> {
  const seconds = 2;
  const hello = await startHello('node');
  const thin = await startThinService(limits.url);
  const measured: Record<string, Measured[]> = {};
  try {
    await withDatabase(serverUrl, 'empty', async ({ db }) => {
      const postgres = await watchPostgres(db);
      const ask = (service: Child, load: HttpLoad) => measureHttp(postgres, { service, db }, load, seconds);
      for (let round = 0; round < rounds; round++) {
        const said = await ask(hello, { name: 'hello', script: lua.hello, connections: 64 });
        for (const [name, limit] of Object.entries(limits.loads))
          (measured[name] ??= []).push(await measureLimit(postgres, limit, said, seconds));
        for (const load of thinLoadsOf(members)) (measured[load.name] ??= []).push(await ask(thin, load));
      }
    });
    await limits.check();
  } finally {
    await thin.stop();
    await hello.stop();
  }
  for (const [name, each] of Object.entries(measured)) {
    const of = (figure: (one: Measured) => number | undefined) =>
      median(each.map((one) => figure(one) ?? NaN)).toFixed(1);
    console.log(
      `${name}: ${of((one) => one.nodeMicros)} + ${of((one) => one.postgresMicros)} = ${of(costOf)} µs`,
    );
  }
}

if (import.meta.main) {
  const [members = 100_000, rounds = 3] = process.argv.slice(2).map(Number);
  await withServer((serverUrl) =>
    withLimits(serverUrl, members, (limits) => tell(serverUrl, limits, members, rounds)),
  );
}
