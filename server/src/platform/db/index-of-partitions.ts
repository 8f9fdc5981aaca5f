import { sql, type Db } from './database.ts';

/**
 * PostgreSQL neither builds nor drops an index of a partitioned table concurrently. If a statement of a migration asks for that, builds the
 * index for each partition and makes these one index, or drops it; so a migration is written as for one table. If it is interrupted, the same
 * statements can run again. Returns false if the statement asks for something else: then it has not run.
 */
export async function runOnPartitions(connection: Db, statement: string): Promise<boolean> {
  const text = statement.replaceAll(/^--.*$/gm, '').trim();
  const [, unique = '', name, table, rest] = CREATE.exec(text) ?? [];
  if (name !== undefined && (await kindOf(connection, table!)) === 'p') {
    await build(connection, { unique, name, table: table!, rest: rest! });
    return true;
  }
  const [, dropped] = DROP.exec(text) ?? [];
  if (dropped === undefined || (await kindOf(connection, dropped)) !== 'I') return false;
  await sql`drop index ${sql.id(dropped)}`.execute(connection);
  return true;
}

const CREATE = /^create (unique )?index concurrently (?:if not exists )?(\w+)\s+on (\w+)\s+(.*)$/s;
const DROP = /^drop index concurrently if exists (\w+)$/;

/** Returns the kind of a table or an index as the catalog has it: `p` or `I` if it is partitioned. Null if there is none. */
async function kindOf(db: Db, name: string): Promise<string | null> {
  const { rows } = await sql<{ kind: string }>`
    select relkind::text as kind from pg_class where oid = to_regclass(${name})`.execute(db);
  return rows[0]?.kind ?? null;
}

async function build(
  connection: Db,
  { unique, name, table, rest }: { unique: string; name: string; table: string; rest: string },
): Promise<void> {
  const { rows: parts } = await sql<{ part: string }>`
    select c.relname::text as part from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass(${table}) order by 1`.execute(connection);
  // It holds nothing until each partition has its own.
  await sql`create ${sql.raw(unique)} index ${sql.id(name)} on only ${sql.id(table)} ${sql.raw(rest)}`.execute(
    connection,
  );
  for (const { part } of parts) {
    const own = sql.id(`${part}_${name}`);
    await sql`drop index concurrently if exists ${own}`.execute(connection);
    await sql`create ${sql.raw(unique)} index concurrently ${own} on ${sql.id(part)} ${sql.raw(rest)}`.execute(
      connection,
    );
    await sql`alter index ${sql.id(name)} attach partition ${own}`.execute(connection);
  }
}
