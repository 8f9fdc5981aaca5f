import { isDistributed } from '#db/cluster/refuse-unnamed-cluster.ts';
import { sql, type Database } from '#db/database.ts';
import { OtherSchema, readMigrationStatus, type Migration } from '#db/migrate.ts';
import { readRole, type Role } from '#db/roles.ts';
import type { Config } from '#settings/config.ts';
import { problem, warning, type Finding } from './finding.ts';

/** The facts known about a database. */
export interface DatabaseFacts {
  readonly version: string;
  readonly encoding: string;
  readonly connections: number;
  readonly mostConnections: number;
  readonly bytes: number;
  readonly role: string;
  /** Whether the role could switch off the guards of the ledger. */
  readonly ownsTables: boolean;
  readonly appliedMigrations: number;
  readonly pendingMigrations: readonly string[];
}

const OLDEST = 150_000;

/** Reads the version, settings and schema of the database. Changes nothing. */
export async function examineDatabase(
  db: Database,
  config: Pick<Config, 'databasePoolSize' | 'databaseUrl'>,
): Promise<{ facts: DatabaseFacts; findings: Finding[] }> {
  const server = await readServer(db);
  const schema = await readSchema(db);
  const role = await readRole(db);
  const migrations = schema instanceof OtherSchema ? [] : schema;
  const pending = migrations.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name);
  const findings = [
    ...(await findInKind(db)),
    ...findInSettings(server),
    ...findInSchema(schema, pending),
    ...findInRole(role, server.schema, pending.length > 0, config.databaseUrl === null),
    ...findInConnections(server, config.databasePoolSize),
  ];
  return {
    facts: {
      version: server.version,
      encoding: server.encoding,
      connections: server.connections,
      mostConnections: server.mostConnections,
      bytes: server.bytes,
      role: role.role,
      ownsTables: role.ownsTables,
      appliedMigrations: migrations.length - pending.length,
      pendingMigrations: pending,
    },
    findings,
  };
}

async function findInKind(db: Database): Promise<Finding[]> {
  if (db.address.cluster != null || !(await isDistributed(db))) return [];
  return [
    problem(
      'cluster',
      'The tables are distributed over the machines of a cluster, and CLUSTER is not set, so neither the service nor a command runs.',
      'Set CLUSTER=citus, here and for every process of the service.',
    ),
  ];
}

interface Server {
  readonly versionNumber: number;
  readonly version: string;
  readonly encoding: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly recovering: boolean;
  readonly schema: string | null;
  readonly connections: number;
  readonly mostConnections: number;
  readonly reserved: number;
  readonly bytes: number;
  /** Transaction ids that are left before the server refuses to write. */
  readonly transactionsLeft: number;
}

async function readServer(db: Database): Promise<Server> {
  const { rows } = await sql<Server>`
    select current_setting('server_version_num')::integer as "versionNumber",
           current_setting('server_version') as version,
           pg_encoding_to_char(d.encoding) as encoding,
           (select jsonb_object_agg(name, setting) from pg_settings where name = any(${WATCHED}::text[])) as settings,
           pg_is_in_recovery() as recovering,
           current_schema() as schema,
           (select sum(numbackends)::integer from pg_stat_database) as connections,
           current_setting('max_connections')::integer as "mostConnections",
           current_setting('superuser_reserved_connections')::integer as reserved,
           pg_database_size(d.oid) as bytes,
           (2147483648 - age(d.datfrozenxid))::bigint as "transactionsLeft"
      from pg_database d
     where d.datname = current_database()`.execute(db);
  return rows[0]!;
}

/** The settings that the service relies on: acknowledged is on disk, and a half-written page is found. */
const SAFE = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: '',
  data_checksums: 'on',
  autovacuum: 'on',
};
const WATCHED = [...Object.keys(SAFE), 'default_transaction_read_only', 'default_transaction_isolation'];

function findInSettings({ versionNumber, version, encoding, settings, recovering }: Server): Finding[] {
  const found: Finding[] = [];
  const isOff = (name: string) => settings[name] === 'off';
  if (versionNumber < OLDEST)
    found.push(
      problem(
        'database',
        `PostgreSQL is ${version}, and 15 is the oldest that works.`,
        'Upgrade PostgreSQL.',
      ),
    );
  if (encoding !== 'UTF8')
    found.push(
      problem(
        'database',
        `The database has the encoding ${encoding}, which cannot hold every name.`,
        'Create a database with `encoding UTF8` and move to it.',
      ),
    );
  if (recovering)
    found.push(
      problem(
        'database',
        'The database is a standby, which takes no writes.',
        'Point DATABASE_URL to the primary.',
      ),
    );
  if (settings['default_transaction_read_only'] === 'on')
    found.push(
      problem(
        'database',
        'The database is read-only.',
        'Run `alter system set default_transaction_read_only = off` and `select pg_reload_conf()`.',
      ),
    );
  if (isOff('fsync'))
    found.push(
      problem(
        'database',
        'fsync is off: a power cut destroys the database.',
        'Set `fsync = on` and restart PostgreSQL.',
      ),
    );
  if (isOff('full_page_writes'))
    found.push(
      problem(
        'database',
        'full_page_writes is off: a power cut can leave half-written pages.',
        'Set `full_page_writes = on`.',
      ),
    );
  if (isOff('synchronous_commit'))
    found.push(
      problem(
        'database',
        'synchronous_commit is off: a power cut loses purchases that were acknowledged.',
        'Set `synchronous_commit = on`.',
      ),
    );
  if (isOff('autovacuum'))
    found.push(
      problem(
        'database',
        'autovacuum is off: tables grow, and one day writes stop.',
        'Set `autovacuum = on`.',
      ),
    );
  if (isOff('data_checksums'))
    found.push(
      warning(
        'database',
        'Data checksums are off, so a damaged disk is not noticed.',
        'Stop PostgreSQL and run `pg_checksums --enable`.',
      ),
    );
  const isolation = settings['default_transaction_isolation'];
  if (isolation !== undefined && isolation !== 'read committed')
    found.push(
      problem(
        'database',
        `Transactions are ${isolation} by default, so calls that meet fail.`,
        'Remove default_transaction_isolation from the settings of the server, the database and the role.',
      ),
    );
  return found;
}

function findInSchema(schema: Migration[] | OtherSchema, pending: readonly string[]): Finding[] {
  if (schema instanceof OtherSchema)
    return [
      problem('schema', schema.message, 'Run the version of the program that made it, or a newer one.'),
    ];
  if (pending.length > 0)
    return [
      problem(
        'schema',
        `The schema is behind this program: ${pending.join(', ')} ${pending.length === 1 ? 'is' : 'are'} missing.`,
        'Run `loyalty migrate`, by the role that owns the tables.',
      ),
    ];
  return [];
}

/** The embedded database has one role, because whoever runs it has the superuser's password anyway. */
function findInRole(
  { role, ownsTables, isSuperuser, canCreate, missing }: Role,
  schema: string | null,
  isBehind: boolean,
  isEmbedded: boolean,
): Finding[] {
  const migrate =
    'Run `loyalty migrate` with DATABASE_OWNER_URL, the address of the role that owns the tables.';
  if (missing.length > 0)
    return [problem('database', `The role ${role} has not all rights on ${missing.join(', ')}.`, migrate)];
  if (isBehind && !canCreate)
    return [
      problem(
        'database',
        `The role ${role} may not create tables in the schema ${schema ?? 'that does not exist'}.`,
        migrate,
      ),
    ];
  if (!ownsTables || isEmbedded) return [];
  return [
    warning(
      'database',
      `The service uses the role ${role}, which ${isSuperuser ? 'is a superuser' : 'owns the tables'}: whoever gets into the process can switch off the guards of the ledger.`,
      'Give it a role with rights on the data only, as docs/operations.md#two-roles describes.',
    ),
  ];
}

/** From here on the server would refuse to write within days. */
const FEW_TRANSACTIONS = 200_000_000;

function findInConnections(server: Server, poolSize: number): Finding[] {
  const { connections, mostConnections, reserved, transactionsLeft } = server;
  const found: Finding[] = [];
  if (poolSize > mostConnections - reserved)
    found.push(
      problem(
        'database',
        `DATABASE_POOL_SIZE is ${poolSize}, and the database server takes ${mostConnections - reserved} connections in all.`,
        'Make the pool smaller, or raise max_connections.',
      ),
    );
  else if (connections > 0.85 * (mostConnections - reserved))
    found.push(
      warning(
        'database',
        `${connections} of ${mostConnections - reserved} connections of the database server are in use.`,
        'Make the pools of the processes smaller, or raise max_connections.',
      ),
    );
  if (transactionsLeft < FEW_TRANSACTIONS)
    found.push(
      problem(
        'database',
        `Only ${transactionsLeft} transaction ids are left before the database stops to write.`,
        'Find the transaction that vacuum waits for, end it, and run `vacuum freeze`.',
      ),
    );
  return found;
}

/** Returns the migrations, or why this program cannot run on the schema. */
function readSchema(db: Database): Promise<Migration[] | OtherSchema> {
  return readMigrationStatus(db).catch((error: unknown) => {
    if (error instanceof OtherSchema) return error;
    throw error;
  });
}
