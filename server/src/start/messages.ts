/** What the supervisor and its processes tell each other. */
import type { Config } from '#settings/config.ts';
import type { ProcessCounts } from '#monitoring/metrics.ts';
import type { ProcessText } from '#monitoring/merge-metrics.ts';
import type { FirstStep, ShownDemo } from './start-up-block.ts';

/** The settings that the supervisor needs. It does not read them itself: what checks them takes 40 MB of memory. */
export type Settings = Pick<
  Config,
  | 'consoleUrl'
  | 'dataDir'
  | 'databaseUrl'
  | 'drainSeconds'
  | 'host'
  | 'logFormat'
  | 'logLevel'
  | 'mails'
  | 'metricsPort'
  | 'port'
  | 'postgresBin'
  | 'publicUrl'
  | 'rateLimits'
  | 'sockets'
  | 'warnings'
>;

/** To the process that prepares the database. */
export interface ToPreparation {
  /** The address of the embedded database, if there is one. */
  readonly embeddedUrl: string | null;
  /** How many processes will share the database. */
  readonly processes: number;
}

export interface Prepared {
  readonly demo: ShownDemo | null;
  readonly firstStep: FirstStep | null;
  /** The most connections of each process. */
  readonly poolSize: number;
}

/** From the process that prepares. `failed` is what a person reads. */
export type FromPreparation =
  | { readonly settings: Settings }
  | { readonly prepared: Prepared }
  | { readonly failed: string };

/** What a serving process must know before it can begin. */
export interface Begin {
  /** How many processes there are. */
  readonly processes: number;
  readonly embeddedUrl: string | null;
  readonly poolSize: number;
  readonly demo: ShownDemo | null;
  /** The address of the service for links in mails. */
  readonly base: string;
  /** Where the processes that write can be found by the others; null if there is no such folder. */
  readonly folder: string | null;
}

/** Work of the background that need not wait until somebody looks. */
export type Wakeable = 'mails' | 'clocks';

export type ToChild =
  | { readonly sockets: SocketNews }
  | { readonly ledger: readonly LedgerAnswer[] }
  | { readonly begin: Begin; readonly process: number }
  /** Do the background work and serve the metrics from now on. */
  | { readonly lead: true }
  /** The sockets of the processes that write, each for its part of the commerces. Null for one that is not known. */
  | { readonly writers: readonly (string | null)[] }
  | { readonly wake: Wakeable }
  | { readonly readMetrics: number }
  | { readonly metrics: GatheredMetrics }
  /** End, with all others or as one of several. */
  | { readonly end: 'all' | 'one' };

export type FromChild =
  | { readonly ledger: readonly LedgerEntry[] }
  | { readonly ready: true }
  | { readonly failed: string }
  | { readonly alive: true }
  | { readonly wake: Wakeable }
  /** This process was asked, by a signal, to be restarted. */
  | { readonly restart: true }
  /** Takes calls of the others at this path. */
  | { readonly writes: string }
  | { readonly gatherMetrics: number }
  | { readonly metricsRead: number; readonly text: string };

/** What a process tells the ledger. The entries of one turn of its event loop are one message. */
export type LedgerEntry =
  | readonly ['buckets', limit: string, perSecond: number, burst: number]
  /** `more` is for the calls of the same caller that wait for this answer. */
  | readonly ['take', id: number, limit: string, name: string | number, tokens: number, more: number]
  | readonly ['charge', limit: string, name: string | number, tokens: number, longestSeconds: number | null]
  | readonly ['give back', limit: string, name: string | number]
  | readonly ['semaphore', limit: string, most: number]
  | readonly ['enter', id: number, limit: string, name: string, waitMs: number]
  | readonly ['leave', limit: string, name: string]
  | readonly ['sockets', network: string, by: number]
  /** What the supervisor asked for is done, as far as it could be. */
  | readonly ['trimmed', network: string, count: number];

/**
 * The answer to `take` or `enter`: the seconds to wait, 0 if it may go on; -1 if it may not enter. `advance` is how many tokens it got
 * besides, for waiting and for later calls, and `nextSeconds` is when there can be another one, if it got fewer than it asked for.
 */
export type LedgerAnswer = readonly [id: number, waitSeconds: number, advance: number, nextSeconds: number];

/** What a process learns about the sockets of all. A network is '' for all of them. */
export interface SocketNews {
  /** How many the other processes have open. */
  readonly others: readonly (readonly [network: string, open: number])[];
  /** How many idle ones this process has to close. */
  readonly trim: readonly (readonly [network: string, count: number])[];
}

/** The metrics of the other processes. */
export interface GatheredMetrics {
  readonly id: number;
  readonly texts: readonly ProcessText[];
  readonly counts: ProcessCounts;
}

/** How a process knows itself, and how it tells the supervisor something. */
export interface Place {
  readonly number: number;
  readonly tell: (message: FromChild) => void;
}

/** The sockets that a serving process inherits, by their file descriptors. 0 to 2 are the usual ones, and 3 carries these messages. */
export const PORT_FD = 4;
export const METRICS_FD = 5;
