/** The clock of the service, or of PostgreSQL, jumps while both run. */
import { existsSync, mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSmtpSink } from '../../server/test/smtp-sink.ts';
import { sql } from '../../server/src/platform/db/database.ts';
import { concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { createClient, type Client } from './http-client.ts';
import { startLoad } from './journalled-load.ts';
import { startOwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { makeWorld, sentenceIfEnded, type Till } from './world.ts';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Returns why no clock can be changed here, or null if one can. */
export function whyNoFakeTime(): string | null {
  return existsSync(LIBRARY) ? null : 'libfaketime is not installed';
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
const JUMPS = [-2 * HOUR, DAY, 30 * 365 * DAY, -10 * 365 * DAY, 25 * HOUR, -HOUR, 59, -61] as const;

/** The service's clock jumps. Codes and tokens are judged by the database's, so signing in works at any time. */
export async function jumpingService(serverUrl: string, rounds: number, random: Random): Promise<Outcome> {
  const clock = openClock();
  const sink = await openSmtpSink();
  const world = await makeWorld(serverUrl);
  const client = createClient();
  try {
    const service = await world.startService({ ...clock.env, SMTP_URL: sink.url, TRUST_PROXY: '127.0.0.1' });
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills, workers: 8 }));
    await waitForAcknowledgements(load, 50);
    const failed: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const email = `round-${round}@example.com`;
      const jump = random.pick(JUMPS);
      const refusal = await signInAcross(client, service.base, world.tills[0]!, email, sink, () =>
        clock.jump(jump),
      );
      if (refusal !== null) failed.push(`after a jump of ${jump} s: ${refusal}`);
    }
    clock.jump(0);
    return await concludeFault('the clock of the service jumps', load, world.db, [], { statuses: [201] }, [
      ...failed,
      sentenceIfEnded(service),
    ]);
  } finally {
    client.close();
    await world.remove();
    await sink.close();
    clock.remove();
  }
}

/** PostgreSQL's clock jumps, which is everybody's. Purchases go on, and the books agree. */
export async function jumpingDatabase(rounds: number, random: Random): Promise<Outcome> {
  const clock = openClock();
  const postgres = await startOwnPostgres({ env: clock.env });
  const world = await makeWorld(postgres.adminUrl);
  try {
    const service = await world.startService();
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
    await waitForAcknowledgements(load, 50);
    const endedAt: number[] = [];
    const failed: (string | null)[] = [];
    for (let round = 0; round < rounds; round++) {
      const jumped = clock.jump(random.pick(JUMPS));
      endedAt.push(performance.now());
      const readClock = async () => {
        const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(world.db);
        return rows[0]!.now.getTime();
      };
      failed.push((await hasJumped(readClock, jumped)) ? null : 'the clock did not jump');
      await sleep(500 + random.below(500));
    }
    await sleep(1_000);
    return await concludeFault('the clock of PostgreSQL jumps', load, world.db, endedAt, {}, [
      ...failed,
      sentenceIfEnded(service),
    ]);
  } finally {
    await world.remove();
    await postgres.remove();
    clock.remove();
  }
}

/** Asks for a code, lets the clock jump, and signs in with it. Returns what was refused, or null. */
async function signInAcross(
  client: Client,
  base: string,
  till: Till,
  email: string,
  sink: Awaited<ReturnType<typeof openSmtpSink>>,
  jump: () => number,
): Promise<string | null> {
  const shop = { 'x-commerce-id': String(till.commerceId), 'x-forwarded-for': `10.1.${email.length}.1` };
  const asked = await client.send('POST', `${base}/v1/auth/otp/request`, shop, { email });
  if (asked.status !== 200) return `a code was refused with ${asked.status}`;
  const isMine = ({ to }: { to: readonly string[] }) => to.includes(email);
  const until = performance.now() + 60_000;
  while (!sink.received.some(isMine)) {
    if (performance.now() > until) return 'no code arrived';
    await sleep(20);
  }
  const jumped = jump();
  const readClock = async () => {
    const { headers } = await client.send('GET', `${base}/healthz`, {});
    return Date.parse(String(headers['date']));
  };
  if (!(await hasJumped(readClock, jumped))) return 'the clock did not jump';
  const otp = /\b(\d{3}) ?(\d{3})\b/.exec(
    sink.received.find(isMine)!.raw.split('\r\n\r\n').slice(1).join('\n'),
  );
  const verified = await client.send('POST', `${base}/v1/auth/otp/verify`, shop, {
    email,
    otp: `${otp?.[1]}${otp?.[2]}`,
  });
  if (verified.status !== 200) return `the code was refused with ${verified.status} ${verified.body}`;
  const { access, expires_in: seconds } = JSON.parse(verified.body) as { access: string; expires_in: number };
  if (seconds !== 900) return `the token is good for ${seconds} s`;
  const me = await client.send('GET', `${base}/v1/me`, { ...shop, authorization: `Bearer ${access}` });
  return me.status === 200 ? null : `the new token was refused with ${me.status}`;
}

/**
 * Whether a clock comes to be so many seconds away from ours, give or take a busy machine. The library looks at the file once a
 * second, and Node writes a date again for as long.
 */
async function hasJumped(readClock: () => Promise<number>, seconds: number): Promise<boolean> {
  const until = performance.now() + 10_000;
  do {
    if (Math.abs((await readClock()) - Date.now() - seconds * 1_000) < 20_000) return true;
    await sleep(100);
  } while (performance.now() < until);
  return false;
}

/** A clock that processes with these variables follows. */
export function openClock(): { env: Record<string, string>; jump(seconds: number): number; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-clock-'));
  chmodSync(folder, 0o755);
  const file = join(folder, 'offset');
  const jump = (seconds: number) => {
    writeFileSync(file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    return seconds;
  };
  jump(0);
  return {
    env: {
      LD_PRELOAD: LIBRARY,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    jump,
    remove: () => rmSync(folder, { recursive: true }),
  };
}
