import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from '#program/check-program.ts';
import { rulesOf } from '#program/compile-rules.ts';
import { programJsonSchema } from '#program/json-schema.ts';
import { NEWCOMER } from './purchase-facts.ts';
import { pointsForPurchase } from './points-for-purchase.ts';

interface Schema {
  readonly type?: string;
  readonly maximum?: number;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const MOST = Number.MAX_SAFE_INTEGER;
/** Values that give more where they are less, and those whose largest value cannot be told from the type. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  money_per_point: 0.001,
  max_amount: 1,
  from: '2000-01-01T00:00:00Z',
  to: '2100-01-01T00:00:00Z',
  lines: 'optional',
  // When points can be spent does not change how many there are.
  pending: { days: 1 },
  carry_remainder: true,
  exclude: {},
  rules: [
    { id: 'times', title: 'Times', give: { multiply: 100 } },
    ...Array.from({ length: 49 }, (_, i) => ({
      id: `each-${i}`,
      title: 'Each',
      give: { points: 1_000_000, per: 'unit' },
    })),
  ],
};

/** Every field at what gives the most points; one entry in each list. */
function generous({ type, maximum, enum: values, properties, items, anyOf }: Schema): unknown {
  if (anyOf !== undefined) return generous(anyOf.find((schema) => schema.type !== 'null')!);
  if (properties !== undefined)
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, BY_NAME[name] ?? generous(field)]),
    );
  if (items !== undefined) return [generous(items)];
  if (values !== undefined) return values[0];
  assert.ok(type === 'number' || type === 'integer', `says which value gives the most points: ${type}`);
  return maximum ?? MOST;
}

test('the highest purchase that the most generous program allows earns no more than can be counted', () => {
  const { earning } = programJsonSchema()['properties'] as Record<string, Schema>;
  const withHighest = (highest: number) =>
    checkProgram({
      slug: 'luna',
      name: 'Luna',
      currency: 'EUR',
      time_zone: 'UTC',
      earning: { ...(generous(earning!) as object), max_amount: highest },
      levels: { ladder: [{ id: 'gold', name: 'Gold', threshold: 0, points_multiplier: 1000 }] },
    });
  let [allowed, refused] = [1, 1_000_000_000_000];
  assert.ok(withHighest(allowed).ok && !withHighest(refused).ok);
  while (refused - allowed > 1) {
    const middle = Math.floor((allowed + refused) / 2);
    if (withHighest(middle).ok) allowed = middle;
    else refused = middle;
  }
  const checked = withHighest(allowed);
  assert.ok(checked.ok);
  const rules = rulesOf(checked.program, 1);
  // As many units as a purchase can have.
  const lines = Array.from({ length: 100 }, (_, n) => ({
    id: String(n),
    units: 999,
    amount: n === 0 ? allowed : 0,
  }));
  const purchase = {
    amount: allowed,
    at: new Date('2026-11-23T12:00:00Z'),
    branchId: MOST,
    registerId: MOST,
    channel: null,
    lines,
  };
  const earned = pointsForPurchase({ ...purchase, rules, tier: rules.tiers.ladder[0]!, buyer: NEWCOMER });
  assert.ok(earned !== null && earned.points > MOST / 2, JSON.stringify(earned));
});
