import { add } from '#db/copy-out.ts';
import type { History, Movement, Report, Sums } from './history.ts';

/** Compares what was sealed of a member with the movements, of which those up to an id are sealed. */
export function checkSealedSums({ movements, sealed }: History, throughId: number, report: Report): void {
  const sums = sumUp(movements, throughId);
  const stored = sealed ?? sumUp([], 0);
  if (
    sums.movements === stored.movements &&
    sums.points === stored.points &&
    sums.pointsEarned === stored.pointsEarned &&
    sums.amount === stored.amount &&
    sums.purchases === stored.purchases
  )
    return;
  report(
    'the sums of sealed movements are those of the movements',
    null,
    `${sums.movements} movements with ${sums.points} points are there, ${stored.movements} with ${stored.points} were sealed`,
  );
}

function sumUp(movements: readonly Movement[], throughId: number): Sums {
  const sums = { movements: 0, points: 0, pointsEarned: 0, amount: 0, purchases: 0 } as {
    -readonly [name in keyof Sums]: Sums[name];
  };
  for (const { id, points, pointsEarned, amount, purchases } of movements) {
    if (id > throughId) break;
    sums.movements = add(sums.movements, 1);
    sums.points = add(sums.points, points);
    sums.pointsEarned = add(sums.pointsEarned, pointsEarned);
    sums.amount = add(sums.amount, amount ?? 0);
    sums.purchases = add(sums.purchases, purchases);
  }
  return sums;
}
