/**
 * `npm run sign-in-timing -w bench -- [samples]`: whether the time that an answer takes tells what is known of an
 * address. Each sample is an address of its own; the classes take turns in an order that is drawn anew each round.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildApp } from '../server/src/app.ts';
import { openDatabase, sql, type Database } from '../server/src/db/database.ts';
import { withDatabase } from './database.ts';
import { loadMembers } from './load-members.ts';
import { median, rankTest } from './rank-test.ts';

/** What is known of an address before it is asked about. */
interface Kind {
  readonly hasAccount: boolean;
  /** Codes that were sent within the last hour. */
  readonly sends?: number;
  /** Tries of a code that lives. */
  readonly tries?: number;
  /** Of the last 24 hours. */
  readonly failures?: number;
}

const CALLS: Readonly<Record<'request' | 'verify', Readonly<Record<string, Kind>>>> = {
  request: {
    known: { hasAccount: true },
    unknown: { hasAccount: false },
    throttled: { hasAccount: true, sends: 5 },
    locked: { hasAccount: true, failures: 100 },
  },
  verify: {
    known: { hasAccount: true, tries: 0 },
    unknown: { hasAccount: false, tries: 0 },
    'no code': { hasAccount: false },
    throttled: { hasAccount: true, tries: 5 },
    locked: { hasAccount: true, tries: 0, failures: 100 },
  },
};

interface Sampled {
  readonly call: 'request' | 'verify';
  readonly kind: string;
  readonly addresses: string[];
  readonly times: number[];
}

const WARM_UP = 50;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function measure(db: Database, samples: number): Promise<Sampled[]> {
  const { shops } = await loadMembers(db, { members: samples * 6, movements: samples * 6, commerces: 1 });
  const { commerceId } = shops[0]!;
  const sampled = await makeAddresses(db, commerceId, samples);
  const app = await buildApp({ db, log: false, secret: randomBytes(32).toString('hex'), rateLimits: null });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const time = (call: Sampled['call'], email: string) => timeOf(port, commerceId, call, email);
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

/** Addresses of each kind, with what is known of them in the database. */
async function makeAddresses(db: Database, commerceId: number, samples: number): Promise<Sampled[]> {
  let member = 0;
  const sampled: Sampled[] = [];
  for (const call of ['request', 'verify'] as const)
    for (const [kind, { hasAccount, sends = 0, tries, failures = 0 }] of Object.entries(CALLS[call])) {
      const addresses = Array.from({ length: samples }, (_, i) =>
        hasAccount ? `member${++member}@example.com` : `nobody-${call}-${i}@example.com`,
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
      sampled.push({ call, kind, addresses, times: [] });
    }
  await sql`vacuum (analyze)`.execute(db);
  return sampled;
}

/** Milliseconds from the call to the end of its answer, on a connection that is open. */
async function timeOf(
  port: number,
  commerceId: number,
  call: Sampled['call'],
  email: string,
): Promise<number> {
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

/** One line for each class, compared with the known addresses of the same call. */
function tableOf(sampled: readonly Sampled[]): string {
  const line = (...cells: string[]) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(10) : cell.padStart(11))).join('');
  return [
    line('call', 'address', 'median, ms', '95 % below', 'difference', 'p'),
    ...sampled.map(({ call, kind, times }) => {
      const known = sampled.find((one) => one.call === call && one.kind === 'known')!.times;
      const late = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
      const compared =
        kind === 'known'
          ? ['', '']
          : [(median(times) - median(known)).toFixed(3), rankTest(times, known).toFixed(4)];
      return line(call, kind, median(times).toFixed(3), late.toFixed(3), ...compared);
    }),
  ].join('\n');
}

const [samples = 2_000] = process.argv.slice(2).map(Number);
await withDatabase(async ({ url }) => {
  const db = openDatabase({ url, poolSize: 10, preparedStatements: true, statementTimeoutMs: 60_000 });
  try {
    console.log(tableOf(await measure(db, samples)));
  } finally {
    await db.destroy();
  }
});
