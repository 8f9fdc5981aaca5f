import { once } from 'node:events';
import { checkPorts } from './check-ports.ts';
import { describeFailure } from './describe-failure.ts';
import { fitPool } from './fit-pool.ts';
import { findDemo, findFirstStep, withPeople } from './first-facts.ts';
import { send } from './fork-part.ts';
import type { FromPreparation, Settings, ToPreparation } from './messages.ts';
import { openDatabase } from '#db/database.ts';
import { openLog } from '#http/log.ts';
import { addressOfCalls, prepareDatabase } from './prepare-database.ts';
import { readServiceConfig, type Config } from '#settings/config.ts';
import { readSecretKeys } from '#settings/secret-key.ts';
import { warnOfFewFiles } from '#monitoring/open-files.ts';

/** Does what comes before serving, for several processes: checks the settings, migrates, makes the demo and the set-up link. */
export async function main(): Promise<void> {
  const tell = (message: FromPreparation) => send(process, message);
  // The supervisor decides when it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
  try {
    await prepare(tell);
  } catch (error) {
    tell({ failed: describeFailure(error) });
  }
  process.disconnect?.();
}

async function prepare(tell: (message: FromPreparation) => void): Promise<void> {
  const config = readServiceConfig(process.env, 'preparation');
  await checkPorts(config);
  const ordered = once(process, 'message') as Promise<[ToPreparation]>;
  tell({ settings: settingsOf(config) });
  const [{ embeddedUrl, processes }] = await ordered;
  const log = await openLog(config);
  // Several processes would each make one, where none is set.
  readSecretKeys(config);
  const address = addressOfCalls(config, embeddedUrl);
  await prepareDatabase(config, address, config.databaseOwnerUrl);
  const db = openDatabase({ ...address, poolSize: config.databasePoolSize, log });
  try {
    const { poolSize, warning } = await fitPool(config, db, processes);
    for (const said of [warning, warnOfFewFiles(config.sockets.total, poolSize)])
      if (said !== null) log.warn(said);
    const demo = await findDemo(config, db, log);
    tell({
      prepared: {
        demo: demo && (await withPeople(db, demo)),
        firstStep: await findFirstStep(config, db, log),
        poolSize,
      },
    });
  } finally {
    await db.destroy();
  }
}

function settingsOf(config: Config): Settings {
  const { consoleUrl, dataDir, databaseUrl, drainSeconds, host, logFormat, logLevel } = config;
  const { mails, metricsPort, port, postgresBin, publicUrl, rateLimits, sockets, warnings } = config;
  const first = { consoleUrl, dataDir, databaseUrl, drainSeconds, host, logFormat, logLevel };
  return { ...first, mails, metricsPort, port, postgresBin, publicUrl, rateLimits, sockets, warnings };
}
