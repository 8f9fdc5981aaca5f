/** Short forms of `npm run faults`: each fault hits a running service on a real PostgreSQL. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertHolds } from './fault.ts';
import { fullDisk, whyNoSmallVolume } from './full-disk.ts';
import { fewOpenFiles, outageIsLoggedOnce, readOnlyDatabase } from './outages.ts';
import { behindPgBouncer, lostPreparedStatements, restartedAndFullPgBouncer } from './pooler.ts';
import { whyNoPgBouncer } from '../../server/test/pgbouncer.ts';
import {
  commitRepliesVanish,
  databaseFallsSilent,
  openConnectionsFallSilent,
  stopsWhileSilent,
} from './silence.ts';

const server = process.env['TEST_DATABASE_SERVER']!;

test('while the database is silent, calls get a 503 in time, and afterwards they work again without a restart', async () => {
  assertHolds(await databaseFallsSilent(server, 2_000));
});

test('if only the open connections fall silent, calls go on over new ones', async () => {
  assertHolds(await openConnectionsFallSilent(server));
});

test('lost answers to commits stop nobody else, and no purchase counts twice', async () => {
  assertHolds(await commitRepliesVanish(server, 4));
});

test('SIGTERM ends the service by itself although its database is silent', async () => {
  assert.equal(await stopsWhileSilent(server), 0);
});

test('an outage is two lines in the log, with the number of calls that it cost', async () => {
  assertHolds(await outageIsLoggedOnce(server, 1_000));
});

test('without a file for another connection, calls get a 503, and the low limit is told at the start', async () => {
  assertHolds(await fewOpenFiles(server, 1_500));
});

test('a read-only database makes the service unready until it can be written to again', async () => {
  assertHolds(await readOnlyDatabase(server, 500));
});

const noVolume = whyNoSmallVolume();
test('so does a full disk', { skip: noVolume ?? false }, async () => {
  assertHolds(await fullDisk(server, 500));
});

const noPgBouncer = whyNoPgBouncer();
test(
  'behind PgBouncer in transaction mode the service starts and its time limits hold',
  { skip: noPgBouncer ?? false },
  async () => {
    assertHolds(await behindPgBouncer(server, 500));
  },
);

test(
  'when PgBouncer is restarted or full, calls get a 503, and work again afterwards',
  { skip: noPgBouncer ?? false },
  async () => {
    assertHolds(await restartedAndFullPgBouncer(server, 500));
  },
);

test(
  'a pooler that no longer carries prepared statements costs some calls a 503, and the log says what to set',
  { skip: noPgBouncer ?? false },
  async () => {
    assertHolds(await lostPreparedStatements(server));
  },
);
