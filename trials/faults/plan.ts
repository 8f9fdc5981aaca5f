/** Every fault of `npm run faults`, in the order of the table. */
import { isMissing } from '../../server/test/proxy.ts';
import { commitRepliesVanish, databaseFallsSilent, openConnectionsFallSilent } from './silence.ts';
import { whyNoCertificates } from './certificates.ts';
import { jumpingDatabase, jumpingService, whyNoFakeTime } from './clocks.ts';
import { cutConnections } from './cuts.ts';
import { unknownCommits } from './commits.ts';
import { failover, whyNoStandby } from './failover.ts';
import type { Outcome } from './fault.ts';
import { fullDisk, whyNoSmallVolume } from './full-disk.ts';
import { killedServices } from './kills.ts';
import { killedJobs } from './long-tests.ts';
import { cutMigrations } from './migrations.ts';
import { raceForBalance, raceForCode, raceForKey, raceForLimit } from './races.ts';
import { frozenProcess, lockedMember } from './locks.ts';
import { fewOpenFiles, outageIsLoggedOnce, readOnlyDatabase } from './outages.ts';
import { failingMailServer } from './mails.ts';
import { whyNoPgBouncer } from '../../server/test/pgbouncer.ts';
import { behindPgBouncer, lostPreparedStatements, restartedAndFullPgBouncer } from './pooler.ts';
import type { Random } from '../../server/test/create-random.ts';
import { restartedBehind } from './restarts.ts';
import { frozenPostgres, noConnectionsLeft, stoppedPostgres } from './stops.ts';
import { wrongCertificateOfMailServer, wrongCertificateOfPostgres } from './tls.ts';
import { failingDevice, failingSync, fullLog, whyNoFailingDevice, whyNoInjection } from './storage.ts';

export interface Fault {
  /** The name for `--only`. */
  readonly name: string;
  /** The fault done to the service, and the promises that must hold besides the books. */
  readonly says: string;
  /** How often it is done in the short form and at full size, and at most at once. */
  readonly rounds: { readonly short: number; readonly full: number; readonly piece?: number };
  /** Returns why it cannot be run here, or null if it can. */
  readonly whyNot?: () => string | null;
  run(run: Run): Promise<Outcome>;
}

export interface Run {
  /** A PostgreSQL that all faults share. Those that harm the server start one of their own. */
  readonly serverUrl: string;
  readonly rounds: number;
  readonly random: Random;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'kills',
    says: 'kill -9 of one of two services under load; it is ready again within 3 s',
    rounds: { short: 5, full: 500, piece: 10 },
    run: ({ rounds, random }) => killedServices(rounds, random),
  },
  {
    name: 'stops',
    says: 'PostgreSQL is stopped fast or at once, its postmaster or a backend killed, all backends ended; writes go on within 2 s of its return, and calls are answered within 10 s',
    rounds: { short: 5, full: 100, piece: 10 },
    run: ({ rounds, random }) => stoppedPostgres(rounds, random),
  },
  {
    name: 'cuts',
    says: 'a connection to PostgreSQL is cut before, in the middle of or behind a message of either side',
    rounds: { short: 50, full: 1_000, piece: 100 },
    run: ({ rounds, random }) => cutConnections(rounds, random),
  },
  ...(['nginx', 'haproxy'] as const).map((proxy) => ({
    name: `restarts-${proxy}`,
    says: `two services are restarted in turn behind ${proxy}; no call fails, and each is answered within 10 s`,
    rounds: { short: 2, full: 50, piece: 5 },
    whyNot: () => isMissing(proxy) || null,
    run: ({ rounds, random }: Run) => restartedBehind(proxy, rounds, random),
  })),
  {
    name: 'frozen-database',
    says: 'all processes of PostgreSQL are frozen for 5 s',
    rounds: { short: 1, full: 10, piece: 2 },
    run: ({ rounds, random }) => frozenPostgres(rounds, random, 5_000),
  },
  {
    name: 'no-connections',
    says: 'somebody else takes all connections that PostgreSQL allows, for 4 s',
    rounds: { short: 1, full: 10, piece: 2 },
    run: ({ rounds, random }) => noConnectionsLeft(rounds, random, 4_000),
  },
  {
    name: 'failover',
    says: 'the primary is killed or cut off, and the address leads to its promoted synchronous standby',
    rounds: { short: 1, full: 20, piece: 1 },
    whyNot: whyNoStandby,
    run: ({ random }) => failover(random),
  },
  {
    name: 'fsync',
    says: 'fsync fails with EIO in all processes of PostgreSQL: it panics, and is started again; calls are answered within 10 s',
    rounds: { short: 1, full: 10, piece: 1 },
    whyNot: whyNoInjection,
    run: ({ random }) => failingSync(random),
  },
  {
    name: 'full-log',
    says: 'the volume of the write-ahead log is full: PostgreSQL panics, and is started again with free space; calls are answered within 10 s',
    rounds: { short: 1, full: 10, piece: 1 },
    whyNot: whyNoSmallVolume,
    run: ({ random }) => fullLog(random),
  },
  {
    name: 'device',
    says: 'the device below the file system fails, which turns read-only; it is repaired, and PostgreSQL started again; calls are answered within 10 s',
    rounds: { short: 1, full: 20, piece: 1 },
    whyNot: whyNoFailingDevice,
    run: ({ random }) => failingDevice(random),
  },
  {
    name: 'mail',
    says: 'the mail server refuses, cuts or falls silent at every step; every code arrives once it is well, unless the server has refused it for good',
    rounds: { short: 40, full: 1_000, piece: 250 },
    run: ({ serverUrl, rounds, random }) => failingMailServer(serverUrl, rounds, random),
  },
  {
    name: 'tls-database',
    says: 'PostgreSQL shows a certificate that is expired, for another name or of another authority',
    rounds: { short: 1, full: 3, piece: 1 },
    whyNot: whyNoCertificates,
    run: () => wrongCertificateOfPostgres(),
  },
  {
    name: 'tls-mail',
    says: 'so does the mail server, with TLS from the start and by STARTTLS',
    rounds: { short: 1, full: 3, piece: 1 },
    whyNot: whyNoCertificates,
    run: ({ serverUrl }) => wrongCertificateOfMailServer(serverUrl),
  },
  {
    name: 'clock-service',
    says: 'the clock of the service jumps, by up to 30 years in either direction, between a code and its use',
    rounds: { short: 4, full: 50, piece: 25 },
    whyNot: whyNoFakeTime,
    run: ({ serverUrl, rounds, random }) => jumpingService(serverUrl, rounds, random),
  },
  {
    name: 'clock-database',
    says: 'so does the clock of PostgreSQL, while shops sell',
    rounds: { short: 4, full: 50, piece: 25 },
    whyNot: whyNoFakeTime,
    run: ({ rounds, random }) => jumpingDatabase(rounds, random),
  },
  {
    name: 'jobs',
    says: 'two processes that do the same jobs are killed together; every effect happens exactly once',
    rounds: { short: 5, full: 200, piece: 50 },
    run: ({ serverUrl, rounds, random }) => killedJobs(serverUrl, rounds, random.below(2 ** 31)),
  },
  {
    name: 'migrations',
    says: 'the migrations of an empty database lose their connection at each of their messages; run again, they end in the same schema',
    rounds: { short: 1, full: 2, piece: 2 },
    run: ({ serverUrl, rounds }) => cutMigrations(serverUrl, rounds === 1 ? 20 : 1),
  },
  {
    name: 'race-balance',
    says: '50 exchanges at once on a balance for ten, at two services; ten succeed',
    rounds: { short: 10, full: 1_000, piece: 250 },
    run: ({ serverUrl, rounds, random }) => raceForBalance(serverUrl, rounds, random),
  },
  {
    name: 'race-limit',
    says: '60 members at once want a benefit that is sold seven times; seven get it',
    rounds: { short: 10, full: 500, piece: 100 },
    run: ({ serverUrl, rounds, random }) => raceForLimit(serverUrl, rounds, random),
  },
  {
    name: 'race-code',
    says: '20 registers at once burn one code; one does',
    rounds: { short: 10, full: 1_000, piece: 250 },
    run: ({ serverUrl, rounds, random }) => raceForCode(serverUrl, rounds, random),
  },
  {
    name: 'race-key',
    says: 'one key is sent 20 times at once and five times later; one purchase is stored, and all answers are the first one',
    rounds: { short: 10, full: 1_000, piece: 250 },
    run: ({ serverUrl, rounds, random }) => raceForKey(serverUrl, rounds, random),
  },
  {
    name: 'silent',
    says: 'the database cannot be reached for 5 s: no FIN, no RST, no answer',
    rounds: { short: 1, full: 10, piece: 1 },
    run: ({ serverUrl }) => databaseFallsSilent(serverUrl, 5_000),
  },
  {
    name: 'open-silent',
    says: 'all open connections to the database fall silent, new ones work',
    rounds: { short: 1, full: 10, piece: 1 },
    run: ({ serverUrl }) => openConnectionsFallSilent(serverUrl),
  },
  {
    name: 'commits',
    says: 'nine answers to COMMIT vanish, and their connections stay open',
    rounds: { short: 1, full: 10, piece: 1 },
    run: ({ serverUrl }) => commitRepliesVanish(serverUrl, 9),
  },
  {
    name: 'unknown',
    says: 'answers to COMMIT vanish, and their connections are cut',
    rounds: { short: 30, full: 200, piece: 50 },
    run: ({ serverUrl, rounds }) => unknownCommits(serverUrl, rounds),
  },
  {
    name: 'locked',
    says: 'somebody locks the row of one member for 5 s; the others are served',
    rounds: { short: 1, full: 5, piece: 1 },
    run: ({ serverUrl }) => lockedMember(serverUrl, 5_000),
  },
  {
    name: 'frozen',
    says: 'one of two services is frozen for 8 s in the middle of its transactions; the other is served after 2 s, and what the first answers afterwards is true',
    rounds: { short: 1, full: 10, piece: 1 },
    run: ({ serverUrl }) => frozenProcess(serverUrl, 8_000),
  },
  {
    name: 'pgbouncer',
    says: 'behind PgBouncer in transaction mode, as documented',
    rounds: { short: 1, full: 3, piece: 1 },
    whyNot: whyNoPgBouncer,
    run: ({ serverUrl }) => behindPgBouncer(serverUrl, 3_000),
  },
  {
    name: 'pgbouncer-restarts',
    says: 'PgBouncer is killed and started again; then others have all its places for clients for 3 s',
    rounds: { short: 1, full: 3, piece: 1 },
    whyNot: whyNoPgBouncer,
    run: ({ serverUrl }) => restartedAndFullPgBouncer(serverUrl, 3_000),
  },
  {
    name: 'pgbouncer-prepared',
    says: 'the address leads to a PgBouncer that carries no prepared statements, while they are on',
    rounds: { short: 1, full: 3, piece: 1 },
    whyNot: whyNoPgBouncer,
    run: ({ serverUrl }) => lostPreparedStatements(serverUrl),
  },
  {
    name: 'full-disk',
    says: 'the volume of the tables is full for 3 s',
    rounds: { short: 1, full: 20, piece: 1 },
    whyNot: whyNoSmallVolume,
    run: ({ serverUrl }) => fullDisk(serverUrl, 3_000),
  },
  {
    name: 'files',
    says: '80 clients of a service that may open 64 files; some are never connected, and the others answered within 31 s',
    rounds: { short: 1, full: 3, piece: 1 },
    run: ({ serverUrl }) => fewOpenFiles(serverUrl, 5_000),
  },
  {
    name: 'refused',
    says: 'the database refuses connections for 3 s; the log has two lines about it',
    rounds: { short: 1, full: 10, piece: 1 },
    run: ({ serverUrl }) => outageIsLoggedOnce(serverUrl, 3_000),
  },
  {
    name: 'read-only',
    says: 'the database is read-only for 3 s',
    rounds: { short: 1, full: 10, piece: 1 },
    run: ({ serverUrl }) => readOnlyDatabase(serverUrl, 3_000),
  },
];
