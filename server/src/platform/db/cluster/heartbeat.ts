/**
 * The machines of a cluster count together. Each has its own copy of one number, and every few seconds a transaction over all of them raises it. A
 * machine that was restored from an older copy, or a standby that took over without the last commits, has a lower number for good, however
 * much it writes afterwards. It lacks what callers were promised, and nothing else would tell.
 */
import type { DatabaseError } from 'pg';
import { isBusy } from '../database-errors.ts';
import type { Database, Db } from '../database.ts';
import { remembered, type Remembering } from '../memory.ts';
import { sql } from '../sql.ts';
import { askMachines } from './ask-machines.ts';
import { hasCitus } from './shards.ts';

/** A machine of the cluster has an older state than the others. */
export class MachineBehind extends Error {
  constructor(machines: readonly string[]) {
    super(
      `${machines.join(' and ')} of the cluster has an older state than the other machines, so calls would rest on less than was promised: see docs/scaling.md#a-machine-with-an-older-state`,
    );
  }
}

/** Machines are asked again after so long. */
const FRESH_MS = 5_000;
/** The same where one did not answer: it may come back with an older state. */
const UNSURE_MS = 250;
/** Nothing runs before the machines are asked again if nobody asked for so long. */
const STALE_MS = 15_000;

/** What the machines of a cluster said. */
export interface Machines {
  /** The addresses of those with an older state. */
  readonly behind: readonly string[];
  /** The addresses of those that said nothing. */
  readonly silent: readonly string[];
  /** The highest number; 0 before the first beat. */
  readonly latest: number;
}

export const ALL_WELL: Machines = { behind: [], silent: [], latest: 0 };

interface Known {
  /** Nothing runs before the machines are asked if it is `-Infinity`. */
  askedAt: number;
  /** Null while nobody asks. Rejects if the coordinator does not answer. */
  asking: Promise<void> | null;
  /** What they said last. */
  machines: Machines;
  /** The addresses of those that have not answered the last two questions. A machine that is busy may miss one. */
  unheard: readonly string[];
  /** What was lost since the machines were last asked: what they answer may be older than that. */
  lost: 'nothing' | 'a machine' | 'the coordinator';
}

const knowledge = remembered((): Known => ({
  askedAt: -Infinity,
  asking: null,
  machines: ALL_WELL,
  unheard: [],
  lost: 'nothing',
}));

/**
 * Looks after whether all machines of a cluster are of one state, whenever somebody needs a connection. Returns null if they were a moment ago,
 * else a promise, which rejects if the coordinator cannot be asked.
 * @throws MachineBehind if one is not; the promise rejects with the same
 */
export function stayTogether(database: Database): Promise<void> | null {
  const known = knowledge(database);
  const age = performance.now() - known.askedAt;
  askIfDue(database, known);
  // The coordinator may have been lost once more meanwhile.
  if (age > STALE_MS && known.asking !== null)
    return known.asking.then(() => stayTogether(database) ?? undefined);
  refuseBehind(known);
  return null;
}

/** The coordinator was lost, so it may come back with an older state: nothing runs before the machines are asked again. */
export function askBeforeNext(database: Database): void {
  const known = knowledge(database);
  known.askedAt = -Infinity;
  known.lost = 'the coordinator';
}

/** A machine was lost under a statement, so it may come back with an older state: the machines are asked again soon. */
export function askSoon(database: Database): void {
  const known = knowledge(database);
  if (known.lost === 'nothing') known.lost = 'a machine';
}

/** Returns whether a machine of a cluster does not answer. While it does not, it is asked again and again. */
export function isUnheard(database: Database, machine: string): boolean {
  const known = knowledge(database);
  if (!known.unheard.includes(machine)) return false;
  askIfDue(database, known);
  return true;
}

/** Returns what the machines said when they were last asked, for monitoring. */
export function lastHeard(db: Remembering): Machines {
  return knowledge(db).machines;
}

function refuseBehind({ machines: { behind } }: Known): void {
  if (behind.length > 0) throw new MachineBehind(behind);
}

function askIfDue(database: Database, known: Known): void {
  const { lost, machines } = known;
  const isSure = lost === 'nothing' && machines.silent.length === 0 && machines.behind.length === 0;
  if (performance.now() - known.askedAt > (isSure ? FRESH_MS : UNSURE_MS)) ask(database, known);
}

function ask(database: Database, known: Known): void {
  if (known.asking !== null) return;
  known.lost = 'nothing';
  known.asking = askAll(database)
    .then((machines) => {
      if (machines === null) {
        // Some machine has fallen silent while it was asked. The next question finds which, because no connection to it can be opened.
        const { silent } = known.machines;
        known.machines = { ...known.machines, silent: silent.length > 0 ? silent : [SOME] };
      } else {
        known.unheard = machines.silent.filter((machine) => known.machines.silent.includes(machine));
        known.machines = machines;
      }
      if (known.lost !== 'the coordinator') known.askedAt = performance.now();
      return undefined;
    })
    .catch((error: unknown) => {
      if (isBusy(error)) askSoon(database);
      else known.askedAt = -Infinity;
      throw error;
    })
    .finally(() => {
      known.asking = null;
    });
  // Those who wait for the answer are told.
  known.asking.catch(() => {});
}

/**
 * Asks each machine for its number, and raises it if all is well. Returns null if the coordinator could not say what they answered.
 * @throws if the coordinator does not answer
 */
async function askAll(database: Database): Promise<Machines | null> {
  // Whatever asks the pool for a connection comes here again.
  const client = await database.pool.connect();
  const connection: Db = { memory: database.memory, query: (text, values) => client.query(text, values) };
  let isUseless = false;
  try {
    if (!(await hasCitus(connection))) return ALL_WELL;
    const machines = await readMachines(connection);
    // Nobody waits for it. If it fails, the next question tells why.
    if (machines.behind.length === 0 && machines.silent.length === 0)
      beat(database, machines).catch(() => {});
    return machines;
  } catch (error) {
    // The session may answer nothing more.
    isUseless = true;
    if (!isSaidByCoordinator(error)) throw error;
    return null;
  } finally {
    client.release(isUseless);
  }
}

/** Stands for the address of a machine that is not known. */
const SOME = 'a machine';

/** Any other error has ended the connection, or kept it from being opened. */
function isSaidByCoordinator(error: unknown): boolean {
  return (error as Partial<DatabaseError>).severity === 'ERROR';
}

/** While a beat is committed, some machines have it before the others. */
const TRANSIENT = 1;

/** Asks each machine for its number. */
export async function readMachines(connection: Db): Promise<Machines> {
  const answers = await askMachines(connection, 'select coalesce(max(beat), 0) from cluster_heartbeat');
  const beats = answers.flatMap(({ machine, said }) =>
    said === null ? [] : [{ machine, beat: Number(said) }],
  );
  const latest = Math.max(0, ...beats.map(({ beat }) => beat));
  return {
    behind: beats.filter(({ beat }) => beat < latest - TRANSIENT).map(({ machine }) => machine),
    silent: answers.flatMap(({ machine, said }) => (said === null ? [machine] : [])),
    latest,
  };
}

/** Raises the number on all machines, unless somebody has within ten seconds. */
async function beat(database: Database, { latest }: Machines): Promise<void> {
  await (
    latest === 0
      ? sql`-- first-heartbeat
        insert into cluster_heartbeat (beat, at) values (1, now()) on conflict do nothing`
      : sql`-- heartbeat
        update cluster_heartbeat set beat = beat + 1, at = now() where at < now() - interval '10 seconds'`
  ).execute(database);
}
