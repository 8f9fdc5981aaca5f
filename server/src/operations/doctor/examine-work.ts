import type { Database } from '#db/database.ts';
import { readStatus, type Status } from '#monitoring/read-status.ts';
import { problem, warning, type Finding } from './finding.ts';

/** The limits of LoyaltyJobLate, LoyaltyJobFails, LoyaltyMailsWait, LoyaltyLedgerUnchecked, LoyaltyBackupOld and LoyaltyTransactionOpen. */
const LATE_SECONDS = 1800;
const FAILING_SECONDS = 900;
const OLD_URGENT_SECONDS = 120;
const OLD_SECONDS = 3600;
const UNCHECKED_SECONDS = 172_800;
const OLD_BACKUP_SECONDS = 129_600;
const OPEN_SECONDS = 7200;
/** A turn takes less, and so does the lease of a process that was killed. */
const LATE_WEBHOOK_SECONDS = 300;

/** Looks at the outbox, the jobs, the backups and the books, by the limits of the alerts. The schema must be up to date. */
export async function examineWork(
  db: Database,
): Promise<{ facts: Omit<Status, 'server'>; findings: Finding[] }> {
  const { outbox, jobs, work, ledger, webhooks, server } = await readStatus(db);
  const now = Date.now() / 1000;
  const findings: Finding[] = [];
  const old = outbox.urgent.oldestSeconds > OLD_URGENT_SECONDS || outbox.ordinary.oldestSeconds > OLD_SECONDS;
  const waiting = outbox.urgent.waiting + outbox.ordinary.waiting;
  const mails = waiting === 1 ? '1 mail waits' : `${waiting} mails wait`;
  if (old)
    findings.push(
      problem(
        'mail',
        `${mails} to be sent, the oldest for ${minutes(Math.max(outbox.urgent.oldestSeconds, outbox.ordinary.oldestSeconds))}.`,
        'See whether a process with SMTP_URL runs, and what its log says about `a mail was not sent`.',
      ),
    );
  for (const { job, startedAt, finishedAt, failingSince, failingCommerces } of jobs) {
    // The first round may never have ended.
    const goneBy = now - (finishedAt ?? startedAt ?? now);
    if (failingSince !== null && now - failingSince > FAILING_SECONDS)
      findings.push(
        problem(
          'jobs',
          `The job ${job} has been failing for ${minutes(now - failingSince)}, at ${failingCommerces} commerces.`,
          `Run \`loyalty jobs run ${job}\`, which names the failures.`,
        ),
      );
    else if (goneBy > LATE_SECONDS)
      findings.push(
        warning(
          'jobs',
          `The job ${job} has not finished a round for ${minutes(goneBy)}.`,
          startedAt !== null && now - startedAt <= LATE_SECONDS
            ? `Its rounds begin and do not reach all commerces: \`loyalty jobs run ${job}\` says what holds it up.`
            : 'Start a service or a worker: rounds come every five minutes. If one runs, restart it.',
        ),
      );
  }
  findings.push(...examineBackups(work, now), ...examineHeads(work, ledger.rewritten, now));
  if (ledger.differences > 0)
    findings.push(
      problem(
        'books',
        `The last checks found ${ledger.differences} differences between the books and the movements.`,
        'Run `loyalty ledger verify`, and follow docs/runbook.md#loyaltyledgerdiffers.',
      ),
    );
  if (ledger.checkedAt !== null && now - ledger.checkedAt > UNCHECKED_SECONDS)
    findings.push(
      warning(
        'books',
        `The books of a commerce have not been checked for ${minutes(now - ledger.checkedAt)}.`,
        'Run `loyalty ledger verify`, and see whether the job verify runs.',
      ),
    );
  if (webhooks.lateSeconds > LATE_WEBHOOK_SECONDS)
    findings.push(
      warning(
        'webhooks',
        `Deliveries to webhooks have been due for ${minutes(webhooks.lateSeconds)}.`,
        'See whether a service or a worker runs, and what its log says about webhooks.',
      ),
    );
  if (server.oldestTransactionSeconds > OPEN_SECONDS)
    findings.push(
      warning(
        'database',
        `A transaction of the service has been open for ${minutes(server.oldestTransactionSeconds)}.`,
        'Follow docs/runbook.md#loyaltytransactionopen.',
      ),
    );
  return { facts: { outbox, jobs, work, ledger, webhooks }, findings };
}

function examineBackups(work: Status['work'], now: number): Finding[] {
  const { succeededAt = null, failingSince = null } = work.find(({ name }) => name === 'backup') ?? {};
  if (failingSince !== null)
    return [
      problem(
        'backup',
        `Every backup has failed for ${minutes(now - failingSince)}.`,
        'Run `loyalty backup`, which says why.',
      ),
    ];
  if (succeededAt === null || now - succeededAt <= OLD_BACKUP_SECONDS) return [];
  return [
    warning(
      'backup',
      `The last backup is ${minutes(now - succeededAt)} old.`,
      'See whether the timer that takes it still runs, and run `loyalty backup`.',
    ),
  ];
}

function examineHeads(work: Status['work'], rewritten: number, now: number): Finding[] {
  const { failingSince = null } = work.find(({ name }) => name === 'heads') ?? {};
  if (rewritten > 0)
    return [
      problem(
        'books',
        `The sealed history of ${rewritten} commerces is not that of a head that was published.`,
        'Keep everything as it is, and follow docs/runbook.md#loyaltyhistoryrewritten.',
      ),
    ];
  if (failingSince === null) return [];
  return [
    problem(
      'books',
      `Heads of the sealed history could not be published everywhere for ${minutes(now - failingSince)}.`,
      'See what the log says about `heads could not be published`.',
    ),
  ];
}

function minutes(seconds: number): string {
  const count = Math.round(seconds / 60);
  return count === 1 ? '1 minute' : count < 180 ? `${count} minutes` : `${Math.round(count / 60)} hours`;
}
