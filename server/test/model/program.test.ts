import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { testDatabase } from '#test/database.ts';
import { runBothWays } from './both-ways.ts';
import { program } from './programs.ts';
import { throughRecorder } from './till.ts';

/** `MODEL_PROGRAMS=2500` is the long form, `TEST_SEED` repeats a run. */
const PROGRAMS = Number(process.env['MODEL_PROGRAMS'] ?? 40);
// Programs of several lanes run beside each other: most of the time they wait for the database.
const LANES = 4;

test(`${PROGRAMS} random programs of 40 steps come to what the model says, purchases together and one by one, seed ${fc.SEED}`, async (t) => {
  const db = await testDatabase();
  // One for all lanes, as the service has one for all commerces.
  const together = throughRecorder(createPurchaseRecorder(db));
  const counts = { purchases: 0, transactions: 0, repeating: 0 };
  const lane = (seed: number) => {
    const alone = throughRecorder(createPurchaseRecorder(db));
    return fc.assert(
      fc.asyncProperty(program, async (program) => {
        const recorded = await runBothWays(db, program, { together, alone });
        assert.equal(recorded.alone.transactions, recorded.alone.purchases);
        assert.deepEqual([recorded.alone.untold, recorded.together.untold], [0, 0]);
        counts.purchases += recorded.together.purchases;
        counts.transactions += recorded.together.transactions;
        counts.repeating += recorded.together.repeating;
      }),
      { seed, numRuns: Math.ceil(PROGRAMS / LANES), interruptAfterTimeLimit: 3_600_000 },
    );
  };
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(fc.SEED + i)));
  const { purchases, transactions, repeating } = counts;
  t.diagnostic(
    `together ${purchases} purchases went into ${transactions} transactions, ${repeating} of them with several of one person`,
  );
  assert.ok(transactions < 0.9 * purchases && repeating > 0, 'they were recorded together');
});
