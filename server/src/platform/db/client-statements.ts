import type { PoolClient } from 'pg';
import type { Tracing } from '#base/tracing.ts';
import type { Send } from './answers.ts';
import { writeArray } from './array-text.ts';
import { hasLostStatement } from './database-errors.ts';
import { socketOf } from './silent-connections.ts';
import type { SlowStatements } from './slow-statements.ts';

/** Options for every statement of a connection. */
export interface StatementOptions {
  /** Prepares each statement that starts with a comment `-- its-name` under that name, once per connection. */
  readonly preparing: Preparing;
  readonly slow: SlowStatements | null;
  readonly tracing: Tracing | null;
}

/** Whether statements are prepared. All connections of a database share it. */
export interface Preparing {
  isOn: boolean;
  /** Called when a connection turns out not to carry prepared statements. */
  readonly onLost: (error: Error) => void;
}

const STATEMENT_NAME = /^-- ([a-z][a-z-]*)\n/;

/** Prepares, times and traces the statements of a connection, and sends those of one moment in one packet. */
export function watchStatements(client: PoolClient, { preparing, slow, tracing }: StatementOptions): void {
  let query = sendTogether(client, client.query.bind(client) as Send);
  if (preparing.isOn) query = prepareNamed(client, query, preparing);
  if (slow !== null) query = timeEach(query, slow);
  if (tracing !== null) query = traceEach(query, tracing);
  client.query = query as typeof client.query;
}

/**
 * Sends the statements of one turn of the event loop in one piece, because the kernel takes as long for a small piece as PostgreSQL
 * for a small statement.
 */
function sendTogether(client: PoolClient, query: Send): Send {
  const socket = socketOf(client);
  let isHeld = false;
  return (statement, values) => {
    if (!isHeld) {
      isHeld = true;
      socket.cork();
      process.nextTick(() => {
        isHeld = false;
        socket.uncork();
      });
    }
    return query(statement, values?.map(writeArray));
  };
}

/**
 * Gives up preparing once the server does not know a name, or knows it from somebody else: a pooler that carries no prepared statements has
 * come in between. The calls that find it out fail, and those after them do not.
 *
 * A statement that was refused before it was prepared, because one that was sent together with it had failed, gets another name the next time:
 * PgBouncer remembers the first one, and ends a connection that prepares a name again.
 */
function prepareNamed(client: PoolClient, query: Send, preparing: Preparing): Send {
  const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } };
  const refused = new Map<string, number>();
  return (statement, values) => {
    const name = typeof statement === 'string' ? STATEMENT_NAME.exec(statement)?.[1] : undefined;
    if (name === undefined || !preparing.isOn) return query(statement, values);
    const before = refused.get(name) ?? 0;
    const known = before === 0 ? name : `${name}-${before}`;
    const result = query({ name: known, text: statement }, values);
    result.catch((error: Error) => {
      if (connection.parsedStatements[known] === undefined && (refused.get(name) ?? 0) === before)
        refused.set(name, before + 1);
      if (preparing.isOn && hasLostStatement(error)) {
        preparing.isOn = false;
        preparing.onLost(error);
      }
    });
    return result;
  };
}

/** Statements that are sent together run one after the other, so the time of each begins when the one before it has ended. */
function timeEach(query: Send, slow: SlowStatements): Send {
  let lastEnd = 0;
  return (statement, values) => {
    const sent = performance.now();
    const result = query(statement, values);
    if (typeof statement !== 'string') return result;
    const end = () => {
      const now = performance.now();
      const ms = now - Math.max(sent, lastEnd);
      lastEnd = now;
      if (ms >= slow.limitMs) slow.note(nameStatement(statement), ms);
    };
    result.then(end, end);
    return result;
  };
}

function traceEach(query: Send, tracing: Tracing): Send {
  return (statement, values) => {
    if (typeof statement !== 'string' || tracing.here() === null) return query(statement, values);
    const name = nameStatement(statement);
    return tracing.step(name, { 'db.system.name': 'postgresql', 'db.operation.name': name }, () =>
      query(statement, values),
    );
  };
}

/** Returns the name of a statement, or its first word, such as `commit`. */
function nameStatement(text: string): string {
  return STATEMENT_NAME.exec(text)?.[1] ?? /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? 'unknown';
}
