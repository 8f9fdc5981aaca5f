import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabase } from '#test/database.ts';
import { runBothWays } from './both-ways.ts';
import { startKilledService } from './killed-service.ts';
import { program } from './programs.ts';

/** `MODEL_KILLS=100` is the long form, `TEST_SEED` repeats the programs, though no kill comes twice alike. */
const KILLS = Number(process.env['MODEL_KILLS'] ?? 3);

test(`random programs come to what the model says, purchases together and one by one, while the service is killed ${KILLS} times, seed ${fc.SEED}`, async (t) => {
  const db = await testDatabase();
  const service = await startKilledService(db, KILLS);
  t.after(() => service.stop());
  const { buy, counts } = service;
  const made = { together: 0, alone: 0, transactions: 0, untoldTogether: 0, untoldAlone: 0 };
  let seed = fc.SEED;
  for (; counts.kills < KILLS; seed++) {
    await fc.assert(
      fc.asyncProperty(program, async (program) => {
        const { together, alone } = await runBothWays(db, program, {
          together: buy,
          alone: buy,
          order: 'by instant',
        });
        await assertBooksAgree(db, together.commerceId);
        await assertBooksAgree(db, alone.commerceId);
        assert.equal(alone.transactions, alone.purchases);
        made.together += together.purchases;
        made.transactions += together.transactions;
        made.untoldTogether += together.untold;
        made.alone += alone.purchases;
        made.untoldAlone += alone.untold;
      }),
      // A smaller program that fails too is not looked for: each try takes seconds.
      { seed, numRuns: 1, unbiased: true, endOnFailure: true },
    );
  }
  t.diagnostic(
    `${seed - fc.SEED} programs with ${made.alone} purchases one by one, ${made.together} together in ${made.transactions} transactions`,
  );
  t.diagnostic(
    `${counts.kills} kills left ${counts.unanswered} calls without an answer; ` +
      `${made.untoldAlone} of those one by one and ${made.untoldTogether} of those together had been committed`,
  );
  assert.ok(counts.unanswered >= KILLS / 3, 'calls were under way when it was killed');
});
