/** Reports beside a recount of the books, over random programs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { addDays } from '#calendar/calendar.ts';
import { setClock } from '#commerces/clock.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { runJob } from '../../src/operations/jobs/run-jobs.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { followLedger, forgetFigures } from '#reports/follow-ledger.ts';
import { rebuildFigures } from '#reports/rebuild-figures.ts';
import { STEPS } from '#reports/report-range.ts';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabase } from '#test/database.ts';
import { assertReportsAgree } from '#test/recount-reports.ts';
import { PEOPLE, program, ZONES, type RandomProgram } from './programs.ts';
import { runProgram } from './run-program.ts';
import { atOnce, throughRecorder } from './till.ts';
import { apply, type World } from './world.ts';

/** `REPORT_PROGRAMS=1000` is a long form, `TEST_SEED` repeats a run. */
const PROGRAMS = Number(process.env['REPORT_PROGRAMS'] ?? 8);
const LANES = 4;

/** The choices of a test beside a program: where the job runs, and what it is asked for. */
const beside = fc.record({
  /** After each step: nothing, the job, or a run that ends after its first batch. */
  jobs: fc.array(fc.constantFrom('none', 'none', 'none', 'job', 'killed'), { minLength: 40, maxLength: 40 }),
  batch: fc.integer({ min: 1, max: 9 }),
  looks: fc.array(
    fc.record({
      at: fc.nat(39),
      from: fc.nat(160),
      days: fc.nat(140),
      by: fc.constantFrom(...STEPS),
    }),
    { minLength: 4, maxLength: 6 },
  ),
  /** Purchases of a file, so many days ago. */
  late: fc.array(fc.record({ who: fc.nat(PEOPLE - 1), ago: fc.nat(200), minutes: fc.nat(1_439) }), {
    minLength: 1,
    maxLength: 12,
  }),
  nextZone: fc.constantFrom(...ZONES),
});
type Beside = typeof beside extends fc.Arbitrary<infer T> ? T : never;

test(`the reports of ${PROGRAMS} random programs agree with the books at every moment, seed ${fc.SEED}`, async () => {
  const db = await testDatabase();
  const till = atOnce(throughRecorder(createPurchaseRecorder(db)));
  const lane = (seed: number) =>
    fc.assert(
      fc.asyncProperty(program, beside, async (program, beside) => {
        let step = 0;
        const { commerceId } = await runProgram(db, till, program, async ({ commerceId }: World) => {
          await followNowAndThen(db, commerceId, beside, beside.jobs[step] ?? 'none');
          await look(db, commerceId, beside, step++);
        });
        await importLate(db, commerceId, beside);
        await look(db, commerceId, beside, null);
        await followLedger(db, commerceId, { batch: beside.batch });
        await look(db, commerceId, beside, null);
        await assertBooksAgree(db, commerceId);
        const stored = await storedFigures(db, commerceId);
        await rebuildFigures(db, commerceId);
        assert.deepEqual(await storedFigures(db, commerceId), stored, 'counted again');

        await moveTo(db, commerceId, program, beside.nextZone);
        await look(db, commerceId, beside, null);
        await followLedger(db, commerceId, { batch: beside.batch });
        await look(db, commerceId, beside, null);
        await assertBooksAgree(db, commerceId);
        await transaction(db, (tx) => forgetFigures(tx, commerceId));
        await look(db, commerceId, beside, null);
      }),
      { seed, numRuns: Math.ceil(PROGRAMS / LANES), endOnFailure: true },
    );
  await Promise.all(Array.from({ length: LANES }, (_, i) => lane(fc.SEED + i)));
});

async function followNowAndThen(db: Database, commerceId: number, { batch }: Beside, how: string) {
  const killed = new Error('killed');
  const die = () => {
    throw killed;
  };
  if (how === 'job') await followLedger(db, commerceId, { batch });
  if (how === 'killed') await assert.rejects(followLedger(db, commerceId, { batch, onBatch: die }), killed);
}

/** Compares the reports of the ranges that a program is asked for after this step or, at its end, of two of them. */
async function look(db: Database, commerceId: number, { looks }: Beside, step: number | null) {
  // The recount reads the ledger, where what became available stands once somebody has written it.
  await runJob(db, 'pending-points', commerceId);
  const { today } = (await readCommerce(db, commerceId))!;
  for (const { from, days, by } of step === null
    ? looks.slice(0, 2)
    : looks.filter(({ at }) => at === step)) {
    const first = addDays(today, -from);
    await assertReportsAgree(db, commerceId, { from: first, to: addDays(first, days), by });
  }
}

async function importLate(db: Database, commerceId: number, { late }: Beside) {
  const { now, slug } = (await readCommerce(db, commerceId))!;
  async function* lines() {
    for (const [i, { who, ago, minutes }] of late.entries()) {
      const at = new Date(now.getTime() - ago * 86_400_000 - minutes * 60_000);
      const fields = {
        client_email: `p${who}-${slug}@example.com`,
        amount: String(10 + i),
        date: at.toISOString(),
      };
      yield { line: i + 2, fields };
    }
  }
  await importPurchases(db, commerceId, lines());
}

/** The shop moves to another time zone. */
async function moveTo(db: Database, commerceId: number, { rules }: RandomProgram, zone: string) {
  const { slug, now } = (await readCommerce(db, commerceId))!;
  await apply(db, slug, { ...rules, zone, double: null });
  await setClock(db, commerceId, now);
}

async function storedFigures(db: Database, commerceId: number) {
  const { rows: days } = await sql`
    select day, kind, movements, points, amount from report_days where commerce_id = ${commerceId}
     order by day, kind`.execute(db);
  const { rows: active } = await sql`
    select day, before, people from report_active where commerce_id = ${commerceId} and people <> 0
     order by day, before`.execute(db);
  return { days, active };
}
