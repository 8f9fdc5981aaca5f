import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import type { ShopLine, ShopOrder } from '../../../integrations/core/src/index.ts';
import { core } from './core.ts';

const { orderState } = core;

const order = (fields: Partial<ShopOrder> = {}): ShopOrder => ({
  externalId: 'cart_1',
  email: 'eva@example.com',
  state: 'paid',
  currency: 'eur',
  paid: 26.4,
  refunded: 0,
  paidAt: new Date('2026-11-01T10:30:00Z'),
  codes: [],
  lines: [line('a', 20), line('b', 6.4)],
  ...fields,
});

function line(id: string, total: number, fields: Partial<ShopLine> = {}): ShopLine {
  return { id, units: 1, total, ...fields };
}

test('a paid order says the whole units of its total, and its lines add up to them', () => {
  assert.deepEqual(orderState(order(), 7), {
    external_id: 'cart_1',
    client_email: 'eva@example.com',
    status: 'paid',
    paid: 26,
    refunded: 0,
    codes: [],
    version: 7,
    currency: 'EUR',
    paid_at: '2026-11-01T10:30:00.000Z',
    lines: [
      { id: 'a', units: 1, amount: 20 },
      { id: 'b', units: 1, amount: 6 },
    ],
  });
});

test('an order with codes names the cart that held them', () => {
  const state = orderState(order({ codes: [52840917364015], cartId: 'cart_1', externalId: 'order_1' }), 1);
  assert.deepEqual([state.external_id, state.cart_id], ['order_1', 'cart_1']);
  assert.equal(orderState(order({ cartId: 'cart_1' }), 1).cart_id, undefined);
});

test('what comes back is what the whole units lose, piece by piece', () => {
  assert.equal(orderState(order({ refunded: 5.5 }), 1).refunded, 6);
  assert.equal(orderState(order({ refunded: 5.5 + 20.9 }), 1).refunded, 26);
  assert.equal(orderState(order({ refunded: 0.3 }), 1).refunded, 0);
  assert.equal(orderState(order({ paid: 0.1 + 0.2 + 20.7, refunded: 0 }), 1).paid, 21);
});

test('a placed order has paid nothing, a cancelled one keeps its figures, and both have no time of payment', () => {
  const open = orderState(order({ state: 'placed' }), 1);
  assert.deepEqual([open.status, open.paid, open.refunded, open.paid_at], ['open', 0, 0, undefined]);
  const cancelled = orderState(order({ state: 'cancelled', refunded: 26.4 }), 1);
  assert.deepEqual([cancelled.status, cancelled.paid, cancelled.refunded], ['cancelled', 26, 26]);
  assert.equal(cancelled.paid_at, undefined);
});

test('a placed order uses its codes, because the buyer has got the discount', () => {
  const placed = orderState(order({ state: 'placed', codes: [52840917364015] }), 1);
  assert.deepEqual([placed.status, placed.paid, placed.paid_at], ['paid', 0, undefined]);
});

test('an order that codes paid for is paid with nothing', () => {
  const free = orderState(order({ paid: 0, codes: [52840917364015], lines: [line('a', 0)] }), 1);
  assert.deepEqual(
    [free.status, free.paid, free.codes, free.paid_at],
    ['paid', 0, [52840917364015], undefined],
  );
  assert.deepEqual(free.lines, [{ id: 'a', units: 1, amount: 0 }]);
});

test('money goes back on the lines that came back first, and on the others only beyond them', () => {
  const lines = [line('a', 40, { units: 4, returnedUnits: 1 }), line('b', 60)];
  const some = orderState(order({ paid: 100, refunded: 10, lines }), 1).lines!;
  assert.deepEqual(
    some.map(({ returned_amount: amount, returned_units: units }) => [units, amount]),
    [
      [1, 10],
      [undefined, undefined],
    ],
  );
  const more = orderState(order({ paid: 100, refunded: 40, lines }), 1).lines!;
  assert.deepEqual(
    more.map(({ returned_amount: amount }) => amount),
    [20, 20],
  );
});

test('an order without lines that cost anything is sent as a whole', () => {
  assert.equal(orderState(order({ lines: [] }), 1).lines, undefined);
  assert.equal(orderState(order({ lines: [line('a', 0)] }), 1).lines, undefined);
});

test('a hundred lines are kept, and more become one', () => {
  const lines = Array.from({ length: 130 }, (_, index) => line(`l${index}`, 1));
  const state = orderState(order({ paid: 130, lines }), 1);
  assert.equal(state.lines!.length, 100);
  assert.deepEqual(state.lines!.at(-1), { id: 'rest', units: 1, amount: 31 });
});

test('names and numbers that the service would refuse are left out or cut', () => {
  const long = 'x'.repeat(65);
  const [sent] = orderState(
    order({
      channel: long,
      lines: [line('a', 26.4, { product: long, categories: [long, 'tea', 'tea', ''], units: 5_000 })],
    }),
    1,
  ).lines!;
  assert.deepEqual(sent, { id: 'a', categories: ['tea'], units: 999, amount: 26 });
});

test('whatever the prices and returns are, lines add up to what was paid and to what went back', () => {
  const anyLine = fc.record({
    units: fc.integer({ min: 1, max: 20 }),
    total: fc.integer({ min: 0, max: 500_000 }).map((cents) => cents / 100),
    returned: fc.integer({ min: 0, max: 20 }),
  });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(anyLine, { minLength: 1, maxLength: 110 }),
      share,
      share,
      (made, paidShare, back) => {
        const total = made.reduce((all, one) => all + one.total, 0);
        const paid = total * paidShare;
        const refunded = paid * back;
        const lines = made.map((one, index) =>
          line(String(index), one.total, {
            units: one.units,
            returnedUnits: Math.min(one.units, one.returned),
          }),
        );
        const state = orderState(order({ paid, refunded, lines }), 1);
        if (state.lines === undefined || state.lines === null) return assert.equal(total, 0);
        const sum = (field: 'amount' | 'returned_amount') =>
          state.lines!.reduce((all, one) => all + (one[field] ?? 0), 0);
        assert.equal(sum('amount'), state.paid);
        assert.equal(sum('returned_amount'), state.refunded);
        for (const one of state.lines) assert.ok((one.returned_amount ?? 0) <= one.amount);
      },
    ),
  );
});
