import type { Config } from '#settings/config.ts';
import { refuseUnnamedCluster } from '#db/cluster/refuse-unnamed-cluster.ts';
import { openDatabase, type Database } from '#db/database.ts';
import { borrowEmbedded, startEmbedded } from '#db/embedded/embedded.ts';
import { explainUnreachable, type NamedAddress } from '#db/explain-unreachable.ts';
import { migrate, readMigrationStatus } from '#db/migrate.ts';
import { grantToService } from '#db/roles.ts';
import { findMisspelt } from '#settings/misspelt-variables.ts';
import { Refusal } from '#base/refusal.ts';
import { readSettings } from './read-settings.ts';
import { printMessage, writeCount } from './terminal.ts';

/**
 * Runs a command on the database of `DATABASE_URL`, or on the embedded one in `DATA_DIR`, which is started if it is
 * not running and stopped afterwards. Only `serve` and `restore` create one. The embedded schema is migrated first. The schema of any other database belongs
 * to the operator: only `serve` and `migrate` change it, if their role owns it, and a command refuses to run on an old or newer one.
 */
export async function withDatabase<T>(
  work: (database: Database, config: Config) => Promise<T>,
  options: Options = {},
): Promise<T> {
  return withUnmigratedDatabase(async (database, config) => {
    if (config.databaseUrl === null) await migrate(database);
    else await refuseOtherSchema(database);
    return work(database, config);
  }, options);
}

interface Options {
  /** True if the work ends by itself at SIGINT and SIGTERM. Any other work is interrupted. */
  readonly endsOnSignal?: boolean;
  /** By default that of the service. The owner's is the same where there is no `DATABASE_OWNER_URL`. */
  readonly role?: 'service' | 'owner';
  /** For a command that only looks: runs also where the settings do not fit the machines, or these do not fit each other. */
  readonly onlyLooks?: boolean;
  /** How many connections the work may use at once. By default 2. */
  readonly poolSize?: number;
}

/** Runs a command on the database without a check of its schema. Bypasses the pooler if there is one. */
export async function withUnmigratedDatabase<T>(
  work: (database: Database, config: Config) => Promise<T>,
  { endsOnSignal = false, role = 'service', ...options }: Options = {},
): Promise<T> {
  const config = readSettings();
  tellMisspelt();
  if (config.databaseUrl !== null)
    return runOnServer(config, addressOf(config, config.databaseUrl, role), work, options);

  const embedded = await borrowEmbedded({ ...config, log: printMessage });
  const signals = endsOnSignal ? null : stopOnSignal(() => embedded.release());
  try {
    return await runOnServer(config, { name: 'DATABASE_URL', url: embedded.url }, work);
  } finally {
    await signals?.ignore();
    await embedded.release();
  }
}

/**
 * Runs a command that fills an empty database. Without `DATABASE_URL` it creates the embedded one if there is none, and no
 * service can start on it meanwhile.
 */
export async function withEmptyDatabase<T>(
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = readSettings();
  tellMisspelt();
  if (config.databaseUrl !== null)
    return runOnServer(config, addressOf(config, config.databaseUrl, 'owner'), work);

  const embedded = await startEmbedded({ ...config, log: printMessage });
  const signals = stopOnSignal(() => embedded.stop());
  try {
    return await runOnServer(config, { name: 'DATABASE_URL', url: embedded.url }, work);
  } finally {
    await signals.ignore();
    await embedded.stop();
  }
}

function addressOf(
  { databaseDirectUrl, databaseOwnerUrl }: Config,
  databaseUrl: string,
  role: 'service' | 'owner' = 'service',
): NamedAddress {
  if (role === 'owner' && databaseOwnerUrl !== null)
    return { name: 'DATABASE_OWNER_URL', url: databaseOwnerUrl };
  return databaseDirectUrl === null || databaseDirectUrl === databaseUrl
    ? { name: 'DATABASE_URL', url: databaseUrl }
    : { name: 'DATABASE_DIRECT_URL', url: databaseDirectUrl };
}

async function runOnServer<T>(
  config: Config,
  address: NamedAddress,
  work: (database: Database, config: Config) => Promise<T>,
  { onlyLooks = false, poolSize = 2 }: Pick<Options, 'onlyLooks' | 'poolSize'> = {},
): Promise<T> {
  const database = openDatabase({
    url: address.url,
    poolSize,
    preparedStatements: config.preparedStatements,
    cluster: config.cluster,
    trustsMachines: onlyLooks,
    statementTimeoutMs: 0,
  });
  try {
    if (!onlyLooks) await refuseUnnamedCluster(database);
    return await work(database, config);
  } catch (error) {
    throw explainUnreachable(error, address);
  } finally {
    await database.destroy();
  }
}

/**
 * Gives the role of the service its rights, if there are two roles. Returns its name, or null if there is one for both.
 * @param owner the database by the role that owns its tables
 */
export async function grantIfTwoRoles(owner: Database, config: Config): Promise<string | null> {
  if (config.databaseUrl === null || config.databaseOwnerUrl === null) return null;
  const address = addressOf(config, config.databaseUrl);
  try {
    return await grantToService(owner, { url: address.url, preparedStatements: false });
  } catch (error) {
    throw explainUnreachable(error, address);
  }
}

/** Without its `DATABASE_URL`, a command would work on another database. */
function tellMisspelt(): void {
  for (const sentence of findMisspelt(process.env)) printMessage(sentence);
}

async function refuseOtherSchema(database: Database): Promise<void> {
  const migrations = await readMigrationStatus(database);
  const missing = migrations.filter((migration) => migration.appliedAt === null).length;
  if (missing > 0) {
    throw new Refusal(
      `The database schema is ${writeCount(missing, 'migration')} behind this program. Run \`loyalty migrate\` first.`,
    );
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Stops the server that a command has started if Ctrl-C or SIGTERM interrupts it, or if nobody reads its output any more. `ignore` removes
 * the handlers. After an interruption it never returns, because errors of the interrupted work must not be reported.
 */
export function stopOnSignal(release: () => Promise<void>): { ignore(): Promise<void> } {
  let stopping = false;
  const stop = (exitCode?: number) => {
    if (stopping) return;
    stopping = true;
    if (exitCode !== undefined) printMessage('Interrupted.');
    void release().finally(() => process.exit(exitCode));
  };
  const interrupt = () => stop(130);
  const endUnread = () => stop();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  process.stdout.on('unread', endUnread);
  return {
    async ignore() {
      if (stopping) await new Promise(() => {});
      for (const signal of SIGNALS) process.off(signal, interrupt);
      process.stdout.off('unread', endUnread);
    },
  };
}
