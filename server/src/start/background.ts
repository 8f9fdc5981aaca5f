import type { Logger } from 'pino';
import type { Config } from '#settings/config.ts';
import { startMovingClocks } from '#jobs/move-clocks.ts';
import { startJobs } from '#jobs/start-jobs.ts';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { JOB_PATIENCE } from '#db/patience.ts';
import { createSmtpMailer, mailboxMailer, type Mailer } from '#mail/mailer.ts';
import { startMailSender, type MailCounts } from '#mail/send-mails.ts';
import { startUpdateSender, type UpdateCounts } from '#wallets/send-updates.ts';
import { createHeadSigner } from '#seals/head.ts';
import { startPublishingHeads } from '#seals/publish-heads.ts';
import { startWebhookSender, type WebhookCounts } from '#webhooks/send-webhooks.ts';
import { webhookRulesOf } from './webhook-rules.ts';
import { readSealKey, readSecretKeys } from '#settings/secret-key.ts';

/** The work that no request waits for: sending mails, running jobs, updating wallet passes, sending webhooks, publishing heads of the sealed history. */
export interface Background {
  /** Makes the mail sender look for due mails at once. */
  wakeMails(): void;
  /** Begins to move the clocks of sandboxes that somebody asked to move. */
  wakeClocks(): void;
  /** Stops all of it, each part after its current batch. */
  stop(): Promise<void>;
}

/** The counts of the background work for the operator’s metrics. */
export interface BackgroundCounts {
  readonly mails?: MailCounts;
  readonly wallets?: UpdateCounts;
  readonly webhooks?: WebhookCounts;
}

/**
 * Starts the background work, inside `serve` or in a worker. Any number of processes may run it at once.
 * @param base the address of the service for links in mails
 */
export function startBackground(
  config: Config,
  db: Database,
  log: Logger,
  base: string,
  counts: BackgroundCounts = {},
): Background {
  const mailer = createMailer(config);
  const sender =
    mailer &&
    startMailSender({
      db,
      mailer,
      log,
      base,
      consoleBase: config.consoleUrl ?? base,
      secret: readSecretKeys(config),
      ...(counts.mails && { counts: counts.mails }),
    });
  const dbOfJobs = openForJobs(config, db, log);
  const jobs = startJobs(dbOfJobs, log, {
    unclaimedMonths: config.unclaimedMonths,
    orderLinesMonths: config.orderLinesMonths,
  });
  const clocks = startMovingClocks(dbOfJobs, log);
  const { wallets } = config;
  const passes =
    wallets && startUpdateSender({ db, wallets, log, ...(counts.wallets && { counts: counts.wallets }) });
  const webhooks = startWebhookSender({
    db,
    log,
    secret: readSecretKeys(config),
    rules: webhookRulesOf(config),
    ...(counts.webhooks && { counts: counts.webhooks }),
  });
  const publishing = startPublishing(config, db, log, mailer);
  return {
    wakeMails: () => sender?.wake(),
    wakeClocks: () => clocks.wake(),
    stop: async () => {
      const late = setTimeout(() => void cancelStatements(db, dbOfJobs), LAST_STATEMENT_MS);
      await Promise.all([
        jobs.stop(),
        clocks.stop(),
        publishing?.stop(),
        sender?.stop(),
        passes?.stop(),
        webhooks.stop(),
      ]);
      clearTimeout(late);
      await dbOfJobs.destroy();
    },
  };
}

/** Four for the checks of a cluster's books, and two for the leases and the other jobs. They are opened when they are needed. */
const JOB_CONNECTIONS = 6;
/** PostgreSQL sorts the movements of a part of the books before it sends the first one. Eight million take a minute or two. */
const JOB_STATEMENT_MS = 10 * 60_000;

/**
 * Opens connections for jobs, past a pooler, whose limits are those of calls: a statement that looks for what is due at all commerces, or reads
 * all movements of a large one, may take minutes. Calls wait for none of these connections.
 */
function openForJobs(config: Config, db: Database, log: Logger): Database {
  return openDatabase({
    ...db.address,
    url: config.databaseDirectUrl ?? db.address.url,
    sendsSettings: true,
    poolSize: JOB_CONNECTIONS,
    statementTimeoutMs: JOB_STATEMENT_MS,
    patience: JOB_PATIENCE,
    trouble: db.trouble,
    log,
    slowStatementMs: config.slowStatementMs,
    tracing: db.tracing,
  });
}

/** A job that is stopped gets so long for the statement that is running. */
const LAST_STATEMENT_MS = 4_000;

async function cancelStatements(db: Database, dbOfJobs: Database): Promise<void> {
  // Without the database there is none to cancel.
  await sql`select pg_cancel_backend(pid) from unnest(${dbOfJobs.processes()}::integer[]) as pid`
    .execute(db)
    .catch(() => {});
}

/** Returns null if heads are sent nowhere. */
function startPublishing(config: Config, db: Database, log: Logger, mailer: Mailer | null) {
  const { folders, addresses, everyHours } = config.sealPublish;
  if (folders.length + addresses.length === 0) return null;
  const signer = createHeadSigner(readSealKey(config) ?? readSecretKeys(config)[0]);
  return startPublishingHeads({ db, log, signer, mailer, folders, addresses, everyHours });
}

/** Returns null if mails wait for another process. Nothing may mark them as sent then. */
function createMailer({ mails, smtpUrl, mailFrom }: Config): Mailer | null {
  if (smtpUrl !== null) return createSmtpMailer({ url: smtpUrl, from: mailFrom });
  return mails === 'shown' ? mailboxMailer : null;
}
