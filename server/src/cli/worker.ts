import type { Command } from 'commander';
import { createLog } from '#http/log.ts';
import { keepingMailer, smtpMailer } from '#mail/mailer.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { startJobs } from '../jobs/start-jobs.ts';
import { examples } from './terminal.ts';
import { withDatabase } from './with-database.ts';

export function addWorker(program: Command): void {
  program
    .command('worker')
    .summary('run the jobs and the mail alone')
    .description(
      'Runs the jobs and sends the mails, without HTTP, until it gets SIGINT or SIGTERM. Any number may run beside any number of services.',
    )
    .addHelpText('after', examples('worker'))
    .action(work);
}

async function work(): Promise<void> {
  await withDatabase(async (db, config) => {
    const log = createLog({ level: config.logLevel });
    const { smtpUrl: url, mailFrom: from, publicUrl, host, port } = config;
    const mailer = url === null ? keepingMailer : smtpMailer({ url, from });
    const sender = startMailSender({ db, mailer, log, base: publicUrl ?? `http://${host}:${port}` });
    const jobs = startJobs(db, log);
    await new Promise((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    await jobs.stop();
    await sender.stop();
  });
}
