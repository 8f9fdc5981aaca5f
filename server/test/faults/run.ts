/** `npm run faults`: injects every fault into a running service and prints one table. Exits with 1 if a bound fails. */
import { startScratchServer } from '#test/postgres.ts';
import type { Outcome } from './fault.ts';
import { fewOpenFiles, outageIsLoggedOnce, readOnlyDatabase } from './outages.ts';
import { lockedMember, frozenProcess } from './locks.ts';
import { whyNoPgBouncer } from './pgbouncer.ts';
import { behindPgBouncer } from './pooler.ts';
import { unknownCommits } from './commits.ts';
import { fullDisk, whyNoSmallVolume } from './full-disk.ts';
import { commitRepliesVanish, databaseFallsSilent, openConnectionsFallSilent } from './silence.ts';

const FAULTS: Readonly<Record<string, (serverUrl: string) => Promise<Outcome>>> = {
  silent: (url) => databaseFallsSilent(url, 5_000),
  'open-silent': openConnectionsFallSilent,
  commits: (url) => commitRepliesVanish(url, 9),
  locked: (url) => lockedMember(url, 5_000),
  frozen: (url) => frozenProcess(url, 8_000),
  pgbouncer: (url) => behindPgBouncer(url, 3_000),
  unknown: (url) => unknownCommits(url, 30),
  'full-disk': (url) => fullDisk(url, 3_000),
  files: (url) => fewOpenFiles(url, 5_000),
  refused: (url) => outageIsLoggedOnce(url, 3_000),
  'read-only': (url) => readOnlyDatabase(url, 3_000),
};

const MISSING: Readonly<Record<string, string | null>> = {
  'full-disk': whyNoSmallVolume(),
  pgbouncer: whyNoPgBouncer(),
};

const HEAD = [
  'fault',
  'calls',
  'statuses',
  'longest wait, ms',
  'first success, ms',
  'acknowledged',
  'lost',
  'doubled',
  'refused but stored',
  'differences in the books',
  'result',
];

const wanted = process.argv.slice(2);
process.stdout.write(`| ${HEAD.join(' | ')} |\n|${'---|'.repeat(HEAD.length)}\n`);
const server = await startScratchServer();
const outcomes: Outcome[] = [];
try {
  for (const [name, run] of Object.entries(FAULTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const missing = MISSING[name] ?? null;
    if (missing !== null) {
      process.stdout.write(`| ${name} | not run: ${missing} |\n`);
      continue;
    }
    const outcome = await run(server.adminUrl);
    outcomes.push(outcome);
    process.stdout.write(`${writeRow(outcome)}\n`);
  }
} finally {
  await server.stop();
}
process.exitCode = outcomes.some(({ failed }) => failed.length > 0) ? 1 : 0;

function writeRow({
  fault,
  calls,
  statuses,
  longestMs,
  firstAcknowledgedMs,
  books,
  failed,
}: Outcome): string {
  return `| ${[
    fault,
    calls,
    Object.entries(statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
    longestMs,
    firstAcknowledgedMs ?? '–',
    books.acknowledged,
    books.lost,
    books.doubled,
    books.refusedButStored,
    books.differences,
    failed.length === 0 ? 'holds' : failed.join('; '),
  ].join(' | ')} |`;
}
