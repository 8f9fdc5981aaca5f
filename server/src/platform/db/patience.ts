/** The longest that a call waits for each thing on its way, in milliseconds. A call that would wait longer gets a 503. */
export interface Patience {
  /** For a connection to the database. */
  readonly connectionMs: number;
  /** For a lock that another transaction holds. */
  readonly lockMs: number;
  /**
   * For the next statement of a transaction, on the server. A transaction never waits for anything but the database. If one
   * is idle for so long, its process is frozen or out of reach, and its locks hold up everybody else's calls.
   */
  readonly idleInTransactionMs: number;
  /** For any answer of the database, before the server is asked whether the statement is still running. */
  readonly quietMs: number;
  /** For the answer to that question. */
  readonly probeMs: number;
  /** For the outcome of a commit whose answer was lost. */
  readonly settleMs: number;
  /** For the turn of a call, in memory. */
  readonly turnMs: number;
  /** For the first run of the batch of a call. */
  readonly queuedMs: number;
  /** For another run, if the first failed or a row was locked elsewhere. */
  readonly repeatMs: number;
  /** For the answer. */
  readonly callMs: number;
}

/** Together they stay below the five seconds after which clients usually give up. */
export const PATIENCE: Patience = {
  connectionMs: 2_000,
  lockMs: 2_000,
  idleInTransactionMs: 2_000,
  quietMs: 1_000,
  probeMs: 1_000,
  settleMs: 2_500,
  turnMs: 2_000,
  queuedMs: 3_000,
  repeatMs: 2_000,
  callMs: 4_500,
};

/** Nobody waits for the answer of a command, and it computes between its statements. The same goes for the start of the service. */
export const COMMAND_PATIENCE: Patience = {
  ...PATIENCE,
  connectionMs: 15_000,
  idleInTransactionMs: 10_000,
  quietMs: 15_000,
  probeMs: 15_000,
};

/** Nobody waits for the answer of a job either, but it locks rows that calls need, and a process that is stopped waits for it. */
export const JOB_PATIENCE: Patience = {
  ...PATIENCE,
  connectionMs: COMMAND_PATIENCE.connectionMs,
  quietMs: 5_000,
  probeMs: 5_000,
};
