/**
 * The two roles of an installation. The owner of the tables migrates; the service needs rights on the data only, so that whoever gets into
 * it cannot switch off what guards the ledger. One role for both works, too.
 */
import { Refusal } from '#base/refusal.ts';
import { isWholeTable } from './partitions.ts';
import { openDatabase, sql, transaction, type Database, type DatabaseAddress, type Db } from './database.ts';

/** The rights of a role on a database. */
export interface Role {
  readonly role: string;
  /** Whether it owns the program's tables, itself or as a member of their owner, or is a superuser. False if there are none. */
  readonly ownsTables: boolean;
  readonly isSuperuser: boolean;
  /** Whether it can create tables beside them. */
  readonly canCreate: boolean;
  /** The tables that the service could not use by this role. */
  readonly missing: readonly string[];
}

/** The schema has to be changed, and this role may not. */
export class NeedsOwner extends Refusal {
  constructor(role: string, reason: string) {
    super(
      `${reason}, and the role "${role}" may not change the schema. Run \`loyalty migrate\` with DATABASE_OWNER_URL, the address of the role that owns the tables.`,
    );
  }
}

class RightsMissing extends Refusal {
  constructor({ role, missing }: Role) {
    const others = missing.length === 1 ? '' : ` and ${missing.length - 1} more`;
    super(
      `The role "${role}" has not all rights on the table ${missing[0]}${others}. Run \`loyalty migrate\` with DATABASE_OWNER_URL, the address of the role that owns the tables: it grants them.`,
    );
  }
}

/** Rows of these are never changed, so the service has no right to do so. */
const APPEND_ONLY = ['audit', 'movements'];
const READ_ONLY = ['schema_migrations'];

/** The program's tables are those of the owner of `schema_migrations`. */
const ownTables = sql`
    select c.oid, c.relname::text as name, c.relowner,
           case when c.relname = any(${READ_ONLY}::text[]) then array['select']
                when c.relname = any(${APPEND_ONLY}::text[]) then array['select', 'insert']
                else array['select', 'insert', 'update', 'delete'] end as rights
      from pg_class c
      join pg_class m on m.oid = to_regclass('schema_migrations') and m.relowner = c.relowner and m.relnamespace = c.relnamespace
     where c.relkind in ('r', 'p') and ${isWholeTable}`;

/** Reads what the role of these connections may do. Changes nothing. */
export async function readRole(db: Db): Promise<Role> {
  const { rows } = await sql<Role>`
      with own as (${ownTables})
    select current_user as role,
           (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
           coalesce((select bool_or(pg_has_role(relowner, 'member')) from own), false) as "ownsTables",
           coalesce(has_schema_privilege(current_schema(), 'create'), false) as "canCreate",
           coalesce((select array_agg(name order by name) from own
                      where exists (select from unnest(rights) r where not has_table_privilege(oid, r))), '{}') as missing`.execute(
    db,
  );
  return rows[0]!;
}

/** @throws RightsMissing if the service could not use all tables by this role */
export async function refuseMissingRights(db: Db): Promise<void> {
  const role = await readRole(db);
  if (role.missing.length > 0) throw new RightsMissing(role);
}

/**
 * Gives the role of the service all rights that it needs, and takes those from it that it must not have. Returns its name, or null if it is
 * the owner itself. Granting again changes nothing.
 * @throws Refusal if the two addresses lead to different databases or schemas
 */
export async function grantToService(owner: Database, service: DatabaseAddress): Promise<string | null> {
  const other = openDatabase({ ...service, poolSize: 1, statementTimeoutMs: 0 });
  try {
    const [mine, theirs] = [await readPlace(owner), await readPlace(other)];
    if (mine.database !== theirs.database || mine.server !== theirs.server)
      throw new Refusal(
        `DATABASE_OWNER_URL leads to the database "${mine.database}" and DATABASE_URL to "${theirs.database}", or to another server. Both have to name the same database, by different roles.`,
      );
    if (mine.role === theirs.role) return null;
    await grant(owner, theirs.role);
    const found = await readPlace(other);
    if (found.migrations !== mine.migrations)
      throw new Refusal(
        `The role "${theirs.role}" does not find the tables in the schema "${mine.schema}". Run \`alter role "${theirs.role}" in database "${mine.database}" set search_path = "${mine.schema}"\` as a superuser or as that role.`,
      );
    return theirs.role;
  } finally {
    await other.destroy();
  }
}

interface Place {
  readonly role: string;
  readonly database: string;
  readonly schema: string | null;
  readonly server: string;
  /** The table of the migrations. */
  readonly migrations: string | null;
}

/** The moment at which a server was started tells it from others. */
async function readPlace(db: Db): Promise<Place> {
  const { rows } = await sql<Place>`
    select current_user as role, current_database() as database, current_schema() as schema,
           pg_postmaster_start_time()::text as server, to_regclass('schema_migrations')::oid::text as migrations`.execute(
    db,
  );
  return rows[0]!;
}

async function grant(owner: Database, role: string): Promise<void> {
  await transaction(owner, async (tx) => {
    // Two at once would change the same rows of the catalog.
    await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(tx);
    const { rows: tables } = await sql<{
      name: string;
      rights: string[];
    }>`${ownTables} order by name`.execute(tx);
    const { rows: schemas } = await sql<{ name: string }>`select current_schema() as name`.execute(tx);
    const to = sql.id(role);
    await sql`grant usage on schema ${sql.id(schemas[0]!.name)} to ${to}`.execute(tx);
    for (const { name, rights } of tables) {
      await sql`revoke all on table ${sql.id(name)} from ${to}`.execute(tx);
      await sql`grant ${sql.raw(rights.join(', '))} on table ${sql.id(name)} to ${to}`.execute(tx);
    }
    for (const name of await readSequences(tx))
      // An import of a commerce moves them on.
      await sql`grant usage, select, update on sequence ${sql.id(name)} to ${to}`.execute(tx);
  });
}

const LOCK = '3853314791062309110';

async function readSequences(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
      with own as (${ownTables})
    select s.relname::text as name
      from pg_class s
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype in ('a', 'i')
      join own on own.oid = d.refobjid
     where s.relkind = 'S'
     order by name`.execute(db);
  return rows.map(({ name }) => name);
}
