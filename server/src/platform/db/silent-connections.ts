/**
 * Ends connections that have fallen silent. If a firewall or a lost host swallows the packets, neither side gets an error,
 * and PostgreSQL's own time limits end nothing on this side.
 */
import type { Socket } from 'node:net';
import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';
import { promiseAnswers, type Send } from './answers.ts';

/** A statement was sent and no answer came. The statement may have taken effect. */
export class ConnectionSilent extends Error {
  readonly code = 'ETIMEDOUT';
  /** Whether the server still worked on the statement, so it was not lost. */
  readonly isWorking: boolean;

  constructor(ms: number, isWorking: boolean) {
    super(`the database has not answered on this connection for ${Math.round(ms)} ms`);
    this.isWorking = isWorking;
  }
}

export interface WatchOptions {
  /** How to open the connection that asks the server about the others. */
  readonly probe: ClientConfig;
  /** How long a connection may be quiet before the server is asked. */
  readonly quietMs: number;
  /** How long the server may take to answer. */
  readonly probeMs: number;
  /** The longest that any answer may take, whatever the server says. 0 means no limit. */
  readonly longestMs: number;
  /** False behind a pooler, because the process ids of the connections are then not the server's. */
  readonly knowsProcesses: boolean;
}

export interface Watch {
  /** Returns the process ids that the server has given the connections that are open. */
  processes(): number[];
  /** Ends the sockets that are still open, and stops. */
  stop(): Promise<void>;
}

interface Line {
  readonly client: PoolClient;
  inUse: boolean;
  /** Number of statements without an answer. */
  waiting: number;
  /** When the first of them was sent, or the last bytes came. */
  quietSince: number;
  bytesRead: number;
}

const TICK_MS = 250;
/** An answer that was on its way while the server was asked arrives in this time. */
const GRACE_MS = 250;

/**
 * Watches the connections of a pool. If one waits for an answer and gets none for a second, the server is asked over a
 * new connection. A statement that is still running is left alone, so a slow database is not taken for a silent one. A
 * connection on which the server waits for us has lost its answer and is ended, on both sides. If the server does not
 * answer either, all of them are ended.
 */
export function watchConnections(pool: Pool, options: WatchOptions): Watch {
  const lines = new Map<PoolClient, Line>();
  let nextQuestionAt = 0;
  let asking = false;
  /** When bytes last came on any connection. */
  let heardAt = 0;

  pool.on('connect', (client) => {
    const line: Line = { client, inUse: true, waiting: 0, quietSince: 0, bytesRead: 0 };
    lines.set(client, line);
    client.once('end', () => lines.delete(client));
    countStatements(line);
  });
  pool.on('acquire', (client) => setInUse(client, true));
  pool.on('release', (_error, client) => setInUse(client, false));
  const ticking = setInterval(tick, TICK_MS).unref();

  return {
    processes: () => [...lines.values()].map(processOf),
    async stop() {
      // A silent server never confirms the end of a connection. Its socket would keep the process alive.
      for (let i = 0; i < 100 && lines.size > 0; i++) await pause(5);
      clearInterval(ticking);
      for (const client of lines.keys()) socketOf(client).destroy();
    },
  };

  function setInUse(client: PoolClient, inUse: boolean): void {
    const line = lines.get(client);
    if (line !== undefined) line.inUse = inUse;
  }

  function tick(): void {
    listen();
    const now = performance.now();
    if (options.longestMs > 0)
      for (const line of lines.values()) if (quietFor(line, now) > options.longestMs) end(line, true);
    const quiet = [...lines.values()].filter((line) => quietFor(line, now) >= options.quietMs);
    if (quiet.length === 0 || asking || now < nextQuestionAt) return;
    void judgeNow(quiet);
  }

  async function judgeNow(quiet: readonly Line[]): Promise<void> {
    asking = true;
    const hasEnded = await judge(quiet);
    asking = false;
    nextQuestionAt = hasEnded ? 0 : performance.now() + options.quietMs;
  }

  function listen(): void {
    const now = performance.now();
    for (const line of lines.values()) {
      const { bytesRead } = socketOf(line.client);
      if (bytesRead === line.bytesRead) continue;
      Object.assign(line, { bytesRead, quietSince: now });
      heardAt = now;
    }
  }

  /** Returns true if it has ended connections, so the others should be judged soon. */
  async function judge(quiet: readonly Line[]): Promise<boolean> {
    const asked = performance.now();
    const server = openProbe();
    try {
      const running = await server.readRunning(quiet.map(processOf));
      await pause(GRACE_MS);
      listen();
      const silent = quiet.filter(
        (line) => line.waiting > 0 && line.quietSince < asked && !running.has(processOf(line)),
      );
      if (silent.length === 0) return false;
      for (const line of silent) end(line);
      // The fault that silenced one has probably silenced the idle ones too, and a new connection costs little.
      for (const line of lines.values()) if (!line.inUse) end(line);
      if (options.knowsProcesses) await server.terminate(silent.map(processOf));
      return true;
    } catch (error) {
      listen();
      // Under heavy load a new connection can take long. The server is there if it answers on any other connection, or
      // refuses this one because it has too many.
      if (heardAt >= asked || isFull(error)) return false;
      for (const line of lines.values()) if (line.waiting > 0 || !line.inUse) end(line);
      return true;
    } finally {
      server.close();
    }
  }

  /** Opens a connection to ask the server about the others. It fails if the server does not answer in time. */
  function openProbe() {
    const client = new Client({
      ...options.probe,
      connectionTimeoutMillis: options.probeMs,
      query_timeout: options.probeMs,
    });
    client.on('error', () => {});
    const connected = client.connect();
    return {
      /** Returns the processes that still work on a statement. */
      async readRunning(processes: readonly number[]): Promise<ReadonlySet<number>> {
        await connected;
        if (!options.knowsProcesses) {
          await client.query('select 1');
          return new Set(processes);
        }
        const { rows } = await client.query<{ pid: number }>(
          "select pid from pg_stat_activity where pid = any($1::int[]) and state = 'active'",
          [processes],
        );
        return new Set(rows.map(({ pid }) => pid));
      },
      /** Ends the server's side of silent connections, which may hold locks. */
      async terminate(processes: readonly number[]): Promise<void> {
        await client.query(
          `select pg_terminate_backend(pid)
             from pg_stat_activity
            where pid = any($1::int[]) and usename = current_user and state <> 'active'
              and state_change < clock_timestamp() - interval '0.5 s'`,
          [processes],
        );
      },
      close(): void {
        void client.end().catch(() => {});
        setTimeout(() => socketOf(client).destroy(), GRACE_MS).unref();
      },
    };
  }

  function end(line: Line, isWorking = false): void {
    socketOf(line.client).destroy(new ConnectionSilent(quietFor(line, performance.now()), isWorking));
  }
}

function quietFor({ waiting, quietSince }: Line, now: number): number {
  return waiting === 0 ? 0 : now - quietSince;
}

function countStatements(line: Line): void {
  const { client } = line;
  const send = promiseAnswers(client);
  const answered = () => {
    line.waiting -= 1;
    line.quietSince = performance.now();
  };
  const counted: Send = (statement, values) => {
    if (line.waiting === 0) line.quietSince = performance.now();
    line.waiting += 1;
    const answer = send(statement, values);
    answer.then(answered, answered);
    return answer;
  };
  client.query = counted as typeof client.query;
}

/** pg declares neither the socket nor the process id. Both are public in its documentation of `Client`. */
interface Wire {
  readonly connection: { readonly stream: Socket };
  readonly processID: number;
}

/** Returns the socket of a connection. */
export function socketOf(client: PoolClient | Client): Socket {
  return (client as unknown as Wire).connection.stream;
}

function processOf({ client }: Line): number {
  return (client as unknown as Wire).processID;
}

/** Returns true if a server, or the pooler in front of it, has as many connections as it may have. */
function isFull(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === '53300' || String(message).startsWith('no more connections allowed');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
