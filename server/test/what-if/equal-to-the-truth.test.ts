import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { addDays, localDay, startOfDay } from '#calendar/calendar.ts';
import { changesBetween } from '#program/changes.ts';
import type { Rules } from '#test/model/model.ts';
import { testDatabase } from '#test/database.ts';
import { programOf } from '#test/model/world.ts';
import { askWhatIf } from '#what-if/what-if.ts';
import { pendingPoints } from '../../src/operations/jobs/pending-points.ts';
import { booksOf } from './books-of-a-range.ts';
import { history } from './histories.ts';
import { byText, endsBetween, movesBetween, stateOf, type State } from './published.ts';
import { makeTwins } from './twins.ts';

/** `WHAT_IF_HISTORIES=1000` is the long form, `TEST_SEED` repeats a run. */
const HISTORIES = Number(process.env['WHAT_IF_HISTORIES'] ?? 12);
const DAY_MS = 86_400_000;

test(`the what-if says what the ledger of a twin has that published the program, seed ${fc.SEED}`, async () => {
  const db = await testDatabase();
  await fc.assert(
    fc.asyncProperty(history, async (one) => {
      const { zone, first, changed, proposed, doubles, otherZone } = one;
      const begin = new Date(Date.UTC(2027, 0, 1, 12) + one.beginsOn * DAY_MS);
      const window = (on: boolean) =>
        on ? ([begin.getTime() + 20 * DAY_MS, begin.getTime() + 60 * DAY_MS] as const) : null;
      const welcome = first.welcome;
      const rules: Rules = { ...first, zone, double: window(doubles[0]) };
      const twins = await makeTwins(db, rules, begin);
      for (const happening of one.early) await twins.happen(happening);
      const inForce: Rules = changed === null ? rules : { ...rules, ...changed, welcome };
      if (changed !== null) await twins.apply(inForce);
      for (const happening of one.middle) await twins.happen(happening);

      const from = addDays(localDay(twins.now, zone), 1);
      await twins.waitUntil(startOfDay(from, zone));
      const next: Rules = { ...proposed, welcome, zone: otherZone ?? zone, double: window(doubles[1]) };
      await twins.apply(next, 'second');
      const program = programOf(twins.first.slug, next);
      const ask = (to?: string) => askWhatIf(db, { commerceId: twins.first.id, program, from, to });
      for (const happening of one.late) await twins.happen(happening);
      const evening = localDay(twins.now, zone);
      await twins.waitUntil(new Date(startOfDay(addDays(evening, 1), zone).getTime() - 2_000));
      const thatEvening = await ask();
      twins.forgetThePast();
      await twins.wait(0);
      for (const happening of one.later) await twins.happen(happening);
      const afterwards = await ask(evening);
      for (const side of ['then', 'now'] as const)
        assert.deepEqual(shown(afterwards, side), shown(thatEvening, side), `a range in the past, ${side}`);

      // Codes of tiers that waited for purchases are given now, and not by the publishing.
      await pendingPoints.run(db, twins.first.id);
      const said = await ask();
      const since = startOfDay(from, zone);
      assert.deepEqual(shown(said, 'then'), await booksOf(db, twins.first.id, since, zone), 'then');
      assert.deepEqual(shown(said, 'now'), await booksOf(db, twins.second.id, since, zone), 'now');

      const same = await askWhatIf(db, {
        commerceId: twins.first.id,
        program: programOf(twins.first.slug, inForce),
        from,
      });
      assert.deepEqual(shown(same, 'now'), shown(same, 'then'), 'the same program');
      assert.deepEqual([same.membersChanged, same.members], [0, []]);

      const before = await stateOf(db, twins.first.id);
      const { changes } = await applyProgram(db, program);
      const after = await stateOf(db, twins.first.id);
      const { publishing } = said;
      const inTheProgram = changesBetween(programOf(twins.first.slug, inForce), program);
      assert.deepEqual(inTheProgram.concat(publishing.changes).toSorted(), changes.toSorted());
      assert.deepEqual(publishing.moves.toSorted(byText), movesBetween(before, after).toSorted(byText));
      assert.deepEqual(publishing.ends, endsBetween(before, after));
      const redated = [...after.keys()].filter((id) => after.get(id)!.redates > before.get(id)!.redates);
      assert.equal(publishing.redated.members, redated.length);
      const codes = (state: State) => [...state.values()].reduce((sum, { codes }) => sum + codes, 0);
      assert.equal(publishing.benefits, codes(after) - codes(before));
    }),
    {
      numRuns: HISTORIES,
      interruptAfterTimeLimit: 3_600_000,
      endOnFailure: process.env['SHRINK'] === undefined,
    },
  );
});

/** Returns one side of all figures. */
function shown(said: Awaited<ReturnType<typeof askWhatIf>>, side: 'then' | 'now') {
  const { points, months, tiers, stamps, liability } = said;
  return {
    points: Object.fromEntries(Object.entries(points).map(([name, figure]) => [name, figure[side]])),
    months: months
      .map(({ month, earned, takenBack, expired }) => [month, earned[side], takenBack[side], expired[side]])
      .filter(([, ...figures]) => figures.some((figure) => figure !== 0)),
    tiers: tiers
      .filter(({ earned, members }) => earned[side] !== 0 || members[side] !== 0)
      .map(({ tierId, earned, members }) => [tierId, earned[side], members[side]])
      .sort(byText),
    stamps: stamps
      .filter(({ given, full }) => given[side] !== 0 || full[side] !== 0)
      .map(({ stampId, given, full }) => [stampId, given[side], full[side]])
      .sort(byText),
    liability: {
      points: liability.points[side],
      people: liability.people[side],
      ends: liability.ends.map((one) => [one.month, one.points[side]]).filter(([, held]) => held !== 0),
    },
  };
}
