import type { Kept } from '../line.ts';
import { timesOf, type Added } from '../rules-on-purchase.ts';
import type { Factor } from './factor.ts';

/** Adds the points that rules give once a purchase or for each unit. No multiplier touches them. */
export const addedPoints: Factor<'added', [added: readonly Added[]]> = {
  kind: 'added',
  says: (_, ruled) => (ruled === null || ruled.added.length === 0 ? null : [ruled.added]),
  after: (points, kept, added) => added.reduce((sum, one) => sum + pointsOf(one, kept), points),
  line: ({ kept, number }, added) => ({
    formula: `+ ${number(Number(added.reduce((sum, one) => sum + pointsOf(one, kept), 0n)))}`,
    name: added.map(([, title]) => title).join(', '),
  }),
  name: (_, added) => added.map(([, title]) => title).join(', '),
  tell: ({ after, kept, number, points }, added) =>
    `${added.map((one) => `${one[1]} + ${number(Number(pointsOf(one, kept)))}`).join(', ')} = ${points(after)}`,
};

/** Returns the points that a rule adds to what counts of a purchase. */
function pointsOf([, , points, per, minAmount, places]: Added, kept: Kept): bigint {
  return BigInt(points) * BigInt(timesOf(kept, per, minAmount, places));
}
