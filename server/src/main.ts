import type { AddressInfo } from 'node:net';
import { buildApp } from './app.ts';
import { keepsMails, startBackground, type Background } from './background.ts';
import { ConfigProblem, readConfig, secretKey, type Config } from './config.ts';
import { openDatabase, type Database } from '#db/database.ts';
import { startEmbedded } from '#db/embedded/embedded.ts';
import { migrate } from '#db/migrate.ts';
import { findOrMakeDemo } from '#demo/find-or-make-demo.ts';
import { createLog } from '#http/log.ts';
import { createMetrics } from '#metrics/metrics.ts';
import { startUpBlock } from './start-up-block.ts';

/**
 * Runs the service until it is told to stop: PostgreSQL of its own where no DATABASE_URL is given, migrations, a
 * demo commerce outside production, HTTP. Resolves once it has stopped.
 * @throws ConfigProblem, and whatever keeps it from starting, as a sentence
 */
export async function serve(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env);
  const log = createLog({ level: config.logLevel });
  const stopping = stopSignal();
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
      await run(config, db, log, stopping);
    } finally {
      await db.destroy();
    }
  } finally {
    await server?.stop();
  }
}

async function run(
  config: Config,
  db: Database,
  log: ReturnType<typeof createLog>,
  stopping: Promise<void>,
): Promise<void> {
  const demo = config.production ? null : await findOrMakeDemo(db, config.dataDir);
  const devMailbox = keepsMails(config) && !config.production;
  let background: Background | undefined;
  const metrics = config.metricsPort === null ? null : createMetrics();
  const app = await buildApp({
    db,
    metrics,
    log,
    trustProxy: [...config.trustProxy],
    secret: secretKey(config),
    rateLimits: config.rateLimits,
    onMailQueued: () => background?.wakeMails(),
    devMailbox,
  });
  await app.listen({ port: config.port, host: config.host });
  const served = await metrics?.listen(config.host, config.metricsPort ?? 0);
  const { port } = app.server.address() as AddressInfo;
  const base = config.publicUrl ?? `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}`;
  background = startBackground(config, db, log, base);
  process.stdout.write(startUpBlock(base, demo, devMailbox));
  await stopping;
  await app.close();
  await served?.close();
  await background.stop();
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

if (import.meta.main) {
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
