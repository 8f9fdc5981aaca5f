import { statfs } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '#settings/config.ts';
import { tryMailServer } from '#mail/mailer.ts';
import { warnOfFewFiles } from '#monitoring/open-files.ts';
import { problem, warning, type Finding } from './finding.ts';

export interface DiskFacts {
  readonly folder: string;
  readonly freeBytes: number;
  readonly freeShare: number;
}

const LITTLE_BYTES = 1024 ** 3;
const LITTLE_SHARE = 0.2;
const ALMOST_NONE_SHARE = 0.05;

/** Looks at the free space of the folder that this program writes to. A database elsewhere has a disk that it cannot see. */
export async function examineDisk(
  config: Pick<Config, 'dataDir' | 'databaseUrl'>,
): Promise<{ facts: DiskFacts; findings: Finding[] }> {
  let folder = config.dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, blocks, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const freeShare = Math.round((100 * bavail) / blocks) / 100;
  const says = `${Math.round(freeShare * 100)} % of the disk of ${folder} is free (${(freeBytes / 1024 ** 3).toFixed(1)} GB).`;
  const fix = 'Make the volume larger, or delete what does not belong to the service.';
  const holdsDatabase = config.databaseUrl === null;
  const findings =
    freeShare < ALMOST_NONE_SHARE && holdsDatabase
      ? [problem('disk', says, fix)]
      : freeShare < LITTLE_SHARE && freeBytes < 20 * LITTLE_BYTES
        ? [warning('disk', says, fix)]
        : [];
  return { facts: { folder, freeBytes, freeShare }, findings };
}

/** Connects to the mail server and signs in, and looks at what else mails need. Sends nothing. */
export async function examineMail(
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'mails'>,
): Promise<{ facts: { readonly answers: boolean | null }; findings: Finding[] }> {
  const { smtpUrl, mailFrom, mails } = config;
  if (smtpUrl === null) {
    const findings =
      mails === 'kept'
        ? [
            warning(
              'mail',
              'This process sends no mails, because SMTP_URL is not set: they wait for a process that has one.',
              'Set SMTP_URL, or make sure that another process has it.',
            ),
          ]
        : [];
    return { facts: { answers: null }, findings };
  }
  const findings: Finding[] = [];
  if (mailFrom.endsWith('@localhost'))
    findings.push(
      warning(
        'mail',
        `Mails are sent from ${mailFrom}, which mail servers refuse.`,
        'Set MAIL_FROM to an address of your domain.',
      ),
    );
  try {
    await tryMailServer(smtpUrl);
    return { facts: { answers: true }, findings };
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    const isRefused = code === 'EAUTH';
    findings.unshift(
      problem(
        'mail',
        isRefused
          ? `The mail server refuses the sign-in (${message}).`
          : `The mail server cannot be used (${message}).`,
        isRefused
          ? 'Correct the user and the password in SMTP_URL.'
          : 'Correct SMTP_URL, or start the mail server, or open the way to it.',
      ),
    );
    return { facts: { answers: false }, findings };
  }
}

/** Looks at the limits of the process itself. */
export function examineProcess(config: Config): Finding[] {
  const files = warnOfFewFiles(config.sockets.total, config.databasePoolSize);
  return [
    ...(files === null
      ? []
      : [warning('process', files, 'Raise the limit in the unit, the container or the shell.')]),
    ...config.warnings
      .filter((sentence) => !sentence.startsWith('Mails are not sent'))
      .map((sentence) => warning('configuration', sentence, 'Set it, unless this is meant.')),
  ];
}
