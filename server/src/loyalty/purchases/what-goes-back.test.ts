import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { CannotBeReversed, whatGoesBack, type CameBack, type PaidPurchase } from './what-goes-back.ts';

const EUROS = { program: { currency: 'EUR' } } as Parameters<typeof whatGoesBack>[2];
const YEN = { program: { currency: 'JPY' } } as typeof EUROS;
const DINARS = { program: { currency: 'KWD' } } as typeof EUROS;

test('1.70 and 1.70 of 3.40 take back 3', () => {
  const sale = sold(3, 40);
  assert.deepEqual(giveBack(sale, { amount: 1, cents: 70 }), { amount: 2, cents: -30 });
  assert.deepEqual(giveBack(sale, { amount: 1, cents: 70 }), { amount: 1, cents: 70 });
  assert.throws(() => giveBack(sale, { cents: 1 }), /all of it was reversed before/);
});

test('what is left of the cents goes back before a whole unit does', () => {
  const sale = sold(3, 40);
  assert.deepEqual(giveBack(sale, { cents: 40 }), { amount: 0, cents: 40 });
  assert.deepEqual(giveBack(sale, { cents: 1 }), { amount: 1, cents: -99 });
  assert.deepEqual(giveBack(sale, {}), { amount: 2, cents: 99 });
});

test('a purchase without cents takes whole units as before, and cents as of its whole units', () => {
  const sale = sold(26, undefined);
  assert.deepEqual(giveBack(sale, { amount: 5, cents: 50 }), { amount: 6, cents: -50 });
  assert.deepEqual(giveBack(sale, { amount: 20 }), { amount: 20, cents: 0 });
  assert.throws(() => giveBack(sale, { cents: 50 }), /all of it was reversed before/);
});

test('what cannot be is refused with what is left', () => {
  const asked: [PaidPurchase, CameBack, typeof EUROS, RegExp][] = [
    [sold(3, 40), { amount: 3, cents: 41 }, EUROS, /send 3\.40 or less/],
    [sold(3, 40), { amount: 4 }, EUROS, /send 3\.40 or less/],
    [sold(3, 5), { amount: 3, cents: 6 }, EUROS, /send 3\.05 or less/],
    [sold(3, 405), { amount: 3, cents: 406 }, DINARS, /send 3\.405 or less/],
    [sold(3, 0), { amount: 4 }, YEN, /send 3 or less/],
    [sold(3, 40), { amount: 0 }, EUROS, /above zero/],
    [sold(3, 40), { amount: 0, cents: 0 }, EUROS, /above zero/],
    [sold(3, 40), { amount: -1, cents: 50 }, EUROS, /above zero/],
    [sold(3, 40), { amount: 1, cents: 100 }, EUROS, /100 cents are no part of a unit of EUR/],
    [sold(3, 0), { amount: 1, cents: 1 }, YEN, /1 cents are no part of a unit of JPY/],
  ];
  for (const [purchase, cameBack, currency, said] of asked)
    assert.throws(
      () => whatGoesBack(purchase, cameBack, currency),
      (error: Error) => {
        assert.ok(error instanceof CannotBeReversed);
        return said.test(error.message);
      },
    );
});

test('however a purchase is cut, it counts in the whole units of what is still paid, and the parts add up', () => {
  const parts = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 1, 30, 70, 99)), {
    maxLength: 12,
  });
  const paid = fc.record({ units: fc.integer({ min: 1, max: 12 }), cents: fc.integer({ min: 0, max: 99 }) });
  fc.assert(
    fc.property(paid, parts, ({ units, cents }, cut) => {
      const sale = sold(units, cents);
      let left = units * 100 + cents;
      for (const [amount, more] of cut) {
        const asked = amount * 100 + more;
        if (asked === 0 || asked > left || left < 100) continue;
        const { amount: taken, cents: over } = giveBack(sale, { amount, cents: more });
        left -= asked;
        assert.equal(taken * 100 + over, asked, 'what is stored adds up to what came back');
        assert.equal(units - sale.reversedAmount, Math.floor(left / 100));
      }
      if (units > sale.reversedAmount) giveBack(sale, {});
      assert.equal(sale.reversedAmount, units);
    }),
  );
});

interface Sale extends PaidPurchase {
  reversedAmount: number;
  reversedCents: number;
}

function sold(amount: number, cents: number | undefined): Sale {
  return { amount, snapshot: cents === undefined ? {} : { cents }, reversedAmount: 0, reversedCents: 0 };
}

/** Takes a part back and remembers it, as its movement does. */
function giveBack(sale: Sale, cameBack: CameBack) {
  const part = whatGoesBack(sale, cameBack, EUROS);
  sale.reversedAmount += part.amount;
  sale.reversedCents += part.cents;
  return part;
}
