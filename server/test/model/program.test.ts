import { test } from 'node:test';
import * as fc from 'fast-check';
import { testDatabase } from '#test/database.ts';
import { program } from './programs.ts';
import { runProgram } from './run-program.ts';

/** `MODEL_PROGRAMS=5000` is the long form, `MODEL_SEED` repeats a run. */
const PROGRAMS = Number(process.env['MODEL_PROGRAMS'] ?? 300);
const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 1_000_000_000);
// Programs of several lanes run beside each other: most of the time they wait for the database.
const LANES = 4;

test(`${PROGRAMS} random programs of 40 steps come to what the model says, seed ${SEED}`, async () => {
  const db = await testDatabase();
  const lane = (seed: number) =>
    fc.assert(
      fc.asyncProperty(program, (program) => runProgram(db, program)),
      { seed, numRuns: Math.ceil(PROGRAMS / LANES), interruptAfterTimeLimit: 3_600_000 },
    );
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(SEED + i)));
});
