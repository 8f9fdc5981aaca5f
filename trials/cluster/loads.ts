/** What goes on in a cluster while something is done to it: purchases, mails to strangers, and seals. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readUndecided } from '../../server/src/platform/db/cluster/undecided.ts';
import { openDatabase, sql, type Database } from '../../server/src/platform/db/database.ts';
import { concludeFault, waitForAcknowledgements, type Bounds, type Outcome } from '../faults/fault.ts';
import { startLoad, type Call } from '../faults/journalled-load.ts';
import type { Service, World } from '../faults/world.ts';
import { startSealing } from './sealing.ts';
import { startStrangers } from './strangers.ts';

export interface Loads {
  /** Waits for so many more purchases. */
  more(count: number): Promise<void>;
  /** How many calls of each status the shops have had so far. */
  statusesOf(commerceIds: readonly number[]): Readonly<Record<number, number>>;
  /** What they were told instead of 201 since an instant of `performance.now()`, with when each call began and how long it took, in ms. */
  refusalsOf(commerceIds: readonly number[], since: number): readonly Readonly<Call>[];
  /** How many purchases were acknowledged so far. */
  acknowledged(): number;
  /** How many heads of the sealed history there were so far. */
  heads(): number;
  /** Ends them, waits until nothing is undecided, and compares everything. */
  conclude(
    name: string,
    endedAt: number,
    bounds: Bounds,
    said?: readonly (string | null)[],
    figures?: Readonly<Record<string, number>>,
  ): Promise<Outcome>;
}

let taken = 1;

/** Starts them. Each has amounts of its own. */
export function startLoads(world: World, { base }: Service, { pauseMs = 100 } = {}): Loads {
  const since = performance.now();
  const firstAmount = taken;
  taken += 1_000_000;
  const load = world.attach(
    startLoad({ bases: [base], tills: world.tills, workers: 8, firstAmount, pauseMs, areKeyed: true }),
  );
  // A purchase of somebody unknown writes a mail, too, and is committed in two phases.
  const strangers = world.attach(startStrangers(base, world.tills, firstAmount + 500_000));
  // What is sealed beside an open commit must not lack it later.
  const sealing = world.attach(startSealing(world.db, world.tills));
  const acknowledged = () => load.calls.filter(({ status }) => status === 201).length;
  return {
    acknowledged,
    more: (count) => waitForAcknowledgements(load, acknowledged() + count),
    statusesOf(commerceIds) {
      const counts: Record<number, number> = {};
      for (const { status, commerceId } of load.calls)
        if (commerceIds.includes(commerceId)) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
    refusalsOf: (commerceIds, from) =>
      load.calls.filter(
        ({ status, commerceId, startedAt }) =>
          status !== 201 && startedAt >= from && commerceIds.includes(commerceId),
      ),
    heads: () => sealing.heads(),
    async conclude(name, endedAt, bounds, said = [], figures = {}) {
      await Promise.all([load.stop(), strangers.stop(), sealing.stop()]);
      // Old connections of the coordinator would find out only now that a machine was away.
      const db = openDatabase({ ...world.db.address, poolSize: 4, statementTimeoutMs: 0 });
      try {
        await untilDecided(db);
        const others = [
          ...said,
          ...(await strangers.check(db, bounds.statuses)),
          ...(await sealing.check(db)),
        ];
        return await concludeFault(name, load, db, endedAt, bounds, others, {
          figures: {
            ...figures,
            mails: strangers.acknowledged(),
            heads: sealing.heads(),
            seconds: Math.round((performance.now() - since) / 1_000),
          },
        });
      } finally {
        await db.destroy();
      }
    },
  };
}

/** Waits until no transaction is prepared any more: Citus looks after them every second. */
export async function untilDecided(db: Database): Promise<void> {
  for (const until = performance.now() + 60_000; performance.now() < until; await sleep(200)) {
    const undecided = await readUndecided(db).catch(() => ['the coordinator does not answer']);
    // The first statement of a connection whose machine was away finds that out, and fails.
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => sql`select count(*) from movements`.execute(db)),
    );
    if (undecided.length === 0 && asked.every(({ status }) => status === 'fulfilled')) return;
  }
  throw new Error('a prepared transaction was never decided');
}

/** Prints an outcome, and what the service has logged of errors that it did not expect. Returns how many promises were not kept. */
export function printOutcome(outcome: Outcome, { log }: Service): number {
  const { acknowledged, lost, doubled, refusedButStored, unknown, differences } = outcome.books;
  const books = { acknowledged, lost, doubled, refusedButStored, unknown, differences };
  const { fault, figures, statuses, longestMs } = outcome;
  console.log(`${fault}: ${JSON.stringify({ ...figures, ...statuses, ...books, longestMs })}`);
  for (const sentence of outcome.failed) console.log(`  FAILED ${sentence}`);
  for (const sentence of outcome.late) console.log(`  late: ${sentence}`);
  for (const line of new Set(log.splice(0).flatMap(wordsOfError))) console.log(`  logged: ${line}`);
  return outcome.failed.length;
}

/** Returns what a line of the log says of an error that the service did not expect. */
function wordsOfError(line: string): string[] {
  const {
    level,
    err,
    msg,
    job = '',
  } = JSON.parse(line.startsWith('{') ? line : '{}') as {
    level?: number;
    msg?: string;
    job?: string;
    err?: { message?: string; code?: string; routine?: string; stack?: string };
  };
  if ((level ?? 0) < 50 || err === undefined) return [];
  const [, at = ''] = /server\/src\/(?!platform\/db\/)(\S+):\d+:/.exec(err.stack ?? '') ?? [];
  return [`${err.code} ${err.message} (${err.routine}, ${at}; ${msg} ${job})`];
}
