import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { startJobs } from './jobs/start-jobs.ts';
import type { Database } from '#db/database.ts';
import { keepingMailer, smtpMailer } from '#mail/mailer.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { startForgettingSignIns } from '#sign-in/forget-old-sign-ins.ts';

/** What goes on without a request: mails, the jobs of the program, forgetting what counts no longer. */
export interface Background {
  /** A mail that somebody waits for stands in the outbox. */
  wakeMails(): void;
  /** Ends each after the batch that it is at. */
  stop(): Promise<void>;
}

/** Whether mails are kept to be looked at instead of sent. */
export function keepsMails(config: Config): boolean {
  return config.smtpUrl === null;
}

/** Starts it, inside `serve` or alone in a worker; any number of processes may. `base` is where mails link to. */
export function startBackground(config: Config, db: Database, log: Logger, base: string): Background {
  const { smtpUrl: url, mailFrom: from } = config;
  const sender = startMailSender({
    db,
    mailer: url === null ? keepingMailer : smtpMailer({ url, from }),
    log,
    base,
  });
  const jobs = startJobs(db, log);
  const forgetting = startForgettingSignIns(db, log);
  return {
    wakeMails: () => sender.wake(),
    stop: async () => void (await Promise.all([jobs.stop(), forgetting.stop(), sender.stop()])),
  };
}
