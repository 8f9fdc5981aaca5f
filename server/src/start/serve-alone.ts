import { dirname } from 'node:path';
import { checkPorts } from './check-ports.ts';
import { readServiceConfig } from '#settings/config.ts';
import { openDatabase } from '#db/database.ts';
import { startEmbedded } from '#db/embedded/embedded.ts';
import { openTracing } from './open-tracing.ts';
import { isLogForPeople, openLog } from '#http/log.ts';
import { addressOfCalls, prepareDatabase } from './prepare-database.ts';
import { sayGoodbye } from './say-goodbye.ts';
import { endUnlessStarted, waitForStopSignal } from './stop-signal.ts';

/**
 * Runs the service in this process alone. It starts PostgreSQL if DATABASE_URL is not set, updates the schema, creates the demo commerce
 * if it is wanted and serves HTTP. `envFile` is the file of which settings were read.
 * @throws Refusal, or any other error that prevents the start
 */
export async function serveAlone(env: NodeJS.ProcessEnv, envFile: string | null): Promise<void> {
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
    const address = addressOfCalls(config, server?.url ?? null);
    await prepareDatabase(config, address);
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
