import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkProgram } from './check-program.ts';
import { stampCard } from '#test/make.ts';
import { warningsOf } from './warnings.ts';

const least = { slug: 'a', name: 'A', currency: 'EUR', time_zone: 'UTC', earning: { money_per_point: 1 } };

test('checking a checked program again does not change it', () => {
  const first = checkProgram({
    ...least,
    benefits: [{ id: 'tea', type: 'free_product', title: 'Tea', cost: 5 }],
  });
  assert.ok(first.ok);
  assert.deepEqual(checkProgram(first.program), first);
});

test('a problem names the field by its path, so that a form can show it there', () => {
  const checked = checkProgram({
    ...least,
    benefits: [{ id: 'tea', type: 'free_product', title: 'Tea', cost: 'five' }],
  });
  assert.deepEqual(checked, {
    ok: false,
    problems: [
      {
        path: ['benefits', 0, 'cost'],
        message: 'must be a whole number of at least 0, not "five"',
        at: 'value',
      },
    ],
  });
});

test('a benefit and a catalog have a size that can be sent again and again', () => {
  const tea = { id: 'tea', type: 'free_product', title: 'Tea', cost: 5 };
  const categories = Array.from({ length: 100 }, (_, id) => ({ id, name: 'c'.repeat(200) }));
  const coupon = { type: 'shipping', value: 0, product: { shop_id: 1, categories } };
  const texts = (fields: object) => {
    const checked = checkProgram({ ...least, ...fields });
    return checked.ok ? [] : checked.problems.map(({ path, message }) => [path.join('.'), message]);
  };
  assert.deepEqual(texts({ benefits: [tea, { ...tea, id: 'box', shop_coupon: coupon }] }), [
    ['benefits.1', 'must come to at most 5000 bytes with all its texts and categories, not 22413'],
  ]);
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...tea, id: `tea-${i}`, description: 'd'.repeat(1_500) }));
  assert.deepEqual(texts({ benefits: many(250) }), []);
  assert.match(
    String(texts({ benefits: many(400) })),
    /^benefits,must come to at most 500000 bytes together, not \d+$/,
  );
});

test('two programs do not share their defaults', () => {
  const [one, other] = [checkProgram(least), checkProgram(least)];
  assert.ok(one.ok && other.ok);
  one.program.earning.double_points.push({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' });
  assert.deepEqual(other.program.earning.double_points, []);
});

test('a benefit for sale needs a cost, which can be 0; other benefits do not', () => {
  const benefit = { id: 'tea', type: 'free_product', title: 'Tea' };
  assert.ok(!checkProgram({ ...least, benefits: [benefit] }).ok);
  assert.ok(checkProgram({ ...least, benefits: [{ ...benefit, cost: 0 }] }).ok);
  const given = checkProgram({ ...least, benefits: [{ ...benefit, benefit_type: 'welcome' }] });
  assert.ok(given.ok);
  assert.equal(given.program.benefits[0]?.cost, 0);
});

test('a value that is not a program at all is refused as a whole', () => {
  for (const said of [null, undefined, [], 'slug', 5]) {
    const checked = checkProgram(said);
    assert.ok(!checked.ok);
    assert.deepEqual(
      checked.problems.map(({ path }) => path),
      [[]],
    );
  }
});

test('a mail that is switched on and never sent is worth a warning', () => {
  const mail = { reminders: true, messages: { birthday: true, level: true, welcome: true } };
  const checked = checkProgram({ ...least, mail });
  assert.ok(checked.ok);
  assert.deepEqual(warningsOf(checked.program, new Date()), [
    'mail.reminders: points do not expire, so no such mail is sent',
    'mail.messages.birthday: the program gives no such reward, so no such mail is sent',
    'mail.messages.level: the program has no tiers, so no such mail is sent',
  ]);
});

test('a currency is a code of ISO 4217 that is in use', () => {
  for (const currency of ['EUR', 'JPY', 'XCG', 'CLF', 'VED'])
    assert.equal(checkProgram({ ...least, currency }).ok, true, currency);
  for (const currency of ['XYZ', 'BTC', 'XXX', 'eur'])
    assert.deepEqual(checkProgram({ ...least, currency }), {
      ok: false,
      problems: [
        {
          path: ['currency'],
          message: `must be an ISO 4217 code of three capital letters, such as EUR, not "${currency}"`,
          at: 'value',
        },
      ],
    });
});

test('a currency that has ended is refused, with the one that came after it', () => {
  for (const [currency, successor] of [
    ['DEM', 'EUR'],
    ['HRK', 'EUR'],
    ['BGN', 'EUR'],
    ['ANG', 'XCG'],
    ['ZWL', 'ZWG'],
  ] as const) {
    const checked = checkProgram({ ...least, currency });
    assert.ok(!checked.ok, currency);
    const [problem] = checked.problems;
    assert.match(
      problem!.message,
      new RegExp(`not "${currency}", which has ended; its successor is ${successor}$`),
    );
  }
});

test('a benefit whose value is the least that its field promises is accepted, and 0 is not', () => {
  const problemsOf = (value: number, type: string) => {
    const cup = { id: 'cup', title: 'Cup', cost: 1, type, value };
    const checked = checkProgram({ ...least, benefits: [cup] });
    return checked.ok ? [] : checked.problems.map(({ message }) => message);
  };
  for (const type of ['percentage_discount', 'absolute_discount']) {
    assert.deepEqual(problemsOf(0.001, type), []);
    assert.match(problemsOf(0, type)[0]!, /^must be a number from 0\.001 /);
  }
});

test('a language is kept in its canonical form', () => {
  const read = (locale: string) => {
    const checked = checkProgram({ ...least, locale });
    assert.ok(checked.ok);
    return checked.program.locale;
  };
  assert.deepEqual(['ES-ar', 'EN', 'zh-hant-tw'].map(read), ['es-AR', 'en', 'zh-Hant-TW']);
});

test('a stamp card gives a benefit that exists, is of its kind, is good, and is not sold', () => {
  const tea = { id: 'tea', type: 'free_product', title: 'Tea', cost: 5, on_sale: false };
  const texts = (stamps: readonly object[], benefit: object = tea) => {
    const checked = checkProgram({ ...least, stamps, benefits: [benefit] });
    return checked.ok ? [] : checked.problems.map(({ path, message }) => [path.join('.'), message]);
  };
  const card = stampCard('teas', 'tea');
  const at = 'stamps.0.then.benefit';
  assert.deepEqual(texts([card]), []);
  assert.deepEqual(texts([card], { ...tea, on_sale: true }), [
    [at, 'must name a benefit that nobody can buy: give tea the line on_sale: false'],
  ]);
  assert.deepEqual(texts([card], { ...tea, benefit_type: 'level' }), [
    [at, 'must name a benefit whose benefit_type is normal; that of tea is level'],
  ]);
  assert.deepEqual(texts([stampCard('teas', 'teas')]), [
    [at, 'names teas, which is not the id of a benefit; did you mean tea?'],
  ]);
  assert.deepEqual(texts([card, card]), [
    ['stamps.1.id', 'must be another id: teas is already the id of stamps[0]'],
  ]);
  assert.deepEqual(texts([{ ...card, need: 1 }]), [
    ['stamps.0.need', 'must be a whole number from 2 to 50, not 1'],
  ]);
  assert.deepEqual(texts([{ ...card, when: { hours: { from: '08:00', to: '08:00' } } }]), [
    ['stamps.0.when.hours.to', 'must be another time than from, not 08:00'],
  ]);
  const products = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(64, 'x'));
  const many = Array.from({ length: 10 }, (_, i) => stampCard(`card-${i}`, 'tea', { when: { products } }));
  assert.match(String(texts(many)), /^stamps,must come to at most 50000 bytes together, not \d+$/);

  const past = checkProgram({
    ...least,
    stamps: [card],
    benefits: [{ ...tea, expiration: '2020-01-01T00:00:00Z' }],
  });
  assert.ok(past.ok);
  assert.deepEqual(warningsOf(past.program, new Date('2027-01-01T00:00:00Z')), [
    'stamps[0].then.benefit: tea expired on 2020-01-01T00:00:00Z, so nothing is handed out',
  ]);
});
