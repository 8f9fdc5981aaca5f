import { readConfig, type Config } from '../config.ts';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { borrowEmbedded } from '#db/embedded/embedded.ts';
import { migrate, migrationStatus } from '#db/migrate.ts';
import { Refusal } from './refusal.ts';
import { say } from './terminal.ts';

/**
 * Runs a command on the database: that of `DATABASE_URL`, or the embedded one of `DATA_DIR`, which is started
 * where it does not run and then stopped again. The embedded schema is brought up to date first; another is the
 * operator's, and only `serve` and `migrate` change it: one that is not this program's is refused.
 */
export async function withDatabase<T>(
  work: (database: Database, config: Config) => Promise<T>,
  options: Options = {},
): Promise<T> {
  return withAnyDatabase(async (database, config) => {
    if (config.databaseUrl === null) await migrate(database);
    else await refuseAnotherSchema(database);
    return work(database, config);
  }, options);
}

interface Options {
  /** The work ends by itself at SIGINT and SIGTERM; any other is broken off. */
  readonly endsOnSignal?: boolean;
}

/** The same, whatever state the schema is in, past a pooler where there is one. */
export async function withAnyDatabase<T>(
  work: (database: Database, config: Config) => Promise<T>,
  { endsOnSignal = false }: Options = {},
): Promise<T> {
  const config = readConfig(process.env);
  if (config.databaseUrl !== null)
    return onServer(config, config.databaseDirectUrl ?? config.databaseUrl, work);

  const embedded = await borrowEmbedded({ dataDir: config.dataDir, log: say });
  const signals = endsOnSignal ? null : stopOnSignal(() => embedded.release());
  try {
    return await onServer(config, embedded.url, work);
  } finally {
    await signals?.ignore();
    await embedded.release();
  }
}

async function onServer<T>(
  config: Config,
  url: string,
  work: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const database = openDatabase({
    url,
    poolSize: 2,
    preparedStatements: config.preparedStatements,
    statementTimeoutMs: 0,
  });
  try {
    return await work(database, config);
  } finally {
    await database.destroy();
  }
}

async function refuseAnotherSchema(database: Database): Promise<void> {
  const migrations = await migrationStatus(database);
  const missing = migrations.filter((migration) => migration.appliedAt === null).length;
  if (missing > 0) {
    throw new Refusal(
      `The database's schema is behind this program by ${missing} of ${migrations.length} migrations: run \`loyalty migrate\` first.`,
    );
  }
  const { rows } = await sql`
    select from schema_migrations
     where name <> all(${migrations.map((migration) => migration.name)}::text[])`.execute(database);
  if (rows.length > 0) {
    throw new Refusal("The database's schema is newer than this program: run the program's newer version.");
  }
}

/**
 * A server that a command has started is not left behind by Ctrl-C. `ignore` ends the watch; once a signal has
 * come, it never returns: what the work fails with while the process ends is nothing to report.
 */
function stopOnSignal(release: () => Promise<void>): { ignore(): Promise<void> } {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    say('Interrupted.');
    void release().finally(() => process.exit(130));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    async ignore() {
      if (stopping) await new Promise(() => {});
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
