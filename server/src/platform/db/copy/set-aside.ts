import { sql, type Db } from '#db/database.ts';
import type { Guard } from './tables.ts';

/** A statement that puts back a part of the schema, and what it does in a few words. */
export interface Restoring {
  readonly statement: string;
  readonly words: string;
}

/**
 * Takes indexes, keys, foreign keys and triggers off the tables, because building an index once is much faster than extending
 * it row by row. Returns the statements that put them back. Guards stand as they stood in the other database: one that it did
 * not have, because an old row breaks it, would refuse that row here.
 */
export async function setAside(
  db: Db,
  tables: readonly string[],
  guards: readonly Guard[],
): Promise<Restoring[]> {
  const standing = new Map(guards.map((guard) => [`${guard.table} ${guard.name}`, guard.isValid]));
  const { keys, foreignKeys, checks } = await readConstraints(db, tables);
  const indexes = await readIndexes(db, tables);
  const doubtful = checks.filter((check) => standing.get(nameOf(check)) !== true);
  for (const { table, name } of [...foreignKeys, ...doubtful, ...keys])
    await sql`alter table ${sql.id(table)} drop constraint ${sql.id(name)}`.execute(db);
  for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(db);
  for (const table of tables) await sql`alter table ${sql.id(table)} disable trigger user`.execute(db);
  return [
    ...keys.map((key) => ({ statement: add(key), words: `key ${key.name}` })),
    ...indexes.map(({ name, definition }) => ({ statement: definition, words: `index ${name}` })),
    ...[...foreignKeys, ...doubtful]
      .filter((guard) => standing.has(nameOf(guard)))
      .map((guard) => ({
        statement: add(guard, standing.get(nameOf(guard))),
        words: `constraint ${guard.name}`,
      })),
    ...tables.map((table) => ({
      statement: `alter table "${table}" enable trigger user`,
      words: `triggers of ${table}`,
    })),
  ];
}

interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly kind: string;
  readonly definition: string;
}

const nameOf = ({ table, name }: Constraint): string => `${table} ${name}`;

function add({ table, name, definition }: Constraint, isValid = true): string {
  const notValid = isValid || definition.endsWith(' NOT VALID') ? '' : ' not valid';
  return `alter table "${table}" add constraint "${name}" ${definition}${notValid}`;
}

async function readConstraints(db: Db, tables: readonly string[]) {
  const { rows } = await sql<Constraint>`
    select t.relname::text as table, c.conname::text as name, c.contype::text as kind,
           pg_get_constraintdef(c.oid) as definition
      from pg_constraint c
      join pg_class t on t.oid = c.conrelid
     where t.relnamespace = current_schema()::regnamespace and t.relname = any(${tables}::text[])
     order by c.contype = 'p' desc, t.relname, c.conname`.execute(db);
  const ofKind = (...kinds: string[]) => rows.filter(({ kind }) => kinds.includes(kind));
  return { keys: ofKind('p', 'u', 'x'), foreignKeys: ofKind('f'), checks: ofKind('c') };
}

async function readIndexes(db: Db, tables: readonly string[]) {
  const { rows } = await sql<{ name: string; definition: string }>`
    select n.relname::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i
      join pg_class n on n.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
     where t.relnamespace = current_schema()::regnamespace and t.relname = any(${tables}::text[])
       and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
     order by t.relname, n.relname`.execute(db);
  return rows;
}
