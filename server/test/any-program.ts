import { stampCard } from './make.ts';
import assert from 'node:assert/strict';
import * as fc from '#test/random.ts';
import { checkProgram } from '#program/check-program.ts';
import { WEEKDAYS, type Program } from '#program/program.ts';
import { isOneLine, isText } from '#text/plain-text.ts';
import { anyEarning } from './model/earning.ts';
import { isCurrency } from '#program/values.ts';

/** Any valid program, with texts that YAML could mistake for something else. */
export function anyProgram(): fc.Arbitrary<Program> {
  const kinds = ['normal', 'welcome', 'birthday', 'monthly_top', 'level'] as const;
  return fc
    .uniqueArray(
      fc
        .stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/)
        .filter((id) => !['list', 'preview', 'redeem'].includes(id)),
      { maxLength: 8 },
    )
    .chain((ids) =>
      fc.tuple(...ids.map((id) => fc.constantFrom(...kinds).chain((kind) => anyBenefit(id, kind)))),
    )
    .chain((benefits) => {
      const idsOf = (kind: string) =>
        benefits.filter((benefit) => benefit.benefit_type === kind).map(({ id }) => id);
      return fc.record({
        slug: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,63}$/),
        name: line(100),
        sandbox: fc.boolean(),
        status: fc.constantFrom('active', 'paused'),
        logo: maybe(address),
        color: maybe(color),
        category_name: maybe(line(100)),
        tagline: maybe(line(120)),
        cover: maybe(address),
        currency: fc.constantFrom(...Intl.supportedValuesOf('currency').filter(isCurrency)),
        time_zone: fc.constantFrom('UTC', 'Europe/Madrid', 'America/Argentina/Buenos_Aires'),
        locale: fc.constantFrom('en', 'es', 'es-AR', 'zh-Hant-TW'),
        branches: fc.uniqueArray(
          fc.record({ id: fc.maxSafeNat(), name: line(100), registers: anyRegisters() }),
          { maxLength: 3, selector: ({ id }) => id },
        ),
        earning: anyEarningSection(),
        stamps: anyStamps(
          benefits.flatMap(({ id, benefit_type, on_sale }) =>
            benefit_type === 'normal' && !on_sale ? [id] : [],
          ),
        ),
        points_expiration: fc.oneof(
          fc.record({ mode: fc.constant('none' as const), months: maybe(months) }),
          fc.record({ mode: fc.constantFrom('rolling', 'accumulated'), months }),
        ),
        levels: fc.record({
          threshold_type: fc.constantFrom('points', 'amount'),
          valid_months: maybe(months),
          ladder: fc
            .uniqueArray(fc.maxSafeNat(), { maxLength: 4 })
            .map((thresholds) => thresholds.sort((a, b) => a - b))
            .chain((thresholds) =>
              fc.tuple(...thresholds.map((threshold) => anyTier(threshold, idsOf('level')))),
            ),
        }),
        benefits: fc.constant(benefits),
        codes: fc.record({ max_unused: fc.integer({ min: 1, max: 1_000 }) }),
        step_up_points: fc.maxSafeNat(),
        rewards: fc.record({
          welcome: maybe(anyReward(idsOf('welcome'))),
          birthday: maybe(anyReward(idsOf('birthday'))),
          monthly_top: maybe(
            fc
              .tuple(anyReward(idsOf('monthly_top')), fc.integer({ min: 0, max: 28 }))
              .map(([reward, settle_days]) => ({ ...reward, settle_days })),
          ),
        }),
        mail: anyMail(),
      });
    })
    .map(completed);
}

/** Fields that are not listed have their defaults. */
function completed(said: unknown): Program {
  const checked = checkProgram(structuredClone(said));
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.program;
}

function anyBenefit(id: string, benefit_type: Program['benefits'][number]['benefit_type']) {
  const percentage = decimal(1, 100_000);
  const amount = decimal(1, 1_000_000_000);
  const product = fc.record({ id: maybe(productId), name: maybe(line(200)), external_id: maybe(line(100)) });
  const byType = fc.oneof(
    fc.record({
      type: fc.constant('percentage_discount' as const),
      value: percentage,
      product: fc.constant(null),
    }),
    fc.record({ type: fc.constant('absolute_discount' as const), value: amount, product: fc.constant(null) }),
    fc.record({
      type: fc.constant('free_product' as const),
      value: fc.constant(null),
      product: maybe(product),
    }),
  );
  const coupon = fc.record({
    type: fc.constantFrom('percentage', 'absolute', 'shipping'),
    value: percentage,
    category: maybe(line(100)),
    category_name: maybe(line(200)),
    end_date: maybe(instant),
    product: maybe(
      fc.record({
        shop_id: maybe(fc.maxSafeNat()),
        name: maybe(line(200)),
        url: maybe(address),
        available: maybe(fc.boolean()),
        published: maybe(fc.boolean()),
        brand: maybe(line(100)),
        categories: fc.array(
          fc.record({ id: maybe(fc.oneof(fc.maxSafeNat(), line(100))), name: maybe(line(200)) }),
          { maxLength: 2 },
        ),
      }),
    ),
  });
  const rest = fc.record({
    title: line(200),
    description: fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => isText(text, 2000)),
    cost: fc.maxSafeNat(),
    color: maybe(color),
    image: maybe(address),
    expiration: maybe(instant),
    valid_days: maybe(fc.integer({ min: 1, max: 3650 })),
    buy_limit: fc.maxSafeNat(),
    on_sale: fc.boolean(),
    shop_coupon: maybe(coupon),
  });
  return fc.tuple(byType, rest).map(([kind, facts]) => ({ id, benefit_type, ...kind, ...facts }));
}

/** The fields that are not here are those of the model. */
function anyEarningSection(): fc.Arbitrary<Program['earning']> {
  const wide = fc.record({
    money_per_point: decimal(1, 1_000_000),
    max_amount: fc.integer({ min: 1, max: 1_000_000_000 }),
    returns: fc.constantFrom('negative', 'clamp', 'refuse'),
    double_points: fc.array(
      fc
        .tuple(instant, instant)
        .filter(([one, other]) => one !== other)
        .map((pair) => pair.sort((a, b) => Date.parse(a) - Date.parse(b)))
        .map(([from, to]) => ({ from, to })),
      { maxLength: 3 },
    ),
    pending: fc.option(
      fc.oneof(
        fc.record({
          days: fc.integer({ min: 1, max: 366 }),
          until: fc.constant(null),
          cancel_after_days: fc.constant(null),
        }),
        fc.record({
          days: fc.constant(null),
          until: fc.constant('confirmed' as const),
          cancel_after_days: fc.integer({ min: 1, max: 366 }),
        }),
      ),
    ),
    lines: fc.constantFrom('optional', 'required'),
    exclude: fc.record({ products: words, categories: words, discounted: fc.boolean() }),
    cap: maybe(
      fc.record({
        points: fc.integer({ min: 1, max: 1_000_000 }),
        per: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
      }),
    ),
    rules: fc
      .array(anyRule(), { maxLength: 3 })
      .map((rules) => rules.map((rule, i) => ({ ...rule, id: `${i}-${rule.id}`.slice(0, 64) }))),
  });
  return fc.tuple(anyEarning(0), wide).map(([fields, more]) => ({ ...fields, ...more }));
}

const words = fc.array(line(64), { maxLength: 3 });

/** Cards that purchases stamp, if the program has benefits that they can give. */
function anyStamps(benefitIds: readonly string[]) {
  if (benefitIds.length === 0) return fc.constant([]);
  const one = fc.record({
    card: fc.record({
      title: line(100),
      when: anyRule().map(({ when }) => when),
      per: fc.constantFrom('purchase' as const, 'unit' as const),
      need: fc.integer({ min: 2, max: 50 }),
      within_months: maybe(fc.integer({ min: 1, max: 120 })),
      min_minutes_between: maybe(fc.integer({ min: 1, max: 10_080 })),
    }),
    benefit: fc.constantFrom(...benefitIds),
  });
  return fc
    .array(one, { maxLength: 2 })
    .map((cards) => cards.map(({ card, benefit }, i) => stampCard(`card-${i}`, benefit, card)));
}

function anyRegisters(): fc.Arbitrary<Program['branches'][number]['registers']> {
  return fc.uniqueArray(fc.record({ id: fc.nat(), name: line(100) }), {
    maxLength: 2,
    selector: ({ id }) => id,
  });
}

function anyRule(): fc.Arbitrary<Program['earning']['rules'][number]> {
  const clock = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const places = fc.array(fc.maxSafeNat(), { maxLength: 3 });
  const nothing = { multiply: null, points: null, per: null };
  return fc.record({
    id: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/),
    title: line(100),
    public: fc.boolean(),
    from: fc.constant(null),
    to: maybe(instant),
    paused: fc.boolean(),
    when: fc.record({
      products: words,
      categories: words,
      channels: words,
      branches: places,
      registers: places,
      weekdays: fc.subarray(WEEKDAYS.slice()),
      hours: maybe(fc.record({ from: clock, to: fc.constant('24:00') })),
      levels: fc.constant([]),
      first_purchase: fc.boolean(),
      min_amount: maybe(fc.integer({ min: 1, max: 1_000_000 })),
      joined_days: maybe(fc.integer({ min: 1, max: 36_500 })),
    }),
    give: fc.oneof(
      decimal(0, 1_000).map((multiply) => ({ ...nothing, multiply })),
      fc
        .record({ points: fc.integer({ min: 1, max: 1_000 }), per: maybe(fc.constant('unit' as const)) })
        .map((points) => ({ ...nothing, ...points })),
    ),
    limit: maybe(
      fc.record({
        times: fc.integer({ min: 1, max: 1_000 }),
        per: fc.constantFrom('day' as const, 'week' as const, 'month' as const, 'ever' as const),
      }),
    ),
  });
}

function anyTier(threshold: number, ids: string[]) {
  return fc.record({
    // As unique in the ladder as the threshold.
    id: maybe(fc.constant(`t${threshold}`)),
    name: line(100),
    threshold: fc.constant(threshold),
    points_multiplier: decimal(0, 5_000),
    icon_url: maybe(address),
    benefit: ids.length === 0 ? fc.constant(null) : maybe(fc.constantFrom(...ids)),
  });
}

function anyReward(ids: string[]) {
  const points = fc.record({
    points: fc.integer({ min: 1, max: 1_000_000_000 }),
    benefit: fc.constant(null),
  });
  if (ids.length === 0) return points;
  return fc.oneof(points, fc.record({ points: fc.constant(null), benefit: fc.constantFrom(...ids) }));
}

function anyMail() {
  const words = maybe(fc.record({ en: maybe(line(600)), es: maybe(line(600)) }));
  return fc.record({
    sender: maybe(line(100)),
    reminders: fc.boolean(),
    messages: fc.record({
      invitation: fc.boolean(),
      welcome: fc.boolean(),
      expiring: maybe(fc.boolean()),
      birthday: fc.boolean(),
      level: fc.boolean(),
      reward: fc.boolean(),
    }),
    words: maybe(
      fc.record({
        invitation: words,
        welcome: words,
        expiring: words,
        birthday: words,
        level: words,
        reward: words,
      }),
    ),
  });
}

function maybe<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { nil: null });
}

// Texts that YAML could mistake for something else, and random texts.
function line(maxLength: number) {
  const tricky = fc.constantFrom(
    'true',
    'null',
    '~',
    '1e3',
    '0x1f',
    '- a',
    '# a',
    'a: b',
    ' a ',
    '"',
    "'",
    '2026-01-01',
    '*a',
    '&a',
    '!a',
    '{',
    '|',
    '%',
    '@',
    '---',
    '...',
    '<<',
    '=',
    'y\u00e9\u{1f600}',
  );
  return fc.oneof(
    tricky,
    fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((text) => isOneLine(text, maxLength)),
  );
}

function decimal(min: number, max: number) {
  return fc.integer({ min, max }).map((thousandths) => thousandths / 1000);
}

const months = fc.integer({ min: 1, max: 120 });
const color = fc.stringMatching(/^#[0-9a-fA-F]{6}$/);
const address = fc.webUrl({ validSchemes: ['https'], withFragments: true, withQueryParameters: true });
const productId = fc.oneof(fc.integer(), line(100));
const instant = fc
  .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().replace('.000Z', 'Z'));
