import { ConfigProblem, readConfig } from './config.ts';
import { openDatabase } from '#db/database.ts';
import { startEmbedded } from '#db/embedded/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { createLog } from '#http/log.ts';

/**
 * Runs the service until it is told to stop: PostgreSQL of its own where no DATABASE_URL is given, migrations, a
 * demo commerce outside production, HTTP. Resolves once it has stopped.
 * @throws ConfigProblem, and whatever keeps it from starting, as a sentence
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env);
  const log = createLog({ level: config.logLevel });
  const stopping = stopSignal();
  // The rest of the program is loaded while PostgreSQL starts. What keeps it from that is told below.
  const rest = import('./run.ts');
  rest.catch(() => {});
  const server =
    config.databaseUrl === null
      ? await startEmbedded({ dataDir: config.dataDir, log: (s) => log.info(s) })
      : null;
  try {
    const url = config.databaseUrl ?? server!.url;
    await migrateFirst(config.databaseDirectUrl ?? url);
    const db = openDatabase({
      url,
      poolSize: config.databasePoolSize,
      preparedStatements: config.preparedStatements,
      onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
    });
    try {
      const { run } = await rest;
      await run(config, db, log, stopping);
    } finally {
      await db.destroy();
    }
  } finally {
    await server?.stop();
  }
}

/** Migrations may take longer than a request may. */
async function migrateFirst(url: string): Promise<void> {
  const database = openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
  try {
    await migrate(database);
  } finally {
    await database.destroy();
  }
}

/** Resolves at the first Ctrl-C or SIGTERM; npm passes a Ctrl-C on that the terminal has sent already. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
}

/** The service as a program: what keeps it from starting is said in a sentence each. */
export async function main(): Promise<void> {
  try {
    await serve(process.env);
  } catch (error) {
    const sentences =
      error instanceof ConfigProblem
        ? error.sentences
        : [error instanceof Error ? error.message : String(error)];
    for (const sentence of sentences) process.stderr.write(`${sentence}\n`);
    process.exitCode = 1;
  }
}
