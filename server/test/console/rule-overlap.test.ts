/** The rules of a draft in the console: which of them can meet, and the sentences that say them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpenAt } from '#points/rules-on-purchase.ts';
import { rulesOf } from '#program/compile-rules.ts';
import { WEEKDAYS, type Program } from '#program/program.ts';
import { readProgram } from '#program/read-program.ts';
import { constantFrom, assert as check, nat, option, property, record, subarray } from '#test/random.ts';
import { createFormat } from '../../../console/src/format.ts';
import { canMeet, meetingsOf } from '../../../console/src/program/rules/overlap.ts';
import { sayRule } from '../../../console/src/program/rules/sentence.ts';
import { en } from '../../../console/src/program/rules/texts-en.ts';
import { es } from '../../../console/src/program/rules/texts-es.ts';

const DOUBLE = { multiply: 2 };

/** Returns the program of a café with these rules. */
function programWith(...rules: readonly object[]): Program {
  const titled = rules.map((rule, i) => ({ id: `rule-${i}`, title: `Rule ${i}`, give: DOUBLE, ...rule }));
  const read = readProgram(
    JSON.stringify({
      slug: 'cafe',
      name: 'Café',
      currency: 'EUR',
      time_zone: 'Europe/Madrid',
      earning: { money_per_point: 1, rules: titled },
      levels: {
        ladder: [
          { id: 'first', name: 'First', threshold: 0 },
          { id: 'gold', name: 'Gold', threshold: 100 },
        ],
      },
    }),
  );
  assert.ok(read.ok, JSON.stringify(read));
  return read.program;
}

const meet = (one: object, other: object) => {
  const [a, b] = programWith(one, other).earning.rules;
  assert.equal(canMeet(a!, b!), canMeet(b!, a!));
  return canMeet(a!, b!);
};

test('rules meet unless something keeps them apart', () => {
  assert.ok(meet({}, {}));
  assert.ok(meet({ when: { categories: ['coffee'] } }, { when: { products: ['latte'] } }));
  assert.ok(!meet({ when: { categories: ['coffee'] } }, { when: { categories: ['bread'] } }));
  assert.ok(meet({ when: { categories: ['coffee', 'bread'] } }, { when: { categories: ['bread'] } }));
  assert.ok(!meet({ when: { branches: [1] } }, { when: { branches: [2, 3] } }));
  assert.ok(!meet({ to: '2026-03-01T00:00:00Z' }, { from: '2026-03-01T00:00:00Z' }));
  assert.ok(meet({ to: '2026-03-01T00:00:00Z' }, { from: '2026-02-28T23:59:00Z' }));
  const night = { weekdays: ['friday'], hours: { from: '22:00', to: '02:00' } };
  assert.ok(meet({ when: night }, { when: { weekdays: ['saturday'] } }));
  assert.ok(
    !meet({ when: night }, { when: { weekdays: ['saturday'], hours: { from: '02:00', to: '22:00' } } }),
  );
  const sunday = { weekdays: ['sunday'], hours: { from: '22:00', to: '02:00' } };
  assert.ok(meet({ when: sunday }, { when: { weekdays: ['monday'] } }));
});

test('a paused rule meets no other', () => {
  const { rules } = programWith({}, { paused: true }, {}).earning;
  assert.deepEqual(
    [...meetingsOf(rules)].map(([id, others]) => [id, others.map((other) => other.id)]),
    [
      ['rule-0', ['rule-2']],
      ['rule-2', ['rule-0']],
    ],
  );
});

test('rules meet in exactly those weeks in which both are in force at once', () => {
  const time = nat(95).map(
    (n) => `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`,
  );
  const hours = record({ from: time, to: time }).filter(({ from, to }) => from !== to);
  const times = record({ weekdays: subarray([...WEEKDAYS]), hours: option(hours) });
  // A week of summer and one of winter, of 168 hours each.
  const start = constantFrom('2026-02-01T23:00:00Z', '2026-06-07T22:00:00Z');
  check(
    property(times, times, start, (one, other, begin) => {
      const program = programWith({ when: one }, { when: other });
      const [a, b] = program.earning.rules;
      const [ruleA, ruleB] = rulesOf(program, 1).earning.rules;
      const isOpen = Array.from({ length: 7 * 96 }, (_, i) => new Date(Date.parse(begin) + i * 900_000)).some(
        (at) => isOpenAt(ruleA!, at, program.time_zone) && isOpenAt(ruleB!, at, program.time_zone),
      );
      assert.equal(canMeet(a!, b!), isOpen);
    }),
    { numRuns: 60 },
  );
});

test('a rule is one sentence in both languages', () => {
  const program = programWith(
    {
      when: {
        categories: ['coffee'],
        hours: { from: '07:00', to: '10:00' },
        weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      },
      to: '2026-06-30T22:00:00Z',
    },
    { give: { points: 3, per: 'unit' }, when: { products: ['loaf', 'roll'], levels: ['gold'] } },
    {
      give: { points: 25 },
      when: { first_purchase: true, min_amount: 20, weekdays: ['monday', 'sunday'] },
      limit: { times: 1, per: 'ever' },
    },
    { give: { multiply: 1.5 }, when: { hours: { from: '22:30', to: '02:00' }, branches: [3] } },
    { give: { multiply: 0 }, when: { weekdays: ['saturday', 'sunday'] }, from: '2026-05-01T10:30:00Z' },
  );
  const say = (locale: string, t: typeof en) => {
    const f = createFormat(locale, program.time_zone, 'EUR', () => new Date('2026-05-02T12:00:00Z'));
    return program.earning.rules.map((rule) =>
      sayRule(rule, program, t.said, f)
        .map(([before, chosen, after = '']) => `${before}*${chosen}*${after}`)
        .join(' ')
        .replaceAll('\u00A0', ' '),
    );
  };
  assert.deepEqual(say('en-GB', en), [
    '*Double* points on *coffee* from *7 to 10* on *weekdays* until *30 June*',
    '*3 more points* for each unit on *loaf and roll* for *Gold*',
    '*25 more points* on purchases of at least *€20* with the *first purchase* on *Monday and Sunday* at most *once ever*',
    '*1.5 times* the points from *22:30 to 2* at *branch 3*',
    '*No* points at *weekends* from *1 May 2026 at 12:30*',
  ]);
  assert.deepEqual(say('es-ES', es), [
    'Puntos *dobles* en *coffee* de *7 a 10* de *lunes a viernes* hasta el *30 de junio*',
    '*3 puntos más* por unidad en *loaf y roll* para *Gold*',
    '*25 puntos más* en compras de al menos *20 €* con la *primera compra* los *lunes y domingos* como máximo *una vez en total*',
    '*1,5 veces* los puntos de *22:30 a 2* en *la sucursal 3*',
    '*Ningún* punto los *fines de semana* desde el *1 de mayo de 2026 a las 12:30*',
  ]);
});
