/**
 * `npm run sign-in-timing -w bench -- [samples]`: whether the time of an answer reveals if an address has an account.
 * Each sample uses a new address, and the kinds of address take turns in a random order.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../server/src/app.ts';
import { openDatabase, sql, type Database } from '../server/src/platform/db/database.ts';
import { withDatabase, withServer } from './database.ts';
import { loadMembers } from './load-members.ts';
import { median, percentile, rankTest } from './statistics.ts';

/** A call, and what the service knows about the address before it. */
interface Kind {
  readonly call: 'request' | 'verify';
  readonly kind: string;
  readonly hasAccount: boolean;
  /** Codes sent within the last hour. */
  readonly sends?: number;
  /** Wrong tries of a code that is still valid; without it there is no code. */
  readonly tries?: number;
  /** Failed sign-ins of the last 24 hours. */
  readonly failures?: number;
}

const KINDS: readonly Kind[] = [
  { call: 'request', kind: 'known', hasAccount: true },
  { call: 'request', kind: 'unknown', hasAccount: false },
  { call: 'request', kind: 'throttled', hasAccount: true, sends: 5 },
  { call: 'request', kind: 'locked', hasAccount: true, failures: 100 },
  { call: 'verify', kind: 'known', hasAccount: true, tries: 0 },
  { call: 'verify', kind: 'unknown', hasAccount: false, tries: 0 },
  { call: 'verify', kind: 'no code', hasAccount: false },
  { call: 'verify', kind: 'throttled', hasAccount: true, tries: 5 },
  { call: 'verify', kind: 'locked', hasAccount: true, tries: 0, failures: 100 },
];

/** The addresses of one kind, and how long their calls took. */
interface Sampled extends Kind {
  readonly addresses: readonly string[];
  readonly times: number[];
}

const WARM_UP = 50;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function measure(db: Database, samples: number): Promise<Sampled[]> {
  const { shops } = await loadMembers(db, { members: samples * 6, movements: samples * 6, commerces: 1 });
  const { commerceId } = shops[0]!;
  const sampled = await makeAddresses(db, commerceId, samples);
  const app = await buildApp({ db, log: false, secret: [randomBytes(32).toString('hex')], rateLimits: null });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const time = (call: Kind['call'], email: string) => timeOf(port, commerceId, call, email);
  try {
    for (let i = 0; i < WARM_UP; i++)
      for (const call of ['request', 'verify'] as const) await time(call, `warm-${i}@example.com`);
    for (let i = 0; i < samples; i++)
      for (const { call, addresses, times } of shuffled(sampled)) times.push(await time(call, addresses[i]!));
  } finally {
    agent.destroy();
    await app.close();
  }
  return sampled;
}

/** Addresses of each kind, with their rows in the database. */
async function makeAddresses(db: Database, commerceId: number, samples: number): Promise<Sampled[]> {
  let member = 0;
  const sampled: Sampled[] = [];
  for (const kind of KINDS) {
    const { call, hasAccount, sends = 0, tries, failures = 0 } = kind;
    const addresses = Array.from({ length: samples }, (_, i) =>
      hasAccount
        ? `member${++member}@example.com`
        : `nobody-${call}-${kind.kind.replace(' ', '-')}-${i}@example.com`,
    );
    await sql`
      insert into sign_in_sends (commerce_id, email, sent_at)
      select ${commerceId}, e, now() - n * interval '1 minute'
        from unnest(${addresses}::text[]) e, generate_series(1, ${sends}::integer) n`.execute(db);
    await sql`
      insert into sign_in_failures (email, network)
      select e, '10.0.0.' || n
        from unnest(${addresses}::text[]) e, generate_series(1, ${failures}::integer) n`.execute(db);
    if (tries !== undefined)
      await sql`
        insert into sign_in_codes (commerce_id, email, hash, tries, expires_at)
        select ${commerceId}, e, ${randomBytes(32)}::bytea, ${tries}, now() + interval '1 day'
          from unnest(${addresses}::text[]) e`.execute(db);
    sampled.push({ ...kind, addresses, times: [] });
  }
  await sql`vacuum (analyze)`.execute(db);
  return sampled;
}

/** Milliseconds from the call to the end of its answer, on an open connection. */
async function timeOf(port: number, commerceId: number, call: Kind['call'], email: string): Promise<number> {
  const body = JSON.stringify({ email, otp: '000000' });
  const start = performance.now();
  const sent = request({
    agent,
    port,
    method: 'POST',
    path: `/v1/auth/otp/${call}`,
    headers: { 'content-type': 'application/json', 'x-commerce-id': commerceId },
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  const expected = call === 'request' ? 200 : 400;
  if (answer.statusCode !== expected) throw new Error(`${call} answered ${answer.statusCode}`);
  return performance.now() - start;
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}

/** One line for each kind of address, compared with the known addresses of the same call. */
function tableOf(sampled: readonly Sampled[]): string {
  const line = (...cells: string[]) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(10) : cell.padStart(11))).join('');
  return [
    line('call', 'address', 'median, ms', '95 % below', 'difference', 'p'),
    ...sampled.map(({ call, kind, times }) => {
      const known = sampled.find((one) => one.call === call && one.kind === 'known')!.times;
      const compared =
        kind === 'known'
          ? ['', '']
          : [(median(times) - median(known)).toFixed(3), rankTest(times, known).toFixed(4)];
      return line(call, kind, median(times).toFixed(3), percentile(times, 0.95).toFixed(3), ...compared);
    }),
  ].join('\n');
}

const [samples = 2_000] = process.argv.slice(2).map(Number);
await withServer((serverUrl) =>
  withDatabase(serverUrl, 'migrated', async ({ url }) => {
    const db = openDatabase({ url, poolSize: 10, preparedStatements: true, statementTimeoutMs: 60_000 });
    console.log(tableOf(await measure(db, samples)));
    await db.destroy();
  }),
);
