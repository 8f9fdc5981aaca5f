import type { Logger } from 'pino';
import type { Config } from '#settings/config.ts';
import type { Database } from '#db/database.ts';
import { hireDemoStaff, readDemoStaff } from '#demo/demo-staff.ts';
import { findOrMakeDemo, type Demo } from '#demo/find-or-make-demo.ts';
import { findMember } from '#members/lock-members.ts';
import { isWithoutShop, makeFirstLink } from '#set-up/set-up-link.ts';
import type { FirstStep, ShownDemo } from './start-up-block.ts';

/** Returns the demo, and makes it first where there is no commerce. Null if it is not wanted, or if there are others. */
export async function findDemo(config: Config, db: Database, log: Logger): Promise<Demo | null> {
  if (!config.demo) return null;
  return findOrMakeDemo(db, config.dataDir, () => log.info('Making the demo commerce…'), config.demoLanguage);
}

export async function withPeople(db: Database, demo: Demo): Promise<ShownDemo> {
  const member = await findMember(db, { commerceId: demo.commerceId, code: demo.clientCode });
  await hireDemoStaff(db, demo.commerceId);
  const staff = await readDemoStaff(db, demo.commerceId);
  return { ...demo, memberEmail: member?.email ?? null, staff };
}

/** A database that is busy in this moment must not end a service that can serve. `loyalty setup-link` makes a link too. */
export async function findFirstStep(
  { production }: Config,
  db: Database,
  log: Logger,
): Promise<FirstStep | null> {
  try {
    if (!(await isWithoutShop(db))) return null;
    // Whoever opens the link first owns the shop, and many read the log of a service in production.
    return { token: production ? null : await makeFirstLink(db) };
  } catch (error) {
    log.warn(
      { err: error },
      'no set-up link could be made: run `loyalty setup-link` if there is no shop yet',
    );
    return null;
  }
}
