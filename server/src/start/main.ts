import { dirname, relative } from 'node:path';
import { checkPorts } from './check-ports.ts';
import { readServiceConfig, type Config } from '#settings/config.ts';
import { describeFailure } from './describe-failure.ts';
import { openDatabase, type DatabaseAddress } from '#db/database.ts';
import { startEmbedded } from '#db/embedded/embedded.ts';
import { explainUnreachable, type NamedAddress } from '#db/explain-unreachable.ts';
import { migrate } from '#db/migrate.ts';
import { COMMAND_PATIENCE, PATIENCE } from '#db/patience.ts';
import { checkCarried } from '#db/carried-statements.ts';
import { checkLimits, explainPooler, storeSettingsOfRole } from '#db/pooler.ts';
import { loadEnvFile } from '#settings/env-file.ts';
import { refuseMissingRights } from '#db/roles.ts';
import { openTracing } from './open-tracing.ts';
import { isLogForPeople, openLog } from '#http/log.ts';

/**
 * Runs the service until SIGINT or SIGTERM. It starts PostgreSQL if DATABASE_URL is not set, updates the schema,
 * creates the demo commerce if it is wanted and serves HTTP. Resolves once everything has stopped. Settings come from
 * `env`, which gets those of `.env`.
 * @throws Refusal, or any other error that prevents the start
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const envFile = loadEnvFile(env);
  const config = readServiceConfig(env);
  await checkPorts(config);
  const stopping = waitForStopSignal();
  const started = endUnlessStarted(stopping);
  const log = await openLog(config);
  const talks = isLogForPeople(config);
  if (envFile !== null) log.info(`settings are read from the environment and from ${envFile}`);
  for (const warning of config.warnings) log.warn(warning);
  if (talks) void stopping.then(() => process.stdout.write('\nStopping…\n'));
  const tracing = await openTracing(config);
  const server =
    config.databaseUrl === null
      ? await startEmbedded({ ...config, log: (s) => log.info(s), onSpawn: () => void loadRest() })
      : null;
  try {
    const url = config.databaseUrl ?? server!.url;
    const directUrl = config.databaseDirectUrl ?? url;
    const isPooled = directUrl !== url;
    await reach(directNameOf(config), directUrl, () => migrateFirst(directUrl));
    if (isPooled) await storeSettingsOfRole(directUrl, config.preparedStatements);
    const address = { url, sendsSettings: !isPooled, preparedStatements: config.preparedStatements };
    if (server === null) await reach('DATABASE_URL', url, () => checkConnections(address));
    const db = openDatabase({
      ...address,
      poolSize: config.databasePoolSize,
      log,
      slowStatementMs: config.slowStatementMs,
      tracing,
    });
    try {
      const { run } = await loadRest();
      started();
      const calls = talks ? 'calls' : 'all';
      await run(config, db, log, { stopping, accessLog: config.accessLog ? calls : 'none' });
    } finally {
      await db.destroy();
    }
  } finally {
    await server?.stop();
    await tracing?.stop();
  }
  if (talks) process.stdout.write(sayGoodbye(server === null ? null : dirname(server.folder)));
  else log.info('stopped');
}

/**
 * Loads the rest of the program. Loading keeps this thread from everything else, for half a second if nothing is compiled yet, so it
 * begins once a program of PostgreSQL runs, which uses another processor meanwhile. Asking for it again costs nothing.
 */
function loadRest() {
  const rest = import('./run.ts');
  // An error in it is thrown where it is awaited.
  rest.catch(() => {});
  return rest;
}

/** @param data the folder of the embedded database; null if the database is somebody else's */
function sayGoodbye(data: string | null): string {
  if (data === null) return 'Stopped.\n';
  const near = relative(process.cwd(), data);
  return `Stopped. Your data is in ${near.startsWith('..') ? data : `./${near}`}; start again with \`npm start\`.\n`;
}

/** @throws Unreachable, with the name of the variable, if the work cannot reach the database */
async function reach(name: NamedAddress['name'], url: string, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw explainUnreachable(error, { name, url });
  });
}

function directNameOf({ databaseUrl, databaseDirectUrl }: Config): NamedAddress['name'] {
  return databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
}

/** Migrates on a connection of its own, because migrations may take longer than requests. */
async function migrateFirst(url: string): Promise<void> {
  const database = openDatabase({ url, poolSize: 1, preparedStatements: false, statementTimeoutMs: 0 });
  try {
    await migrate(database);
    await refuseMissingRights(database);
  } catch (error) {
    throw explainPooler(error);
  } finally {
    await database.destroy();
  }
}

/** Checks what calls need, on connections of its own, because the start may wait longer for a connection than a call. */
async function checkConnections(address: DatabaseAddress): Promise<void> {
  const patience = { ...PATIENCE, connectionMs: COMMAND_PATIENCE.connectionMs };
  const database = openDatabase({ ...address, poolSize: 3, patience });
  try {
    await checkCarried(database);
    await checkLimits(database, address.preparedStatements);
  } finally {
    await database.destroy();
  }
}

/** Resolves at the first SIGINT or SIGTERM. More may follow: npm repeats the Ctrl-C that the terminal has sent. */
function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
}

const LONGEST_START_AFTER_SIGNAL_MS = 8_000;

/**
 * Ends a start that goes on for seconds after a signal to stop, because it waits for something: the recovery of PostgreSQL, a disk, the
 * migrations of another process. It may be killed at any moment, so nothing is lost. Returns a function to call when the start is over.
 */
function endUnlessStarted(stopping: Promise<void>): () => void {
  let isStarted = false;
  const end = () => {
    if (isStarted) return;
    process.stderr.write('Stopped before the start was complete.\n');
    process.exit(1);
  };
  void stopping.then(() => setTimeout(end, LONGEST_START_AFTER_SIGNAL_MS).unref());
  return () => void (isStarted = true);
}

/** Runs the service as a program. If it cannot start, prints why and exits with 1. */
export async function main(): Promise<void> {
  try {
    await serve(process.env);
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    process.exitCode = 1;
  }
}
