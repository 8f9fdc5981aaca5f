/** Random purchases, for whoever plays them at the service. */
import type { Line } from '#points/line.ts';
import type { SaidFacts } from '#points/purchase-facts.ts';
import * as fc from '#test/random.ts';

/** Everything that a rule may look at. The time is that at which it happens. */
export type Reported = SaidFacts;

const place = fc.option(fc.integer({ min: 1, max: 3 }));

const sold = fc.record({
  weight: fc.nat(9),
  units: fc.integer({ min: 1, max: 4 }),
  product: fc.option(fc.constantFrom('p', 'q', 'r')),
  categories: fc.subarray(['a', 'b', 'c']),
  discounted: fc.boolean(),
});

/** @param most whole currency units */
export function reported(most: number): fc.Arbitrary<Reported> {
  return fc
    .record({
      amount: fc.integer({ min: 1, max: most }),
      branchId: place,
      registerId: place,
      channel: fc.option(fc.constantFrom('web', 'app')),
      sold: fc.option(fc.array(sold, { minLength: 1, maxLength: 4 })),
    })
    .map(({ sold: lines, ...rest }) => ({ ...rest, lines: lines && linesOf(rest.amount, lines) }));
}

/** The last line has what is left of the amount. */
function linesOf(
  amount: number,
  lines: readonly (Omit<Line, 'id' | 'amount'> & { readonly weight: number })[],
): Line[] {
  const total = lines.reduce((sum, { weight }) => sum + weight, 1);
  let left = amount;
  return lines.map(({ weight, ...line }, i) => {
    const of = i === lines.length - 1 ? left : Math.floor((amount * weight) / total);
    left -= of;
    return { id: String(i), ...line, amount: of };
  });
}
