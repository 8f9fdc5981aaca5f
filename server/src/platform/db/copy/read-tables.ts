import { to as copyTo } from 'pg-copy-streams';
import { sql, type DatabaseAddress, type Db } from '#db/database.ts';
import { inCopyTransaction } from './copy-connection.ts';
import { readCounters, readSchema } from './read-schema.ts';
import type { Rows } from './tables.ts';

/** All rows of a database as they were at one moment. */
export interface Snapshot extends Rows {
  /** When that was, by the database's clock. */
  readonly takenAt: Date;
  /** Tables in the same schema that no migration has created. They are left out. */
  readonly foreignTables: readonly string[];
}

/**
 * Reads all tables in one snapshot, while the service goes on. It locks nothing that a call needs; only a migration that
 * changes a table waits. The database keeps old versions of rows for as long as it takes.
 */
export async function inSnapshot<T>(
  address: DatabaseAddress,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  return inCopyTransaction(address, 'repeatable read, read only', async (connection) => {
    // The first statement takes the snapshot.
    const { rows } = await sql<{ takenAt: Date }>`select clock_timestamp() as "takenAt"`.execute(connection);
    const schema = await readSchema(connection);
    const partitioned = await readPartitioned(connection);
    return work({
      ...schema,
      takenAt: rows[0]!.takenAt,
      read({ name, columns }) {
        const list = columns.map((column) => connection.client.escapeIdentifier(column)).join(', ');
        const table = connection.client.escapeIdentifier(name);
        const text = partitioned.has(name)
          ? `copy (select ${list} from ${table}) to stdout`
          : `copy ${table} (${list}) to stdout`;
        return connection.client.query(copyTo(text, { highWaterMark: 1 << 20 }));
      },
      readCounters: () => readCounters(connection, schema.tables),
    });
  });
}

/** COPY reads a table in partitions only by a select. */
async function readPartitioned(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
     where relkind = 'p' and relnamespace = current_schema()::regnamespace`.execute(db);
  return new Set(rows.map(({ name }) => name));
}
