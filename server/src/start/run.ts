import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { buildApp } from '../app.ts';
import { startBackground, type Background } from './background.ts';
import type { Config } from '#settings/config.ts';
import type { Database } from '#db/database.ts';
import type { AccessLog } from '#http/server.ts';
import { endGently } from '#http/end.ts';
import { hireDemoStaff, readDemoStaff } from '#demo/demo-staff.ts';
import { findOrMakeDemo, type Demo } from '#demo/find-or-make-demo.ts';
import { openMetrics } from './open-metrics.ts';
import { warnOfFewFiles } from '#monitoring/open-files.ts';
import { isWithoutShop, makeFirstLink, setUpUrl } from '#set-up/set-up-link.ts';
import { findMember } from '#members/lock-members.ts';
import { forgetAddress, keepAddress } from './running-address.ts';
import { readSecretKeys } from '#settings/secret-key.ts';
import { writeStartUpBlock, type FirstStep, type ShownDemo } from './start-up-block.ts';

/** Serves HTTP and runs the background work on a migrated database, until `stopping` resolves. */
export async function run(
  config: Config,
  db: Database,
  log: Logger,
  { stopping, accessLog }: { stopping: Promise<void>; accessLog: AccessLog },
): Promise<void> {
  const demo = config.demo
    ? await findOrMakeDemo(
        db,
        config.dataDir,
        () => log.info('Making the demo commerce…'),
        config.demoLanguage,
      )
    : null;
  const devMailbox = config.mails === 'shown';
  let background: Background | undefined;
  const metrics = await openMetrics(config, db, log);
  const app = await buildApp({
    db,
    metrics: metrics?.shown ?? null,
    log,
    trustProxy: [...config.trustProxy],
    secret: readSecretKeys(config),
    sessionScope: config.sessionScope,
    sockets: {
      ...config.sockets,
      ...(config.rateLimits === null && { perNetwork: 0, unsentBytesPerNetwork: 0 }),
    },
    rateLimits: config.rateLimits,
    invitationsPerDay: config.invitationsPerDay,
    onMailQueued: () => background?.wakeMails(),
    onClockMove: () => background?.wakeClocks(),
    devMailbox,
    wallets: config.wallets,
    mailHooks: config.mailHooks,
    worksOffline: config.portalOffline,
    // Anyone who can read the mailbox can sign in as anybody, so there is nothing to protect from the page.
    tryItOut: devMailbox,
    demo,
    publicUrl: config.publicUrl,
    consoleUrl: config.consoleUrl,
    accessLog,
  });
  const warning = warnOfFewFiles(config.sockets.total, config.databasePoolSize);
  if (warning !== null) log.warn(warning);
  try {
    // First, so that a port that is taken does not end a process that has calls already.
    await metrics?.listen();
    // The kernel keeps that many connections that wait to be accepted. With the default of 511, callers had to try again
    // after a second while somebody opened thousands.
    await app.listen({ port: config.port, host: config.host, backlog: 4_096 });
    const { port } = app.server.address() as AddressInfo;
    keepAddress(config.dataDir, config.host, port);
    const base =
      config.publicUrl ?? `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}`;
    background = startBackground(config, db, log, base, metrics?.counts);
    const consoleBase = config.consoleUrl ?? base;
    process.stdout.write(
      writeStartUpBlock(
        { base, consoleBase, setUp: await firstStep(config, db, log, consoleBase) },
        demo && (await withPeople(db, demo)),
        devMailbox,
      ),
    );
    await stopping;
    await endGently(app, config.drainSeconds);
  } finally {
    forgetAddress(config.dataDir);
    await endAll([app.close(), metrics?.close(), background?.stop()]);
  }
}

/** The service runs already, so a database that is busy in this moment must not end it. `loyalty setup-link` makes a link too. */
async function firstStep(
  { production }: Config,
  db: Database,
  log: Logger,
  consoleBase: string,
): Promise<FirstStep | null> {
  try {
    if (!(await isWithoutShop(db))) return null;
    // The first person to open the link owns the shop, and many read the log of a service in production.
    if (production) return { link: null };
    return { link: setUpUrl(consoleBase, await makeFirstLink(db)) };
  } catch (error) {
    log.warn(
      { err: error },
      'no set-up link could be made: run `loyalty setup-link` if there is no shop yet',
    );
    return null;
  }
}

async function withPeople(db: Database, demo: Demo): Promise<ShownDemo> {
  const member = await findMember(db, { commerceId: demo.commerceId, code: demo.clientCode });
  await hireDemoStaff(db, demo.commerceId);
  const staff = await readDemoStaff(db, demo.commerceId);
  return { ...demo, memberEmail: member?.email ?? null, staff };
}

/** Waits for all parts of the shutdown. @throws the first error, once all parts have ended */
async function endAll(parts: (Promise<void> | undefined)[]): Promise<void> {
  const ended = await Promise.allSettled(parts.map(inTime));
  const failed = ended.find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

const LONGEST_STOP_MS = 8_000;

/** Waits for a part of the shutdown, but not for ever: the database may be silent, and calls have their own limit. */
async function inTime(part: Promise<void> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, LONGEST_STOP_MS)));
  await Promise.race([part, late]).finally(() => clearTimeout(timer));
}
