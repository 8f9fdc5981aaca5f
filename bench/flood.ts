import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { codeOf, shopOf } from './load-members.ts';
import { settledCount } from './measure.ts';
import { median, percentile } from './median.ts';
import { AMOUNT } from './pgbench-scripts.ts';
import { purchases } from './scripts.ts';
import type { Site } from './sites.ts';
import { countAnswers } from './wrk.ts';

/** More callers at once than there is room for: what they are told, and how the service is afterwards. */
export interface Flood {
  readonly connections: number;
  readonly seconds: number;
  /** Answers by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that were refused or broke, and answers that took longer than 10 s. */
  readonly unanswered: number;
  /** Answers of 503 that do not say when to come back. */
  readonly withoutRetryAfter: number;
  readonly recordedPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the service, in bytes. */
  readonly memory: Readonly<Record<'before' | 'firstHalf' | 'secondHalf' | 'most' | 'after', number>>;
  /** From the end of it until the next purchase was recorded. */
  readonly recoveredMs: number;
  /** How long a purchase takes that is alone on the service, on a connection of its own: the median of 50. */
  readonly singleMs: { readonly before: number; readonly after: number };
}

const CONNECTIONS = 1_024;
const SINGLES = 50;

/**
 * Sends purchases on a thousand connections at once, each asking again as soon as it is answered.
 * @throws where a purchase is answered that is not in the books, or the service takes none within a minute of it
 */
export async function measureFlood(site: Site, seconds: number): Promise<Flood> {
  const { db, loaded, service } = site;
  const before = { singleMs: await buyAlone(site), memory: await service.memory() };
  const booked = await settledCount(db, 'purchases');
  const memory = watchMemory(site);
  const load = { port: service.port, script: purchases(loaded), connections: CONNECTIONS, seconds };
  const answered = await countAnswers(load).finally(memory.stop);
  const recoveredMs = await untilRecorded(site);
  const after = { singleMs: await buyAlone(site), memory: await service.memory() };
  const recorded = answered.statuses['201'] ?? 0;
  checkBooked(recorded + 1 + SINGLES, (await settledCount(db, 'purchases')) - booked);
  const { statuses, unanswered, withoutRetryAfter, p50Ms, p99Ms } = answered;
  return {
    connections: CONNECTIONS,
    seconds,
    statuses,
    unanswered,
    withoutRetryAfter,
    recordedPerSecond: recorded / answered.seconds,
    p50Ms,
    p99Ms,
    memory: { before: before.memory, ...memory.seen(), after: after.memory },
    recoveredMs,
    singleMs: { before: before.singleMs, after: after.singleMs },
  };
}

/** What there was beside purchases that were recorded and refusals for now: it spoils the run. */
export function spoiltBy({ statuses }: Flood): string[] {
  return Object.keys(statuses).filter((status) => status !== '201' && status !== '503');
}

/** Looks every half second, until it is stopped. */
function watchMemory({ service }: Site) {
  const samples: number[] = [];
  const timer = setInterval(() => void service.memory().then((bytes) => samples.push(bytes)), 500);
  return {
    stop: () => clearInterval(timer),
    seen: () => {
      const half = Math.ceil(samples.length / 2);
      return {
        firstHalf: median(samples.slice(0, half)) ?? NaN,
        secondHalf: median(samples.slice(half)) ?? NaN,
        most: Math.max(...samples),
      };
    },
  };
}

async function untilRecorded(site: Site): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < 60_000) {
    const status = await buy(site);
    if (status === 201) return performance.now() - start;
    if (status !== 503 && status !== 0) throw new Error(`after a thousand callers one got ${status}`);
    await setTimeout(10);
  }
  throw new Error('no purchase was recorded for a minute after a thousand callers at once');
}

/** @throws where one is refused */
async function buyAlone(site: Site): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < SINGLES; i++) {
    const start = performance.now();
    const status = await buy(site);
    if (status !== 201) throw new Error(`a purchase alone on the service was answered with ${status}`);
    took.push(performance.now() - start);
  }
  return percentile(took, 0.5);
}

/** One purchase on a connection of its own; gives the status of its answer, 0 where there is none. */
async function buy({ loaded, service }: Site): Promise<number> {
  const member = 1 + Math.floor(Math.random() * loaded.members);
  const asked = request({
    host: '127.0.0.1',
    port: service.port,
    method: 'POST',
    path: '/v1/consumptions/client-code',
    headers: {
      authorization: `Bearer ${shopOf(loaded, member).key}`,
      'content-type': 'application/json',
    },
    agent: false,
    timeout: 10_000,
  });
  asked.on('timeout', () => asked.destroy());
  // What breaks before the answer ends the wait below; nothing that breaks after it may end the run.
  asked.on('error', () => {});
  asked.end(JSON.stringify({ client_code: codeOf(member), amount: AMOUNT }));
  try {
    const [answer] = await once(asked, 'response');
    await once(answer.resume(), 'end');
    return answer.statusCode;
  } catch {
    return 0;
  }
}

/** What was under way when the callers hung up may stand in the books too. */
function checkBooked(answered: number, made: number): void {
  if (made < answered || made > answered + CONNECTIONS)
    throw new Error(`of a thousand callers ${answered} were answered and ${made} are in the books`);
}
