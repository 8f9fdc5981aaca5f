/**
 * Finds out before the first call whether the connections carry what calls need: transactions, and prepared statements if they are on. A
 * pooler gives each transaction whichever connection to the server is free. One that does not know about prepared statements then prepares
 * a name where another client has prepared it already, or runs a name where nobody has.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#base/refusal.ts';
import { onConnection, sql, type Database, type Db } from './database.ts';
import { hasLostStatement } from './database-errors.ts';

/** A pooler stands between the service and its database, and does not carry what calls need. */
export class NotCarried extends Refusal {}

/** Observations of the connections to the server behind two connections of ours. */
export interface Seen {
  /** Both were given the same connection to the server, one after the other. */
  readonly shared: boolean;
  /** One was given two different connections to the server. */
  readonly changed: boolean;
}

/**
 * Runs one statement by one name on two connections, in turn and at once, until they have shared a connection to the server and one of them has
 * had two, or until nothing of the kind has happened for some rounds. Without a pooler it never does.
 * @throws NotCarried with what to set
 */
export async function checkCarried(database: Database): Promise<Seen> {
  try {
    return await onConnection(database, (one) => onConnection(database, (other) => useBoth(one, other)));
  } catch (error) {
    throw explain(error);
  }
}

/** The first round on a pooler shows both. More are needed while others use it, too. */
const ROUNDS = 3;

async function useBoth(one: Db, other: Db): Promise<Seen> {
  const [ofOne, ofOther] = [new Set<number>(), new Set<number>()];
  let seen: Seen = { shared: false, changed: false };
  for (let round = 0; round < ROUNDS && !(seen.shared && seen.changed); round++) {
    ofOne.add(await askForServer(one));
    ofOther.add(await askForServer(other));
    const [first, second] = await askBothAtOnce(one, other);
    ofOne.add(first);
    ofOther.add(second);
    seen = { shared: !ofOne.isDisjointFrom(ofOther), changed: ofOne.size > 1 || ofOther.size > 1 };
  }
  return seen;
}

/** While one is in a transaction, the pooler has to find another connection for the next. It may have only one. */
async function askBothAtOnce(one: Db, other: Db): Promise<[number, number]> {
  await one.query('begin', []);
  const first = askForServer(one);
  const second = askForServer(other);
  await Promise.race([
    Promise.allSettled([first, second]),
    sleep(LONGEST_HOLD_MS, undefined, { ref: false }),
  ]);
  await one.query('rollback', []);
  return Promise.all([first, second]);
}

/** Opening a connection to the server takes a few milliseconds. */
const LONGEST_HOLD_MS = 1_000;

/** Returns the process of the server behind this connection. */
async function askForServer(connection: Db): Promise<number> {
  const { rows } = await sql<{ pid: number }>`-- ask-for-server
    select pg_backend_pid() as pid`.execute(connection);
  return rows[0]!.pid;
}

function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (hasLostStatement(error))
    return new NotCarried(
      `The pooler at DATABASE_URL does not carry prepared statements (${error.message}).\n` +
        'Set PREPARED_STATEMENTS=off, or use PgBouncer 1.21 or newer with max_prepared_statements = 200.',
      { cause: error },
    );
  if (NO_TRANSACTIONS.test(error.message))
    return new NotCarried(
      `The pooler at DATABASE_URL carries no transactions (${error.message}).\nSet pool_mode = transaction there.`,
      { cause: error },
    );
  return error;
}

/** PgBouncer says so in the mode that gives every statement another connection. */
const NO_TRANSACTIONS = /transaction blocks not allowed in statement pooling mode/i;
