/**
 * The machines of a cluster count together. Each has its own copy of one number, and every few seconds a transaction over all of them raises it. A
 * machine that was restored from an older copy, or a standby that took over without the last commits, has a lower number for good, however
 * much it writes afterwards. It lacks what callers were promised, and nothing else would tell.
 */
import type { Database, Db } from '../database.ts';
import { remembered, type Remembering } from '../memory.ts';
import { sql } from '../sql.ts';
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
  /** How many said nothing. */
  readonly silent: number;
  /** The highest number; 0 before the first beat. */
  readonly latest: number;
}

const ALL_WELL: Machines = { behind: [], silent: 0, latest: 0 };

interface Known {
  askedAt: number;
  /** Null while nobody asks. */
  asking: Promise<void> | null;
  /** What they said last. */
  machines: Machines;
  isSure: boolean;
}

const knowledge = remembered((): Known => ({
  askedAt: -Infinity,
  asking: null,
  machines: ALL_WELL,
  isSure: true,
}));

/**
 * Looks after whether all machines of a cluster are of one state, whenever somebody needs a connection. Returns null if they were a moment ago,
 * else a promise.
 * @throws MachineBehind if one is not; the promise rejects with the same
 */
export function stayTogether(database: Database): Promise<void> | null {
  const known = knowledge(database);
  const age = performance.now() - known.askedAt;
  if (age > (known.isSure && known.machines.behind.length === 0 ? FRESH_MS : UNSURE_MS)) ask(database, known);
  if (age > STALE_MS && known.asking !== null) return known.asking.then(() => refuseBehind(known));
  refuseBehind(known);
  return null;
}

/** The coordinator was lost, so it may come back with an older state: nothing runs before the machines are asked again. */
export function askBeforeNext(database: Database): void {
  knowledge(database).askedAt = -Infinity;
}

/** A machine was lost under a statement, so it may come back with an older state: the machines are asked again soon. */
export function askSoon(database: Database): void {
  knowledge(database).isSure = false;
}

/** Returns what the machines said when they were last asked, for monitoring. */
export function lastHeard(db: Remembering): Machines {
  return knowledge(db).machines;
}

function refuseBehind({ machines: { behind } }: Known): void {
  if (behind.length > 0) throw new MachineBehind(behind);
}

function ask(database: Database, known: Known): void {
  known.asking ??= askMachines(database)
    // Without the coordinator nothing runs anyway.
    .catch(() => null)
    .then((machines) => {
      known.isSure = machines?.silent === 0;
      known.machines = machines ?? known.machines;
      known.askedAt = machines === null ? -Infinity : performance.now();
      known.asking = null;
      return undefined;
    });
}

async function askMachines(database: Database): Promise<Machines> {
  const client = await database.pool.connect();
  try {
    // Whatever asks the pool for a connection comes here again.
    const unasked: Database = { ...database, query: (text, values) => client.query(text, values) };
    if (!(await hasCitus(unasked))) return ALL_WELL;
    const machines = await readMachines(unasked);
    if (machines.behind.length === 0 && machines.silent === 0) await beat(unasked, machines);
    return machines;
  } finally {
    client.release();
  }
}

/** While a beat is committed, some machines have it before the others. */
const TRANSIENT = 1;

/** Asks each machine for its number. */
export async function readMachines(db: Db): Promise<Machines> {
  const { rows } = await sql<{ machine: string; beat: number | null }>`-- read-heartbeats
    select coalesce(n.nodename || ':' || n.nodeport, 'the coordinator') as machine,
           case when r.success then r.result::bigint end as beat
      from run_command_on_all_nodes('select coalesce(max(beat), 0) from cluster_heartbeat') r
      left join pg_dist_node n on n.nodeid = r.nodeid`.execute(db);
  const latest = Math.max(...rows.map(({ beat }) => beat ?? 0));
  return {
    behind: rows
      .filter(({ beat }) => beat !== null && beat < latest - TRANSIENT)
      .map(({ machine }) => machine),
    silent: rows.filter(({ beat }) => beat === null).length,
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
