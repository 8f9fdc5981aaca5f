import { Refusal } from '#base/refusal.ts';
import { storeAtMachines } from './cluster/settings-of-machines.ts';
import { isDatabaseAway } from './database-errors.ts';
import {
  ONLY_HERE,
  onConnection,
  openDatabase,
  sessionSettings,
  sql,
  sqlState,
  transaction,
  workerSettings,
  type Database,
  type DatabaseAddress,
  type Db,
} from './database.ts';

/** The time limits, or what a cluster needs, do not hold on the connections of this program. */
export class LimitsMissing extends Refusal {}

/** A pooler such as PgBouncer refused a connection because of the settings that it starts with. */
const REFUSED_SETTINGS = /unsupported startup parameter/;

/**
 * Stores the time limits as settings of the role in this database, because a pooler refuses connections that bring their
 * own. PostgreSQL then applies them to every connection that the pooler opens. The machines of a cluster get settings that end no command.
 * Does nothing if they are stored already, or if the role may not change its settings: `checkLimits` then says what to run.
 * @param directUrl an address that bypasses the pooler
 */
export async function storeSettingsOfRole(
  directUrl: string,
  plans: Plans & Pick<DatabaseAddress, 'sendsSettings'>,
): Promise<void> {
  const direct = openDatabase({
    url: directUrl,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  try {
    await transaction(direct, async (tx) => {
      // Processes that start together would otherwise change the same row at once.
      await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(tx);
      if (plans.cluster != null) await sql.raw(`set local ${ONLY_HERE} = off`).execute(tx);
      const stored = await readStored(tx);
      const settings =
        plans.cluster != null && plans.sendsSettings !== false ? workerSettings : sessionSettings;
      for (const [name, value] of Object.entries(settings(plans)))
        if (!stored.has(`${name}=${value}`)) await storeSetting(tx, name, value);
    });
    // Nothing waits for a machine that is away: the next start stores them there.
    if (plans.cluster != null)
      await onConnection(direct, (connection) => storeAtMachines(connection, workerSettings(plans))).catch(
        (error: unknown) => {
          if (!isDatabaseAway(error)) throw error;
        },
      );
  } catch (error) {
    if (sqlState(error) !== NOT_ALLOWED) throw error;
  } finally {
    await direct.destroy();
  }
}

/**
 * Checks on some connections that the time limits hold, and what a cluster needs. A pooler that ignores settings would otherwise
 * take them away without a word.
 * @throws LimitsMissing with what to do
 */
export async function checkLimits(database: Database, plans: Plans): Promise<void> {
  const wanted = sessionSettings(plans);
  // The others make calls faster, and an address may carry options that replace them.
  const names = Object.keys(wanted).filter((name) => isLimit(name) || name.startsWith('citus.'));
  const samples = await Promise.all(Array.from({ length: SAMPLES }, () => readSettings(database, names)));
  for (const found of samples) {
    const wrong = names.find((name) => found[name] !== wanted[name]);
    if (wrong === undefined) continue;
    throw new LimitsMissing(await describeMissing(database, wrong, wanted));
  }
}

/** Turns the refusal of a pooler into a sentence that says what to do. Returns any other error unchanged. */
export function explainPooler(error: unknown): unknown {
  if (!(error instanceof Error) || !REFUSED_SETTINGS.test(error.message)) return error;
  return new LimitsMissing(
    `DATABASE_URL is the address of a pooler (it answered "${error.message}"). ` +
      'Set DATABASE_DIRECT_URL to the address of the PostgreSQL behind it.',
    { cause: error },
  );
}

const isLimit = (name: string): boolean => name.endsWith('_timeout');

type Plans = Pick<DatabaseAddress, 'preparedStatements' | 'cluster'>;

const LOCK = '3853314791062309108';
const NOT_ALLOWED = '42501';
const SAMPLES = 3;

async function readStored(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ settings: string[] }>`
    select s.setconfig as settings
      from pg_db_role_setting s
     where s.setrole = (select oid from pg_roles where rolname = session_user)
       and s.setdatabase = (select oid from pg_database where datname = current_database())`.execute(db);
  return new Set(rows[0]?.settings);
}

/** A role may change its own settings, unless it acts as another one, or an extension of the provider guards it. */
async function storeSetting(db: Db, name: string, value: string): Promise<void> {
  const { rows } = await sql<{ database: string }>`select current_database() as database`.execute(db);
  await sql`
    alter role session_user in database ${sql.id(rows[0]!.database)} set ${sql.id(name)} = ${sql.raw(value)}`.execute(
    db,
  );
}

/**
 * The sleep makes the samples run at once, so that the pooler gives them different connections. Settings that the server does not know
 * are not in its list.
 */
async function readSettings(db: Db, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select n.name, coalesce(s.setting, current_setting(n.name, true)) as setting
      from unnest(${names}::text[]) as n(name)
      left join pg_settings s on s.name = n.name
     cross join pg_sleep(0.02)`.execute(db);
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

async function describeMissing(
  database: Database,
  name: string,
  wanted: Readonly<Record<string, string>>,
): Promise<string> {
  const what = isLimit(name) ? 'The time limits do' : 'What a cluster needs does';
  const missing = `${what} not hold: ${name} is missing on connections to DATABASE_URL.`;
  if (database.address.sendsSettings !== false)
    return `${missing}\nIf it is the address of a pooler, set DATABASE_DIRECT_URL to the address of the PostgreSQL behind it.`;
  const stored = await readStored(database);
  if (stored.has(`${name}=${wanted[name]}`))
    return `${missing}\nThey are stored, but the pooler uses connections that it opened before. Run \`RECONNECT\` in its console.`;
  const { rows } = await sql<{ role: string; place: string }>`
    select session_user as role, current_database() as place`.execute(database);
  const { role, place } = rows[0]!;
  return [
    missing,
    `The role "${role}" has not stored them. Run these statements as a superuser, then \`RECONNECT\` in the console of the pooler, because it keeps connections that were opened before:`,
    // The machines of a cluster have settings of their own.
    ...(database.address.cluster == null ? [] : [`  set ${ONLY_HERE} = off;`]),
    ...Object.entries(wanted).map(
      ([setting, value]) => `  alter role "${role}" in database "${place}" set ${setting} = ${value};`,
    ),
  ].join('\n');
}
