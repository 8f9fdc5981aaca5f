import { Client } from 'pg';
import type { DatabaseAddress, Db } from '#db/database.ts';

/** A connection of its own, because COPY takes over a whole connection, and has no limit of time. */
export interface CopyConnection extends Db {
  readonly client: Client;
}

/** Runs `work` in one transaction on a new connection, without a limit of time. */
export async function inCopyTransaction<T>(
  { url }: DatabaseAddress,
  mode: 'read committed' | 'repeatable read, read only',
  work: (connection: CopyConnection) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: 'loyalty',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A lost connection also fails the statement that waits for it.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`begin isolation level ${mode}; ${SETTINGS}`);
    const connection = {
      client,
      query: (text: string, values: unknown[]) => client.query(text, values),
      memory: new Map(),
    };
    const result = await work(connection);
    await client.query('commit');
    return result;
  } finally {
    // In the middle of a COPY, the server would not listen to a polite end.
    const timer = setTimeout(() => client.connection.stream.destroy(), 2_000);
    await client.end().catch(() => {});
    clearTimeout(timer);
  }
}

/** The other side of a copy may be slow. The rest decides how values are written, and a role may have other settings. */
const SETTINGS = Object.entries({
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  lock_timeout: '10s',
  client_encoding: 'UTF8',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '3',
})
  .map(([name, value]) => `set local ${name} = '${value}'`)
  .join('; ');
