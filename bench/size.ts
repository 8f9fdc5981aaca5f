/** `npm run size -w bench -- [members] [movements] [commerces]`: how fast history loads, and what it weighs on disk. */
import { sql, type Database } from '../server/src/db/database.ts';
import { withDatabase } from './database.ts';
import { loadMembers } from './load-members.ts';

/** What a table holds, in bytes on disk. */
export interface TableSize {
  readonly table: string;
  readonly rows: number;
  readonly heap: number;
  readonly indexes: number;
}

/** The tables of the service, the largest first. */
export async function tableSizes(database: Database): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select c.relname as table, greatest(c.reltuples, 0)::bigint as rows,
           pg_table_size(c.oid) as heap, pg_indexes_size(c.oid) as indexes
      from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     order by pg_total_relation_size(c.oid) desc`.execute(database);
  return rows;
}

/** Bytes that one more purchase leaves behind, its share of the indexes with it. */
export function bytesPerPurchase(sizes: readonly TableSize[]): number {
  const movements = sizes.find(({ table }) => table === 'movements')!;
  return (movements.heap + movements.indexes) / movements.rows;
}

if (import.meta.main) {
  const [members = 100_000, movements = 1_000_000, commerces = 50] = process.argv.slice(2).map(Number);
  await withDatabase(async ({ db }) => {
    const loaded = await loadMembers(db, { members, movements, commerces });
    const sizes = await tableSizes(db);
    const rows = sizes.reduce((sum, table) => sum + table.rows, 0);
    console.table(sizes.filter((table) => table.rows > 0));
    console.log(
      `${rows} rows in ${loaded.seconds.toFixed(1)} s, ${Math.round(rows / loaded.seconds)} a second;` +
        ` ${Math.round(loaded.bytes / 1e6)} MB on disk, a purchase takes ${Math.round(bytesPerPurchase(sizes))} bytes`,
    );
  });
}
