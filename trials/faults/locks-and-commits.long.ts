/** Faults that batches and transactions must settle, against a running service. */
import { test } from 'node:test';
import { unknownCommits } from './commits.ts';
import { assertHolds } from './fault.ts';
import { frozenProcess, lockedMember } from './locks.ts';

const server = process.env['TEST_DATABASE_SERVER']!;

test('an outsider who locks one member holds up nobody else', async () => {
  assertHolds(await lockedMember(server, 5_000));
});

test('a process that is frozen in its transactions holds up its peer for at most two seconds', async () => {
  assertHolds(await frozenProcess(server, 8_000));
});

test('a call is told to repeat itself only if it was not stored', async () => {
  assertHolds(await unknownCommits(server, 30));
});
