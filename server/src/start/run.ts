import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { startBackground, type Background } from './background.ts';
import { BACKLOG, buildService } from './build-service.ts';
import type { Config } from '#settings/config.ts';
import type { Database } from '#db/database.ts';
import type { AccessLog } from '#http/server.ts';
import { endAll } from './end-all.ts';
import { endGently } from '#http/end.ts';
import { findDemo, findFirstStep, withPeople } from './first-facts.ts';
import { releaseIdleMemory } from '#base/idle-memory.ts';
import { openMetrics } from './open-metrics.ts';
import { warnOfFewFiles } from '#monitoring/open-files.ts';
import { baseOf, forgetAddress, keepAddress } from './running-address.ts';
import { writeStartUpBlock } from './start-up-block.ts';

/** Serves HTTP and runs the background work on a migrated database, until `stopping` resolves. */
export async function run(
  config: Config,
  db: Database,
  log: Logger,
  { stopping, accessLog }: { stopping: Promise<void>; accessLog: AccessLog },
): Promise<void> {
  const demo = await findDemo(config, db, log);
  let background: Background | undefined;
  const metrics = await openMetrics(config, db, log);
  metrics?.watchInstallation();
  const app = await buildService(config, db, log, {
    metrics: metrics?.shown ?? null,
    demo,
    onMailQueued: () => background?.wakeMails(),
    onClockMove: () => background?.wakeClocks(),
    accessLog,
  });
  const warning = warnOfFewFiles(config.sockets.total, config.databasePoolSize);
  if (warning !== null) log.warn(warning);
  const memory = releaseIdleMemory();
  try {
    // First, so that a port that is taken does not end a process that has calls already.
    await metrics?.listen();
    await app.listen({ port: config.port, host: config.host, backlog: BACKLOG });
    const { port } = app.server.address() as AddressInfo;
    keepAddress(config.dataDir, config.host, port);
    const base = baseOf(config, port);
    background = startBackground(config, db, log, base, metrics?.counts);
    process.stdout.write(
      writeStartUpBlock(
        {
          base,
          consoleBase: config.consoleUrl ?? base,
          firstStep: await findFirstStep(config, db, log),
        },
        demo && (await withPeople(db, demo)),
        config.mails === 'shown',
      ),
    );
    await stopping;
    await endGently(app, config.drainSeconds);
  } finally {
    memory.stop();
    forgetAddress(config.dataDir);
    await endAll([app.close(), metrics?.close(), background?.stop()]);
  }
}
