import type pg from 'pg';
import utils from 'pg/lib/utils.js';

/** A statement as the service sent it. */
export interface Sent {
  /** From its opening comment; null if it has none. */
  readonly name: string | null;
  readonly text: string;
  /** As they go over the wire: arrays in PostgreSQL's own notation. */
  readonly values: readonly (string | null)[];
}

/**
 * Shows each statement of a connection to `look` before it runs. The bench takes its statements from here, so they
 * cannot drift from the code. `look` also gets a function that runs statements of its own on the same connection.
 */
export function watchStatements(
  client: pg.PoolClient,
  look: (sent: Sent, query: (text: string) => Promise<pg.QueryResult>) => Promise<void> | void,
): void {
  const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<pg.QueryResult>;
  let last: Promise<unknown> = Promise.resolve();
  // One after another, even if the code sends several at once: `look` may run statements of its own.
  const watched = (text: string, values: unknown[] = []) => {
    const name = /^-- ([a-z-]+)\n/.exec(text)?.[1] ?? null;
    const answer = last.then(async () => {
      await look({ name, text, values: values.map(onTheWire) }, query);
      return query(text, values);
    });
    last = answer.catch(() => {});
    return answer;
  };
  client.query = watched as typeof client.query;
}

function onTheWire(value: unknown): string | null {
  const prepared = utils.prepareValue(value);
  return Buffer.isBuffer(prepared) ? `\\x${prepared.toString('hex')}` : prepared;
}
