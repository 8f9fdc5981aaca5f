import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { parse } from 'yaml';
import { formatProblems, readProgram } from './read-program.ts';
import type { FileProblem } from './read-program.ts';

const cafeLuna = readFileSync(new URL('../../../examples/cafe-luna.yaml', import.meta.url), 'utf8');

const small = `slug: corner-shop
name: Corner shop
sandbox: true
color: "#112233"
currency: EUR
time_zone: Europe/Madrid
earning:
  money_per_point: 2.5
  double_points:
    - { from: 2026-11-27T00:00:00+01:00, to: 2026-11-30T00:00:00+01:00 }
points_expiration: { mode: rolling, months: 12 }
levels:
  ladder:
    - name: Bronze
      threshold: 10
    - name: Silver
      threshold: 100
      points_multiplier: 1.25
      benefit: gift
benefits:
  - id: coffee
    type: free_product
    title: Coffee
    cost: 10
    product: { id: 7, name: Flat white }
  - id: gift
    benefit_type: level
    type: percentage_discount
    title: Ten off
    value: 10
    shop_coupon:
      type: percentage
      value: 10
rewards:
  welcome: { points: 5 }
  monthly_top:
    points: 100
`;

function problemsOf(text: string): FileProblem[] {
  const read = readProgram(text);
  return read.ok ? [] : read.problems;
}

test('the example and the small file are read', () => {
  assert.deepEqual(problemsOf(cafeLuna), []);
  assert.deepEqual(problemsOf(small), []);
});

test('a program with only the required fields gets its defaults', () => {
  const read = readProgram(
    'slug: a\nname: A\ncurrency: EUR\ntime_zone: UTC\nearning: { money_per_point: 1, returns: null }\nmail:',
  );
  assert.partialDeepStrictEqual(read, {
    ok: true,
    clock: null,
    program: {
      slug: 'a',
      name: 'A',
      sandbox: false,
      status: 'active',
      logo: null,
      color: null,
      category_name: null,
      currency: 'EUR',
      time_zone: 'UTC',
      locale: 'en',
      earning: { money_per_point: 1, max_amount: 1_000_000_000, returns: 'negative', double_points: [] },
      points_expiration: { mode: 'none', months: null },
      levels: { threshold_type: 'points', valid_months: null, ladder: [] },
      benefits: [],
      rewards: { welcome: null, birthday: null, monthly_top: null },
      mail: { sender: null, reminders: false },
    },
  });
});

test('JSON is accepted too, with tabs and a byte order mark, and all instants get one form', () => {
  const json = JSON.stringify(
    {
      slug: 'a',
      name: 'Caf\u00e9 \ud83d\ude00',
      sandbox: true,
      clock: '1997-01-01 00:00:00 +01',
      currency: 'EUR',
      time_zone: 'UTC',
      earning: {
        money_per_point: 1,
        double_points: [{ from: '2026-01-01T00:00-03:00', to: '2026-01-02T00:00:00.5Z' }],
      },
    },
    null,
    '\t',
  );
  const read = readProgram(`\ufeff${json}`);
  assert.ok(read.ok, JSON.stringify(read));
  assert.deepEqual(read.clock, new Date('1996-12-31T23:00:00Z'));
  assert.deepEqual(read.program.earning.double_points, [
    { from: '2026-01-01T03:00:00Z', to: '2026-01-02T00:00:00.500Z' },
  ]);
  assert.equal(read.program.name, 'Café 😀');
});

test('explicit YAML timestamps and anchors are accepted', () => {
  const read = readProgram(
    small
      .replace('from: 2026-11-27T00:00:00+01:00', 'from: !!timestamp 2026-11-27T00:00:00+01:00')
      .replace('welcome: { points: 5 }', 'welcome: &five { points: 5 }\n  birthday: *five'),
  );
  assert.ok(read.ok, JSON.stringify(read));
  assert.equal(read.program.rewards.birthday?.points, 5);
});

test('a wrong value is refused with its line and how to correct it', async (t) => {
  // Text in the file, its replacement, line of the problem, its path, part of its message.
  const refusals: [string, string, number, string, string][] = [
    ['slug: corner-shop', 'slug: Corner_Shop', 1, 'slug', 'small letters'],
    ['slug: corner-shop\n', '', 1, 'slug', 'is required'],
    ['name: Corner shop', 'name: "A\\r\\nBcc: b@example.com"', 2, 'name', 'one line'],
    ['name: Corner shop', 'name: "\\ud800"', 2, 'name', 'one line'],
    ['name: Corner shop', 'name: "nul \\0"', 2, 'name', 'one line'],
    ['name: Corner shop', 'name: 1984', 2, 'name', 'put it in quotes'],
    ['name: Corner shop', `name: ${'x'.repeat(101)}`, 2, 'name', '100 characters'],
    ['name: Corner shop', 'name:', 2, 'name', 'is required'],
    ['sandbox: true', 'sandbox: yes', 3, 'sandbox', 'true or false'],
    ['sandbox: true', 'clock: 1997-01-01T00:00:00Z', 3, 'clock', 'sandbox'],
    ['sandbox: true', 'sandbox: true\nclock: 1997-01-01', 4, 'clock', 'time zone'],
    ['sandbox: true', 'status: closed', 3, 'status', 'active or paused'],
    ['sandbox: true', 'logo: http://example.com/a.png', 3, 'logo', 'https'],
    ['sandbox: true', 'locale: pt_BR', 3, 'locale', 'es-AR'],
    ['"#112233"', '"#11223"', 4, 'color', '#7a3e9d'],
    ['"#112233"', '#112233', 4, 'color', 'begins a comment'],
    ['currency: EUR', 'currency: euro', 5, 'currency', 'ISO 4217'],
    ['currency: EUR', 'curency: EUR', 5, 'curency', 'did you mean currency?'],
    ['Europe/Madrid', 'Europe/Madird', 6, 'time_zone', 'IANA'],
    ['Europe/Madrid', '+01:00', 6, 'time_zone', 'IANA'],
    [
      'money_per_point: 2.5',
      'money_per_points: 2.5',
      8,
      'earning.money_per_points',
      'did you mean money_per_point?',
    ],
    ['money_per_point: 2.5', 'money_per_point: 0', 8, 'earning.money_per_point', 'from 0.001'],
    ['money_per_point: 2.5', 'money_per_point: 0.0005', 8, 'earning.money_per_point', 'three decimals'],
    ['money_per_point: 2.5', 'money_per_point: .nan', 8, 'earning.money_per_point', 'not NaN'],
    [
      'money_per_point: 2.5',
      'money_per_point: 1\n  max_amount: 9007199254740993',
      9,
      'earning.max_amount',
      'whole number',
    ],
    [
      'money_per_point: 2.5',
      'money_per_point: 0.001\n  max_amount: 1000000000000\n  returns: clamp\n  returns: refuse',
      11,
      'earning.returns',
      'twice',
    ],
    [
      'to: 2026-11-30T00:00:00+01:00',
      'to: 2026-11-26T22:59:59Z',
      10,
      'earning.double_points[0].to',
      'after from',
    ],
    [
      'to: 2026-11-30T00:00:00+01:00',
      'to: 2026-11-31T00:00:00+01:00',
      10,
      'earning.double_points[0].to',
      'an instant',
    ],
    [
      'to: 2026-11-30T00:00:00+01:00',
      'to: 2026-11-30T00:00:00',
      10,
      'earning.double_points[0].to',
      'time zone',
    ],
    ['months: 12 ', 'months: 121 ', 11, 'points_expiration.months', 'from 1 to 120'],
    [', months: 12', '', 11, 'points_expiration.months', 'is required where mode is rolling'],
    ['mode: rolling', 'mode: sliding', 11, 'points_expiration.mode', 'none, rolling or accumulated'],
    ['name: Bronze', 'id: Bronze Age\n      name: Bronze', 14, 'levels.ladder[0].id', 'small letters'],
    ['threshold: 100', 'threshold: 10', 17, 'levels.ladder[1].threshold', 'above 10'],
    ['threshold: 100', 'threshold: 1.5', 17, 'levels.ladder[1].threshold', 'whole number'],
    [
      'points_multiplier: 1.25',
      'points_multiplier: 1000.001',
      18,
      'levels.ladder[1].points_multiplier',
      'to 1000',
    ],
    ['benefit: gift', 'benefit: gifts', 19, 'levels.ladder[1].benefit', 'did you mean gift?'],
    [
      'benefit: gift',
      'benefit: coffee',
      19,
      'levels.ladder[1].benefit',
      'benefit_type is level; that of coffee is normal',
    ],
    ['id: coffee', 'id: preview', 21, 'benefits[0].id', 'none of list, preview, redeem'],
    ['type: free_product', 'type: free', 22, 'benefits[0].type', 'free_product'],
    ['    title: Coffee\n', '', 21, 'benefits[0].title', 'is required'],
    ['cost: 10', 'cost: -1', 24, 'benefits[0].cost', 'at least 0'],
    ['    cost: 10\n', '', 21, 'benefits[0].cost', 'for sale'],
    ['cost: 10', 'cost: 10\n    value: 3', 25, 'benefits[0].value', 'left out for a free_product'],
    ['cost: 10', 'cost: 10\n    valid_days: 3651', 25, 'benefits[0].valid_days', '3650'],
    [
      'product: { id: 7, name: Flat white }',
      'product: Flat white',
      25,
      'benefits[0].product',
      'must have the keys id, name',
    ],
    ['id: 7', 'id: 7.5', 25, 'benefits[0].product.id', 'a whole number or one line'],
    ['id: gift', 'id: coffee', 26, 'benefits[1].id', 'already the id of benefits[0]'],
    [
      'title: Ten off',
      'title: Ten off\n    description: "bell \\a"',
      30,
      'benefits[1].description',
      'control',
    ],
    ['    value: 10\n    shop', '    value: 101\n    shop', 30, 'benefits[1].value', 'at most 100'],
    ['    value: 10\n    shop', '    shop', 26, 'benefits[1].value', 'the percentage'],
    [
      'title: Ten off',
      'title: Ten off\n    product: { id: 1 }',
      30,
      'benefits[1].product',
      'only a free_product',
    ],
    ['      type: percentage\n', '      type: free\n', 32, 'benefits[1].shop_coupon.type', 'shipping'],
    ['      value: 10', '      value: 0', 33, 'benefits[1].shop_coupon.value', 'above 0'],
    ['{ points: 5 }', '{ points: 5, benefit: gift }', 35, 'rewards.welcome', 'one of the two'],
    ['{ points: 5 }', '{}', 35, 'rewards.welcome', 'one of the two'],
    ['{ points: 5 }', '50', 35, 'rewards.welcome', 'must have the keys points, benefit'],
    ['{ points: 5 }', '{ benefit: gift }', 35, 'rewards.welcome.benefit', 'benefit_type is welcome'],
    [
      'points: 100\n',
      'points: 100\n    settle_days: 29\n',
      38,
      'rewards.monthly_top.settle_days',
      'from 0 to 28',
    ],
    ['rewards:', 'rewards: *nobody\nmail:', 34, 'rewards', 'no anchor'],
    [
      'sandbox: true',
      'branches: [{ id: 1, name: Harbour }, { id: 1, name: Market }]',
      3,
      'branches[1].id',
      'already the id of branches[0]',
    ],
    [
      'sandbox: true',
      'branches: [{ id: 1, name: Harbour, registers: [{ id: 2, name: A }, { id: 2, name: B }] }]',
      3,
      'branches[0].registers[1].id',
      'already the id of branches[0].registers[0]',
    ],
    ['sandbox: true', '__proto__: { polluted: true }', 3, '__proto__', 'not known here'],
    ['sandbox: true', 'mail: !secret { reminders: true }', 3, '', 'Unresolved tag'],
  ];
  for (const [right, wrong, line, path, message] of refusals) {
    await t.test(`${path}: ${wrong.trim().replaceAll('\n', ' ').slice(0, 50)}`, () => {
      assert.ok(small.includes(right), `the file has no ${right}`);
      const problems = problemsOf(small.replace(right, wrong));
      const found = problems.find((problem) => problem.path === path && problem.line === line);
      assert.ok(found?.message.includes(message), JSON.stringify(problems, null, 1));
    });
  }
});

test('all problems are reported at once, in the order of the file', () => {
  const text = small
    .replace('EUR', 'euro')
    .replace('threshold: 100', 'threshold: 1')
    .replace('points: 5', 'points: 0');
  assert.deepEqual(
    problemsOf(text).map(({ line, column, path }) => [line, column, path]),
    [
      [5, 11, 'currency'],
      [17, 18, 'levels.ladder[1].threshold'],
      [35, 22, 'rewards.welcome.points'],
    ],
  );
});

test('a line that cannot be read hides no other problem, and nothing that it may have said is missed', () => {
  const faulty = small
    .replace('slug: corner-shop', 'slug: Corner Shop')
    .replace('EUR', 'euro')
    .replace('  money_per_point: 2.5\n', '  money_per_point: 2.5\n   max_amount: 100\n')
    .replace('months: 12 }', 'months: 12')
    .replace('threshold: 100', 'threshold: 5')
    .replace('benefit: gift', 'benefit: gifts')
    .replace('    title: Coffee\n', '')
    .replace('{ points: 5 }', '{ points: 5, benefit: gift }');
  assert.deepEqual(
    problemsOf(faulty).map(({ line, path }) => `${line} ${path}`),
    [
      '1 slug',
      '5 currency',
      '8 ',
      '13 ',
      '18 levels.ladder[1].threshold',
      '20 levels.ladder[1].benefit',
      '22 benefits[0].title',
      '35 rewards.welcome',
      '35 rewards.welcome.benefit',
    ],
  );
  const unclosed = small.replace('name: Corner shop', 'name: "Corner shop').replace('corner-shop', 'C');
  assert.deepEqual(
    problemsOf(unclosed).map(({ line, path }) => `${line} ${path}`),
    ['1 slug', '2 '],
  );
  const noAnchor = small.replace('id: coffee', 'id: *nobody').replace('EUR', 'euro');
  assert.deepEqual(
    problemsOf(noAnchor).map(({ line, path }) => `${line} ${path}`),
    ['5 currency', '21 benefits[0].id'],
  );
});

test('a benefit that does not exist is reported wherever it is named, whatever else is wrong there', () => {
  const text = small
    .replace('points_multiplier: 1.25', 'points_multiplier: high\n      bonus: 3')
    .replace('benefit: gift', 'benefit: gifts')
    .replace('threshold: 10\n', 'threshold: ten\n      benefit: coffee\n')
    .replace('monthly_top:\n    points: 100', 'monthly_top:\n    settle_days: 29\n    benefit: gfit');
  assert.deepEqual(
    problemsOf(text).map(({ line, path }) => `${line} ${path}`),
    [
      '15 levels.ladder[0].threshold',
      '16 levels.ladder[0].benefit',
      '19 levels.ladder[1].points_multiplier',
      '20 levels.ladder[1].bonus',
      '21 levels.ladder[1].benefit',
      '39 rewards.monthly_top.settle_days',
      '40 rewards.monthly_top.benefit',
    ],
  );
  const shapeless = [
    'levels: 3',
    'levels: { ladder: 3 }',
    'levels: { ladder: [3, null] }',
    'rewards: [welcome]',
  ];
  for (const part of shapeless)
    assert.equal(
      problemsOf(
        `slug: a\nname: A\ncurrency: EUR\ntime_zone: UTC\nearning: { money_per_point: 1 }\n${part}\n`,
      ).length,
      part.includes('[3') ? 2 : 1,
      part,
    );
});

test('a quote that is never closed is reported where it opens, and nothing that it swallows is missed', () => {
  const opened: [from: string, to: string, place: string][] = [
    ['name: Corner shop', 'name: "Corner shop', '2:7'],
    ['currency: EUR', "currency: 'EUR", '5:11'],
    ['title: Ten off', 'title: "Ten off', '29:12'],
    ['{ points: 5 }', '{ points: "5 }', '35:22'],
    ['benefit: gift', 'benefit: "gift', '19:16'],
    ['    - name: Silver', '    - "name: Silver', '16:7'],
  ];
  const plain = small.replace('color: "#112233"\n', 'tagline: hello\n');
  for (const [from, to, place] of opened)
    assert.equal(
      formatProblems('f', problemsOf(plain.replace(from, to))),
      `f:${place} the quote that opens here is never closed`,
    );
  // One that the next quote closes.
  const early = small.replace('name: Corner shop', 'name: "Corner shop');
  assert.match(formatProblems('f', problemsOf(early)), /^f:2:7 the quote that opens here is never closed$/);
  const more = early.replace('months: 12 }', 'months: 12');
  assert.deepEqual(
    problemsOf(more).map(({ line }) => line),
    [2, 12],
  );
});

test('the problems of the YAML itself are told in plain words', () => {
  const words: [string, RegExp][] = [
    ['name: a: b\n', /1:7 this line is indented too far, or a text in it contains a colon and needs quotes/],
    ['earning:\n\tmoney_per_point: 1\n', /2:1 is indented with a tab; indent with spaces/],
    ['mail: {\n', /2:1 the \{ before this is never closed with \}, or what is inside is not indented/],
    ['earning:\n    a: 1\n  b: 2\n', /3:1 this line is indented differently from its neighbours/],
  ];
  for (const [text, message] of words) assert.match(formatProblems('', problemsOf(text)), message);
});

test('the rest of a file with a wrong part is still checked, and the part is reported only once', () => {
  const text = small.replace('cost: 10', 'cost: ten').replace('threshold: 100', 'threshold: 10');
  assert.deepEqual(
    problemsOf(text).map(({ path }) => path),
    ['levels.ladder[1].threshold', 'benefits[0].cost'],
  );
});

test('a problem is printed with its file, line, column, path and how to correct it', () => {
  const text = small.replace('money_per_point: 2.5', 'money_per_point: free');
  assert.equal(
    formatProblems('program.yaml', problemsOf(text)),
    'program.yaml:8:20 earning.money_per_point: must be a number from 0.001 to 1000000000 with at most three decimals, not "free"',
  );
  assert.equal(formatProblems('a.yaml', problemsOf('')), 'a.yaml:1:1 the file is empty');
});

test('a purchase that could earn more points than can be counted is refused', () => {
  const text = small
    .replace('money_per_point: 2.5', 'money_per_point: 0.001\n  max_amount: 1000000000000')
    .replace('points_multiplier: 1.25', 'points_multiplier: 1000');
  assert.deepEqual(
    problemsOf(text).map(({ path }) => path),
    ['earning.max_amount'],
  );
});

test('files made to exhaust the reader are refused', () => {
  const bomb = [
    'a: &a [x, x]',
    ...Array.from(
      'bcdefghijklm',
      (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghijklm'[index]}`).join(',')}]`,
    ),
  ];
  const hostile: [string, string, RegExp][] = [
    ['aliases of aliases', bomb.join('\n'), /follows more than 100 aliases/],
    [
      'many aliases',
      `a: &a x\nb: [${'*a, '.repeat(10_000)}*a]`,
      /^f:2:\d+ b\[100\]: follows more than 100 aliases/,
    ],
    [
      'an alias of a long list',
      `a: &a [${'x, '.repeat(2_000)}x]\nb: [${'*a, '.repeat(90)}*a]`,
      /more than 100000 values/,
    ],
    [
      'very many values',
      `a: [${'{},'.repeat(300_000)}]`,
      /^f:1:1 the file has more than 100000 lines, commas and brackets$/,
    ],
    ['an alias of itself', 'slug: &a [*a]', /nested too deeply/],
    ['brackets', '['.repeat(20_000), /nested too deeply/],
    ['dashes', '- '.repeat(20_000), /nested too deeply/],
    ['a list in a list', `slug: ${'['.repeat(50)}${']'.repeat(50)}`, /nested too deeply/],
    ['size', `# ${'x'.repeat(1024 * 1024)}`, /1 MiB/],
    ['two documents', 'slug: a\n---\nslug: b', /multiple documents/],
    ['no map', '- slug', /must have the keys/],
    ['text', 'hello', /must have the keys/],
    ['nothing but a comment', '# hello', /empty/],
  ];
  for (const [name, text, message] of hostile)
    assert.match(formatProblems('f', problemsOf(text)), message, name);
});

test('an alias stands for the anchor before it, even if the name is used again', () => {
  const rewards = `welcome: &five { points: &n 5 }
  birthday: *five
  monthly_top: { settle_days: &n 2, points: *n }
`;
  const read = readProgram(small.replace(/welcome: \{ points: 5 \}\n[^]*?(?=^\w|$(?![^]))/m, rewards));
  assert.ok(read.ok, JSON.stringify(read));
  assert.deepEqual([read.program.rewards.birthday?.points, read.program.rewards.monthly_top?.points], [5, 2]);
});

test('eighty thousand unknown keys are refused with the first hundred problems', () => {
  const problems = problemsOf(Array.from({ length: 80_000 }, (_, index) => `key${index}:`).join('\n'));
  assert.equal(problems.length, 100);
});

test('if any value is replaced by anything, the file is read or refused with line numbers', () => {
  const example: unknown = parse(cafeLuna);
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 30 }), { maxLength: 5 }),
      fc.jsonValue({ maxDepth: 2 }),
      (steps, value) => {
        const read = readProgram(JSON.stringify(replacedAt(example, steps, value), null, 1));
        assert.ok(
          read.ok ||
            read.problems.every(({ line, column, message }) => line > 0 && column > 0 && message !== ''),
        );
      },
    ),
    { numRuns: 500 },
  );
});

function replacedAt(whole: unknown, [step, ...rest]: number[], value: unknown): unknown {
  if (step === undefined || typeof whole !== 'object' || whole === null) return value;
  const keys = Object.keys(whole);
  const key = keys[step % keys.length] ?? '';
  const entries = Object.entries(whole).map(
    ([name, item]) => [name, name === key ? replacedAt(item, rest, value) : item] as const,
  );
  return Array.isArray(whole) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}
