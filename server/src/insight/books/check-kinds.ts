/** Checks that each type of movement changes only the figures that it may change. */
import type { Movement, Report } from './history.ts';

export function checkKind(movement: Movement, report: Report): void {
  const { id, type, points, pointsEarned, amount, purchases } = movement;
  if (type === 'purchase' || type === 'correction' || type === 'reversal') return;
  if (amount === null && purchases === 0 && isAsItsType(movement)) return;
  report(
    'a movement changes only what its type may',
    id,
    `a ${type} with ${points} points, ${pointsEarned} earned, amount ${amount ?? 'none'}, purchases ${purchases}`,
  );
}

function isAsItsType({ type, points, pointsEarned, snapshot }: Movement): boolean {
  switch (type) {
    case 'reward':
      return points >= 0 && pointsEarned === points;
    case 'adjustment':
      return pointsEarned === (snapshot !== null && 'erased' in snapshot ? 0 : points);
    case 'available':
      return points >= 0 && pointsEarned === 0;
    case 'exchange':
      return points <= 0 && pointsEarned === 0;
    case 'give_back':
      return points >= 0 && pointsEarned === 0;
    case 'expiry':
      return points < 0 && pointsEarned === 0;
    default:
      return points === 0 && pointsEarned === 0;
  }
}
