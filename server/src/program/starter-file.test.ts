import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { readProgram } from './read-program.ts';
import { writeStarterFile, type Starter } from './starter-file.ts';

const starter: Starter = {
  slug: 'corner-shop',
  name: 'Corner Shop',
  currency: 'EUR',
  timeZone: 'Europe/Madrid',
  locale: 'es-ES',
  moneyPerPoint: 1,
  welcomePoints: 50,
  tiers: true,
  sandbox: true,
};

test('whatever a shop says about itself, the file that is written is valid and says it', () => {
  const name = fc.oneof(
    fc.constantFrom(
      '1984',
      'true',
      '#1: "Best" café',
      "L'Été: \\ {a}",
      '- x',
      '@home',
      '日本 ☕',
      'null',
      '~',
    ),
    fc.string({ minLength: 1, maxLength: 100 }).filter((text) => /^[^\p{C}\p{Z}]+$/u.test(text)),
  );
  fc.assert(
    fc.property(
      fc.record({
        ...Object.fromEntries(Object.entries(starter).map(([key, value]) => [key, fc.constant(value)])),
        name,
        slug: fc.constantFrom('a', '007', 'null', '1e3', 'corner-shop'),
        locale: fc.constantFrom('en', 'es-AR', 'pt-BR'),
        moneyPerPoint: fc.integer({ min: 1, max: 1_000_000 }).map((thousandths) => thousandths / 1000),
        welcomePoints: fc.integer({ min: 0, max: 1_000 }),
        tiers: fc.boolean(),
        sandbox: fc.boolean(),
      }) as unknown as fc.Arbitrary<Starter>,
      (said) => {
        const read = readProgram(writeStarterFile(said, 'shop.yaml'));
        assert.ok(read.ok, JSON.stringify(read));
        const { program } = read;
        assert.deepEqual(
          [program.name, program.slug, program.locale, program.sandbox, program.earning.money_per_point],
          [said.name, said.slug, said.locale, said.sandbox, said.moneyPerPoint],
        );
        assert.equal(program.rewards.welcome?.points ?? 0, said.welcomePoints);
        assert.equal(program.levels.ladder.length, said.tiers ? 3 : 0);
      },
    ),
  );
});

test('the parts that are only comments are valid once the comment signs are gone', () => {
  for (const said of [starter, { ...starter, tiers: false, welcomePoints: 0 }]) {
    const file = writeStarterFile(said, 'shop.yaml')
      .replace(/^# (logo|levels|rewards):/gm, '$1:')
      .replace(/^#( {2,}(?:-|ladder|welcome|birthday).*)/gm, '$1')
      .replace(/^ {2}# (birthday|double_points):/gm, '  $1:')
      .replace(/^ {2}#( {3}- \{ from)/gm, '  $1');
    const read = readProgram(file);
    assert.ok(read.ok, JSON.stringify(read));
    assert.equal(read.program.earning.double_points.length, 1);
    assert.ok(read.program.levels.ladder.length > 1);
    assert.equal(read.program.rewards.birthday?.points, 100);
  }
});

test('every discount of a new shop works in an online shop too, with the same value', () => {
  const read = readProgram(writeStarterFile(starter, 'shop.yaml'));
  assert.ok(read.ok);
  assert.deepEqual(
    read.program.benefits.map(({ type, value, shop_coupon }) => [
      type,
      value,
      shop_coupon?.type,
      shop_coupon?.value,
    ]),
    [
      ['absolute_discount', 5, 'absolute', 5],
      ['absolute_discount', 15, 'absolute', 15],
      ['percentage_discount', 10, 'percentage', 10],
    ],
  );
});
