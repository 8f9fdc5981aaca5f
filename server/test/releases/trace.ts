/**
 * What a service sends to its database, kept to be sent again. Run after a migration, the trace of an old release is the
 * old service that still serves while the new one starts.
 */
import assert from 'node:assert/strict';
import { Client, type PoolClient, type Submittable } from 'pg';

/** A statement with its placeholders, its values as JSON can hold them, and how many rows it gave or changed. */
export interface Traced {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rows: number | null;
}

/** Adds every statement that a connection sends to a trace, in the order in which they are answered. */
export function watchStatements(client: PoolClient, trace: Traced[]): void {
  type Query = (statement: unknown, values?: unknown) => Promise<{ rowCount: number | null }>;
  const query = client.query.bind(client) as Query;
  const watched = async (
    statement: string | Submittable | { text: string; values?: unknown[] },
    values?: unknown[],
  ) => {
    // A query that takes its rows as they arrive only reads, and there is no answer to keep.
    if (typeof statement === 'object' && 'submit' in statement) return query(statement);
    const sent = typeof statement === 'string' ? { text: statement, values } : statement;
    const kept = { text: sent.text, values: (sent.values ?? []).map(toJson) };
    const result = await query(statement, values);
    trace.push({ ...kept, rows: result.rowCount });
    return result;
  };
  client.query = watched as typeof client.query;
}

/**
 * Sends the statements again on one connection; their transactions begin and end among them. A statement that gives or
 * changes another number of rows would have told the service something else, and it would have gone on otherwise.
 */
export async function sendAgain(url: string, trace: readonly Traced[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const { text, values, rows } of trace) {
      const { rowCount } = await client.query(text, values.map(fromJson));
      assert.equal(rowCount, rows, `the release was told of ${rows} rows by:\n${text}`);
    }
  } finally {
    await client.end();
  }
}

function toJson(value: unknown): unknown {
  if (value instanceof Date) return { date: value.toISOString() };
  if (Buffer.isBuffer(value)) return { hex: value.toString('hex') };
  return Array.isArray(value) ? value.map(toJson) : value;
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  return 'date' in value ? new Date(String(value.date)) : Buffer.from((value as { hex: string }).hex, 'hex');
}
