/** A reader of the feed beside random programs: it knows what the shop knows, after every step. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { sealLedger } from '#seals/seal-ledger.ts';
import { service } from '#test/harness.ts';
import { program } from '../model/programs.ts';
import { runProgram } from '../model/run-program.ts';
import { atOnce, throughRecorder } from '../model/till.ts';
import { assertCopyAgrees, readerOf } from './compare.ts';
import { catchUp, emptyCopy, readSnapshot, type Copy, type ReadEvent } from './reader.ts';

/** `EVENT_PROGRAMS=1000` is a long form, `TEST_SEED` repeats a run. */
const PROGRAMS = Number(process.env['EVENT_PROGRAMS'] ?? 6);
const LANES = 3;

test(`who only follows the feed of ${PROGRAMS} random programs has every balance, level, code and stamp after every step, seed ${fc.SEED}`, async () => {
  const { db } = await service();
  const till = atOnce(throughRecorder(createPurchaseRecorder(db)));
  const lane = (seed: number) =>
    fc.assert(
      fc.asyncProperty(program, fc.nat(39), async (program, snapshotAt) => {
        const first = emptyCopy();
        let later: Copy | null = null;
        const read: ReadEvent[] = [];
        let step = 0;
        let shop: Awaited<ReturnType<typeof readerOf>> | null = null;
        const { commerceId } = await runProgram(db, till, program, async ({ commerceId }) => {
          shop ??= await readerOf(db, commerceId);
          if (step === snapshotAt) later = await readSnapshot(shop);
          if (step % 7 === 0) await sealLedger(db, commerceId);
          step += 1;
          read.push(...(await catchUp(shop, first, 3)));
          await assertCopyAgrees(db, commerceId, first);
        });
        if (later !== null) {
          await catchUp(shop!, later);
          await assertCopyAgrees(db, commerceId, later);
        }
        // A second reader gets the same, but for events that were not sealed yet and people who are erased.
        const again = await catchUp(shop!, emptyCopy());
        assertSame(read, again);
      }),
      { seed, numRuns: Math.ceil(PROGRAMS / LANES), endOnFailure: true },
    );
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(fc.SEED + i)));
});

function assertSame(first: readonly ReadEvent[], second: readonly ReadEvent[]): void {
  const lasting = ({ data, ...event }: ReadEvent) => ({
    ...event,
    sealed: null,
    data: { ...data, person: null },
  });
  assert.deepEqual(second.map(lasting), first.map(lasting));
}
