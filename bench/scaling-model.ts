/**
 * What an installation of many shops needs, computed from what calls cost on one machine. Pure: figures in, figures out. Each cost says where
 * it was measured. What was never measured at that size is computed, and docs/scaling.md says so.
 */

/** Processor time in microseconds, of Node and of PostgreSQL. */
export interface Micros {
  readonly node: number;
  readonly postgres: number;
}

/** From docs/profile.md: a transaction with one purchase, and one with 20 by different members. */
const BATCHES = {
  one: { node: 760, postgres: 843 },
  twenty: { node: 1_470, postgres: 1_817 },
};
/** From docs/profile.md: HTTP, the driver and the statements of a service without rules, of each call. */
const HTTP_MICROS = 37;
/** From docs/benchmarks.md, at 32 callers. */
const BALANCE: Micros = { node: 37, postgres: 14 };
const EXCHANGE: Micros = { node: 226, postgres: 206 };
/** From docs/benchmarks.md. */
const BYTES_OF_PURCHASE = 396;
const LOG_OF_PURCHASE = 1_003;
/** The most calls of a transaction (`server/src/platform/batching/batch.ts`). */
const LARGEST_BATCH = 512;
/** From docs/benchmarks-million.md: 4,798 MB for 2,000,000 members with ten movements each, less the movements. */
const BYTES_OF_MEMBER = 940;
/** Of a mix: 70 % reads, 25 % purchases, 3 % exchanges, 2 % redemptions, of a purchase. */
const READS = 2.8;
const EXCHANGES = 0.2;
/** As in docs/capacity.md. */
const SHARE_OF_BUSIEST_HOUR = 0.2;
const BURST = 4;
/** A core that is busier than this makes calls wait. */
const USABLE = 0.6;

const slope = (of: keyof Micros) => (BATCHES.twenty[of] - BATCHES.one[of]) / 19;
const fixed = (of: keyof Micros) => BATCHES.one[of] - slope(of);

/** Returns what a purchase costs in a transaction with so many. */
export function costOfPurchase(batch: number): Micros {
  return {
    node: HTTP_MICROS + slope('node') + fixed('node') / batch,
    postgres: slope('postgres') + fixed('postgres') / batch,
  };
}

/**
 * Returns how many purchases share a transaction at so many a second: those that arrive while the one before them runs. Batches of one writer
 * run one after the other. Null if more arrive than one writer can take.
 */
export function batchAt(perSecond: number): number | null {
  const [each, whole] = [slope('node') + slope('postgres'), fixed('node') + fixed('postgres')].map(
    (micros) => micros / 1e6,
  ) as [number, number];
  if (perSecond * each >= 1) return null;
  const batch = Math.max(1, (perSecond * whole) / (1 - perSecond * each));
  return batch > LARGEST_BATCH ? null : batch;
}

/** The most purchases a second of one writer. */
export const MOST_OF_WRITER =
  LARGEST_BATCH / ((micros(LARGEST_BATCH).node + micros(LARGEST_BATCH).postgres) / 1e6);

function micros(batch: number): Micros {
  return {
    node: fixed('node') + batch * slope('node'),
    postgres: fixed('postgres') + batch * slope('postgres'),
  };
}

export interface Traffic {
  readonly shops: number;
  readonly membersOfShop: number;
  /** Purchases of a member in a week. */
  readonly purchasesInWeek: number;
}

/** What traffic needs, in the worst seconds of the busiest hour. */
export interface Needs {
  readonly purchasesOfDay: number;
  /** Purchases a second in the busiest hour, and in its bursts. */
  readonly usual: number;
  readonly burst: number;
  /** How many writers share the bursts: starts on machines of their own. */
  readonly writers: number;
  readonly batch: number;
  /** Cores of Node and of PostgreSQL, at most `USABLE` of each busy. */
  readonly nodeCores: number;
  readonly postgresCores: number;
  /** In a year, without the log. */
  readonly terabytesOfYear: number;
  /** Write-ahead log and answers, in the bursts. */
  readonly logMegabytesOfSecond: number;
  /** The part of five minutes that the jobs which follow the ledger need for one round over all shops, one worker. */
  readonly roundOfJobs: number;
}

/** Returns what traffic needs on one PostgreSQL. */
export function needsOf(traffic: Traffic, jobMs: JobCosts = JOBS): Needs {
  const { shops, membersOfShop, purchasesInWeek } = traffic;
  const members = shops * membersOfShop;
  const purchasesOfDay = (members * purchasesInWeek) / 7;
  const usual = (purchasesOfDay * SHARE_OF_BUSIEST_HOUR) / 3_600;
  const burst = usual * BURST;
  let writers = 1;
  while (batchAt(burst / writers) === null) writers += 1;
  const batch = batchAt(burst / writers)!;
  const purchase = costOfPurchase(batch);
  const cores = (of: keyof Micros) =>
    (burst * (purchase[of] + READS * BALANCE[of] + EXCHANGES * EXCHANGE[of])) / 1e6 / USABLE;
  // Shops at which something was bought in the last five minutes of the busiest hour.
  const visited = shops * (1 - Math.exp((-usual * 300) / shops));
  return {
    purchasesOfDay,
    usual,
    burst,
    writers,
    batch,
    nodeCores: cores('node'),
    postgresCores: cores('postgres'),
    terabytesOfYear: (purchasesOfDay * 365 * BYTES_OF_PURCHASE + members * BYTES_OF_MEMBER) / 1e12,
    logMegabytesOfSecond: (burst * LOG_OF_PURCHASE) / 1e6,
    roundOfJobs: (visited * jobMs.visit + shops * jobMs.look) / 300_000,
  };
}

export interface JobCosts {
  /** Milliseconds for a shop with new movements: sealed, counted for the reports and compared. */
  readonly visit: number;
  /** Milliseconds for each shop in the statements that look for those. */
  readonly look: number;
}

/** From `npm run job-rounds -w bench`, with 1,000 shops at each of which one purchase was made, or none. */
export const JOBS: JobCosts = { visit: 16, look: 0.009 };

/** The limits of one installation, in the order in which they are usually met. */
const LIMITS: readonly {
  readonly name: string;
  readonly answer: string;
  readonly used: (needs: Needs) => number;
}[] = [
  {
    name: 'one process',
    answer: 'PROCESSES=auto',
    used: ({ nodeCores }) => nodeCores,
  },
  {
    name: 'the jobs of one worker',
    answer: 'more workers do not help: one takes a kind of job at a time',
    used: ({ roundOfJobs }) => roundOfJobs,
  },
  {
    name: 'one writer',
    answer: 'a second machine with the service',
    used: ({ burst }) => burst / MOST_OF_WRITER,
  },
  {
    name: 'PostgreSQL on 16 cores',
    answer: 'a larger machine',
    used: ({ postgresCores }) => postgresCores / 16,
  },
  {
    name: 'PostgreSQL on 64 cores',
    answer: 'a cluster',
    used: ({ postgresCores }) => postgresCores / 64,
  },
  {
    name: '4 TB in one table after three years',
    answer: '`movements` in partitions, then a cluster',
    used: ({ terabytesOfYear }) => (3 * terabytesOfYear) / 4,
  },
];

export interface Limit {
  readonly name: string;
  readonly answer: string;
  /** 1 is reached. */
  readonly used: number;
}

/** Returns the limits with how much of each is used. */
export function limitsOf(needs: Needs): Limit[] {
  return LIMITS.map(({ name, answer, used }) => ({ name, answer, used: used(needs) }));
}

/** From a prototype with Citus 14 and 128 callers: processor time of the coordinator for a purchase. */
const COORDINATOR_MICROS = 170;
export const COORDINATOR_CORES = 64;

/** Returns how many cores a coordinator needs for so many purchases a second, at most `USABLE` of each busy. */
export function coordinatorCoresOf(perSecond: number): number {
  return (perSecond * COORDINATOR_MICROS) / 1e6 / USABLE;
}
