/** Random purchases, for whoever plays them at the service. */
import type { SaidFacts } from '#points/purchase-facts.ts';
import * as fc from '#test/random.ts';

/** Everything that a rule may look at. The time is that at which it happens. */
export type Reported = SaidFacts;

const place = fc.option(fc.integer({ min: 1, max: 3 }));

/** @param most whole currency units */
export function reported(most: number): fc.Arbitrary<Reported> {
  return fc.record<Reported>({
    amount: fc.integer({ min: 1, max: most }),
    branchId: place,
    registerId: place,
    channel: fc.constant(null),
    lines: fc.constant(null),
  });
}
