/** PostgreSQL is stopped, killed or frozen under load, and started again at the same address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import {
  concludeFault,
  sleepUntilAcknowledged,
  waitForAcknowledgements,
  type Bounds,
  type Outcome,
} from './fault.ts';
import { MIXED, startMixedLoad } from './mixed-load.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import type { Random } from '../../server/test/create-random.ts';
import { makeWorld, sentenceIfEnded, type Service, type World } from './world.ts';

const WAYS = ['fast', 'immediate', 'postmaster killed', 'backend killed', 'all backends ended'] as const;

/** The longest that the service may take to acknowledge again once PostgreSQL accepts connections. */
const RESUME_MS = 2_000;

export function stoppedPostgres(rounds: number, random: Random): Promise<Outcome> {
  const figures: Record<string, number> = { 'stops of PostgreSQL': rounds };
  const bounds = { longestMs: 10_000 };
  return breakPostgres(
    { fault: 'stops of PostgreSQL', rounds, random, services: 2, bounds, figures },
    async ({ postgres }, round) => {
      await sleep(100 + random.below(900));
      const way = WAYS[round % WAYS.length]!;
      figures[`PostgreSQL: ${way}`] = (figures[`PostgreSQL: ${way}`] ?? 0) + 1;
      if (way === 'fast') await postgres.stop('SIGINT');
      else if (way === 'immediate') await postgres.stop('SIGQUIT');
      else if (way === 'postmaster killed') await postgres.stop('SIGKILL');
      else if (way === 'backend killed') await killBackend(postgres.adminUrl, random);
      else await endBackends(postgres.adminUrl);
      const wasStopped = (await postgres.processes()).length === 0;
      if (wasStopped) await sleep(random.below(1_000));
      await postgres.start();
    },
  );
}

/** The database server is frozen: it accepts connections, and answers nothing. */
export function frozenPostgres(rounds: number, random: Random, frozenMs: number): Promise<Outcome> {
  return breakPostgres({ fault: 'PostgreSQL frozen', rounds, random }, async ({ postgres }) => {
    const frozen = await postgres.processes();
    for (const pid of frozen) sendSignal(pid, 'SIGSTOP');
    await sleep(frozenMs);
    for (const pid of frozen) sendSignal(pid, 'SIGCONT');
  });
}

/** Somebody else takes every connection that PostgreSQL allows, and keeps it. */
export function noConnectionsLeft(rounds: number, random: Random, takenMs: number): Promise<Outcome> {
  return breakPostgres({ fault: 'no connections left', rounds, random }, async ({ postgres, world }) => {
    const before = await postgres.readLog();
    const held = await readBackends(postgres.adminUrl);
    const greedy = openDatabase({ url: world.url.href, poolSize: 250, preparedStatements: false });
    const taken = Array.from({ length: 250 }, () =>
      sql`select pg_sleep(${takenMs / 1_000})`.execute(greedy).catch(() => {}),
    );
    // End the connections that the service holds, so that it has to ask for new ones like everybody else.
    for (const pid of held) sendSignal(pid, 'SIGTERM');
    await Promise.all(taken);
    await greedy.destroy();
    const refused = (await postgres.readLog()).slice(before.length);
    if (!/too many clients|remaining connection slots/.test(refused))
      throw new Error('PostgreSQL had connections left');
  });
}

interface Breaking {
  readonly fault: string;
  readonly rounds: number;
  readonly random: Random;
  readonly services?: number;
  readonly bounds?: Bounds;
  readonly figures?: Readonly<Record<string, number>>;
}

interface Broken {
  readonly postgres: OwnPostgres;
  readonly world: World;
}

/** Breaks and mends a PostgreSQL of its own, once a round, while services work on it. */
async function breakPostgres(
  { fault, rounds, random, services: count = 1, bounds = {}, figures = {} }: Breaking,
  breakAndMend: (broken: Broken, round: number) => Promise<void>,
): Promise<Outcome> {
  const postgres = await startOwnPostgres();
  const world = await makeWorld(postgres.adminUrl, { members: 60 });
  try {
    const services: Service[] = [];
    while (services.length < count) services.push(await world.startService());
    const load = world.attach(
      startMixedLoad({ bases: services.map(({ base }) => base), tills: world.tills, random }),
    );
    await waitForAcknowledgements(load, 100);
    const endedAt: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await breakAndMend({ postgres, world }, round);
      endedAt.push(performance.now());
      await sleepUntilAcknowledged(load, endedAt.at(-1)!);
    }
    return await concludeFault(
      fault,
      load,
      world.db,
      endedAt,
      { statuses: MIXED, firstAcknowledgedMs: RESUME_MS, ...bounds },
      services.map(sentenceIfEnded),
      { figures },
    );
  } finally {
    await world.remove();
    await postgres.remove();
  }
}

/** kill -9 of one backend makes PostgreSQL end all others and recover from its log. */
async function killBackend(adminUrl: string, random: Random): Promise<void> {
  sendSignal(random.pick(await readBackends(adminUrl)), 'SIGKILL');
}

async function endBackends(adminUrl: string): Promise<void> {
  for (const pid of await readBackends(adminUrl)) sendSignal(pid, 'SIGTERM');
}

/** @throws if the service has no connection, because then nothing would be broken */
async function readBackends(adminUrl: string): Promise<number[]> {
  const admin = openDatabase({ url: adminUrl, poolSize: 1, preparedStatements: false });
  try {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where application_name = 'loyalty' and pid <> pg_backend_pid()`.execute(
      admin,
    );
    if (rows.length === 0) throw new Error('the service has no connection to PostgreSQL');
    return rows.map(({ pid }) => pid);
  } finally {
    await admin.destroy();
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
