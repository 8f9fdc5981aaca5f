import type { Logger } from 'pino';
import { buildApp, type Deps } from '../app.ts';
import type { Config } from '#settings/config.ts';
import type { Database } from '#db/database.ts';
import type { App } from '#http/server.ts';
import { webhookRulesOf } from './webhook-rules.ts';
import { readSecretKeys } from '#settings/secret-key.ts';

/** What a process adds to the settings. */
export type Surroundings = Pick<
  Deps,
  'metrics' | 'demo' | 'onMailQueued' | 'onClockMove' | 'accessLog' | 'ledger' | 'writer'
>;

/** Builds the HTTP service from the settings. It does not listen yet. */
export function buildService(
  config: Config,
  db: Database,
  log: Logger,
  surroundings: Surroundings,
): Promise<App> {
  const devMailbox = config.mails === 'shown';
  return buildApp({
    db,
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
    undosPerDay: config.undosPerDay,
    webhookRules: webhookRulesOf(config),
    devMailbox,
    wallets: config.wallets,
    mailHooks: config.mailHooks,
    worksOffline: config.portalOffline,
    // Whoever can read the mailbox can sign in as anybody, so there is nothing to protect from the page.
    tryItOut: devMailbox,
    publicUrl: config.publicUrl,
    consoleUrl: config.consoleUrl,
    ...surroundings,
  });
}

/**
 * The kernel keeps that many connections that wait to be accepted. With the default of 511, callers had to try again after a second while
 * somebody opened thousands.
 */
export const BACKLOG = 4_096;
