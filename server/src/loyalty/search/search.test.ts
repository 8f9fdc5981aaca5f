import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { addDays, localDay, type Day } from '#calendar/calendar.ts';
import { sql } from '#db/database.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { findPeople } from './find-people.ts';
import type { PersonState } from './found-person.ts';
import { searchMembers, type MemberFilter, type PlaceOfPage } from './search-members.ts';
import { SORTS } from './step-in-order.ts';

const ZONE = 'Europe/Madrid';
const TODAY = localDay(new Date(), ZONE);

/** A person as the test stores them. */
interface Person {
  readonly name: string | null;
  readonly state: PersonState;
  readonly tier: string | null;
  /** Points, and in how many days they end; null if they do not. */
  readonly lots: readonly { readonly points: number; readonly days: number | null }[];
  /** How many days ago they bought, and exchanged points. */
  readonly bought: readonly number[];
  readonly exchanged: readonly number[];
}

// Few syllables of each script, so that beginnings meet.
const SYLLABLES = {
  latin: [
    'ma',
    'Ma',
    'MÁ',
    'rí',
    'ri',
    'ñu',
    'ø',
    'Ø',
    'ß',
    'ẞ',
    'ı',
    'İ',
    'ł',
    'œ',
    'Æ',
    'đ',
    'ü',
    'ﬁ',
    'Ａ',
  ],
  cyrillic: ['Ма', 'ма', 'ри', 'Ё', 'е', 'й', 'И', 'Ґ', 'ї'],
  greek: ['Μα', 'μά', 'ος', 'ΟΣ', 'ρί'],
  han: ['王', '小', '明', '李', '王'],
  kana: ['か', 'が', 'カ', 'ﾀ'],
  hangul: ['김', '민', '준', '김'],
  arabic: ['أح', 'اح', 'مد', 'مُ'],
  hebrew: ['שׁ', 'ש', 'לו'],
  digits: ['1', '12', '٣'],
} as const;

const scripts = Object.keys(SYLLABLES) as (keyof typeof SYLLABLES)[];
const word = fc
  .constantFrom(...scripts)
  .chain((script) => fc.array(fc.constantFrom(...SYLLABLES[script]), { minLength: 1, maxLength: 3 }))
  .map((syllables) => syllables.join(''));
const between = fc.constantFrom(' ', ' ', ' ', '-', '’', "'", ', ', ' & ', '\u00a0', ' 🌸 ');
const name = fc
  .array(fc.tuple(word, between), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([text, gap], i) => (i === 0 ? text : gap + text)).join(''));

const person: fc.Arbitrary<Person> = fc.record({
  name: fc.option(name, { freq: 6 }),
  state: fc.constantFrom('member', 'member', 'member', 'invited', 'left', 'blocked', 'erased'),
  tier: fc.constantFrom(null, 'basic', 'gold'),
  lots: fc.uniqueArray(
    fc.record({ points: fc.integer({ min: 1, max: 200 }), days: fc.constantFrom(null, -5, 0, 3, 40) }),
    { maxLength: 3, selector: ({ days }) => days },
  ),
  bought: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 3 }),
  exchanged: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 1 }),
});

/** A typed text: beginnings of words of somebody's name, in any order, in another case. */
const typed = (people: readonly Person[]) => {
  const words = people.flatMap(({ name }) => (name === null ? [] : wordsOf(name)));
  const part = fc.tuple(
    fc.constantFrom(...words, 'ma', 'm', 'x'),
    fc.integer({ min: 1, max: 9 }),
    fc.boolean(),
  );
  return fc.oneof(
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) =>
      parts
        .map(([text, length, isLoud]) => {
          const beginning = Array.from(text).slice(0, length).join('');
          return isLoud ? beginning.toUpperCase() : beginning;
        })
        .join(' '),
    ),
    name,
    fc.constantFrom('', ' - ', '🌸', '%', '_'),
  );
};

test(`a search by name finds whom a plain comparison of names finds, seed ${fc.SEED}`, async () => {
  const { db } = await service();
  await fc.assert(
    fc.asyncProperty(
      fc
        .array(person, { minLength: 5, maxLength: 60 })
        .chain((people) =>
          fc.tuple(fc.constant(people), fc.array(typed(people), { minLength: 10, maxLength: 10 })),
        ),
      async ([people, texts]) => {
        const shop = await makeShop({ levels: LEVELS });
        const ids = await store(shop, people);
        for (const text of texts.filter((each) => !each.includes('@') && !isCode(each))) {
          const expected = ids.filter((_, i) => matchesName(people[i]!, text));
          const found = await findPeople(db, shop.id, text, 100);
          assert.deepEqual(sorted(found.map(({ member }) => member.id)), expected, JSON.stringify(text));
          // A list without a text has everybody.
          if (text.trim() === '') continue;
          for (const sort of SORTS) {
            const listed = await everyPage(shop, { text, sort }, 7);
            assert.deepEqual(sorted(listed), expected, `${sort} ${JSON.stringify(text)}`);
          }
        }
      },
    ),
    { numRuns: 6 },
  );
});

const filter: fc.Arbitrary<MemberFilter> = fc.record(
  {
    text: fc.constantFrom('m', 'ma', 'ma ri', 'p1', 'p1@', 'p'),
    state: fc.constantFrom('invited', 'member', 'left', 'blocked', 'erased'),
    levelId: fc.constantFrom(null, 'basic', 'gold'),
    minPoints: fc.integer({ min: 0, max: 300 }),
    maxPoints: fc.integer({ min: 0, max: 300 }),
    boughtFrom: day(),
    boughtTo: day(),
    expiringDays: fc.constantFrom(0, 2, 3, 30, 60),
    sort: fc.constantFrom(...SORTS),
  },
  { requiredKeys: [] },
);

function day(): fc.Arbitrary<Day> {
  return fc.integer({ min: 0, max: 60 }).map((days) => addDays(TODAY, -days));
}

test(`the pages of a filtered list are what a plain filter gives, in order, with its total, seed ${fc.SEED}`, async () => {
  const { db } = await service();
  await fc.assert(
    fc.asyncProperty(
      fc.array(person, { minLength: 5, maxLength: 80 }),
      fc.array(filter, { minLength: 15, maxLength: 15 }),
      fc.integer({ min: 1, max: 12 }),
      async (people, filters, limit) => {
        const shop = await makeShop({ levels: LEVELS, time_zone: ZONE });
        const ids = await store(shop, people);
        for (const asked of filters) {
          const expected = ids.filter((_, i) => passes(people[i]!, i, asked));
          const page = await searchMembers(db, shop.id, asked, { limit, after: null });
          assert.equal(page.total, expected.length, JSON.stringify(asked));
          const listed = await everyPage(shop, asked, limit);
          const { sort = 'newest' } = asked;
          if (sort !== 'name') {
            assert.deepEqual(
              listed,
              sort === 'newest' ? expected.toReversed() : expected,
              JSON.stringify(asked),
            );
          } else {
            assert.deepEqual(sorted(listed), expected, JSON.stringify(asked));
            const names = listed.map((id) => keyOf(people[ids.indexOf(id)]!));
            // Where a name is searched, the order is that of the word that was found.
            if (asked.text === undefined || asked.text.includes('@'))
              assert.deepEqual(
                names,
                names.toSorted((a, b) => Buffer.compare(a, b)),
                JSON.stringify(asked),
              );
          }
        }
      },
    ),
    { numRuns: 6 },
  );
});

test('pages put together have everybody once while people come, are renamed and leave', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const people = Array.from({ length: 300 }, (_, i) => ({
    name: i % 10 === 0 ? null : `${'mnopq'[i % 5]}a${i}`,
    state: 'member' as const,
    tier: null,
    lots: [],
    bought: [],
    exchanged: [],
  }));
  const ids = await store(shop, people);
  const renamed = new Set(ids.filter((id) => id % 7 === 0));
  let n = 0;
  for (const sort of SORTS) {
    const run = { isOver: false };
    const meanwhile = (async () => {
      for (; !run.isOver; n++) {
        await store(shop, [{ ...people[1]!, name: `na new ${sort} ${n}` }], 1_000 + n);
        await sql`
          update members set username = ${`z${n}`}
           where commerce_id = ${shop.id} and id = ${[...renamed][n % renamed.size]!}`.execute(db);
      }
    })();
    const listed = await everyPage(shop, { sort }, 3);
    run.isOver = true;
    await meanwhile;
    const stayed = ids.filter((id) => !renamed.has(id) || sort !== 'name');
    const counts = new Map(listed.map((id) => [id, listed.filter((other) => other === id).length]));
    assert.deepEqual(
      stayed.filter((id) => counts.get(id) !== 1),
      [],
      sort,
    );
  }
});

test('a word that thousands share is found in every order, with other words and conditions', async () => {
  const { db } = await service();
  const shop = await makeShop();
  expectTampering(shop.id);
  // 11,000 people are called Ma…, of whom every 13th is also a Ga… and the others a Lu…; 900 are called Zo….
  const nameOf = (n: number) =>
    n % 14 === 0 ? `Zoé ${n}` : `Má${n % 10}x ${n % 13 === 0 ? 'Gáo' : 'Lu'}${n % 7} ${n}`;
  const people = Array.from({ length: 12_000 }, (_, i) => ({ n: i + 1, name: nameOf(i + 1) }));
  const { rows } = await sql<{ id: number }>`
    insert into members (commerce_id, state, email, code, ordinal, username, left_at)
    select ${shop.id}, case when p.n % 100 = 0 then 'left' else 'member' end, 'many' || p.n || '@example.com', 100000000 + p.n, p.n,
           p.name, case when p.n % 100 = 0 then now() end
      from unnest(${people.map(({ n }) => n)}::bigint[], ${people.map(({ name }) => name)}::text[]) as p(n, name)
     order by p.n
    returning id`.execute(db);
  // Statements of the tests before were planned for tables with a few rows.
  await sql`analyze members, member_words`.execute(db);
  const idsOf = (wanted: (person: (typeof people)[number]) => boolean) =>
    people.flatMap((person, i) => (wanted(person) ? [rows[i]!.id] : []));

  for (const sort of SORTS) {
    const listed = async (asked: MemberFilter) => sorted(await everyPage(shop, { ...asked, sort }, 1_000));
    assert.deepEqual(
      await listed({ text: 'ma' }),
      idsOf(({ n }) => n % 14 !== 0),
      sort,
    );
    assert.deepEqual(
      await listed({ text: 'ga MA' }),
      idsOf(({ n }) => n % 14 !== 0 && n % 13 === 0),
      sort,
    );
    assert.deepEqual(
      await listed({ text: 'LU ma' }),
      idsOf(({ n }) => n % 14 !== 0 && n % 13 !== 0),
      sort,
    );
    assert.deepEqual(
      await listed({ text: 'm', state: 'left' }),
      idsOf(({ n }) => n % 14 !== 0 && n % 100 === 0),
      sort,
    );
    assert.deepEqual(await listed({ text: 'many@' }), []);
    assert.deepEqual(
      await listed({ text: 'zoe', state: 'member' }),
      idsOf(({ n }) => n % 14 === 0 && n % 100 !== 0),
    );
  }
  const totalOf = async (asked: MemberFilter) =>
    (await searchMembers(db, shop.id, asked, { limit: 5, after: null })).total;
  assert.equal(await totalOf({ text: 'm' }), null);
  assert.equal(await totalOf({ text: 'zo' }), idsOf(({ n }) => n % 14 === 0).length);
  assert.equal(
    await totalOf({ text: 'ga 2' }),
    idsOf(({ n }) => n % 14 !== 0 && n % 13 === 0 && `${n}`[0] === '2').length,
  );
  assert.equal(await totalOf({}), null);
  assert.equal(await totalOf({ state: 'left' }), 120);
  for (const [text, name] of [
    ['ma ga', /^Má.* Gáo/],
    ['lu ma', /^Má.* Lu/],
  ] as const) {
    const found = await findPeople(db, shop.id, text, 8);
    assert.ok(found.length === 8 && found.every(({ member }) => name.test(member.username!)));
  }
});

test('a code is found with spaces and dashes, and an address by its beginning, whatever the case', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const other = await makeShop();
  const ana = await shop.member('ana.lopez');
  const anabel = await shop.member('ana.lopez.b');
  await other.member('ana.lopez');
  const found = async (text: string) =>
    (await findPeople(db, shop.id, text, 8)).map(({ member }) => member.id);

  const code = String(ana.code);
  for (const text of [
    code,
    ` ${code.slice(0, 3)} ${code.slice(3, 6)}-${code.slice(6)} `,
    code.split('').join('–'),
  ])
    assert.deepEqual(await found(text), [ana.memberId], text);
  assert.deepEqual(await found('999999999'), []);
  assert.deepEqual(await found('ANA.lopez@'), [ana.memberId]);
  assert.deepEqual(await found('ana.lopez@example.com'), [ana.memberId]);
  assert.deepEqual(await found('@example.com'), []);
  // The name of a new member is the first part of the address.
  assert.deepEqual(await found('López, ana'), [ana.memberId, anabel.memberId]);
});

const LEVELS = {
  ladder: [
    { id: 'basic', name: 'Basic', threshold: 1_000_000 },
    { id: 'gold', name: 'Gold', threshold: 2_000_000 },
  ],
};

/** Stores people as they are, in order, and returns their ids. */
async function store(shop: Shop, people: readonly Person[], first = 1): Promise<number[]> {
  const { db } = await service();
  expectTampering(shop.id);
  const ids: number[] = [];
  for (const [i, person] of people.entries()) {
    const { name, state, tier, bought, exchanged } = person;
    const code = state === 'invited' ? null : 100_000_000 + first + i;
    const erased = state === 'erased';
    const last = [...bought, ...exchanged].sort((a, b) => a - b)[0];
    const { rows } = await sql<{ id: number }>`
      insert into members (commerce_id, state, email, code, ordinal, username, tier_id, erased_at, blocked_at, left_at, moved_on)
      values (${shop.id}, ${state === 'blocked' || erased ? 'member' : state}, ${erased ? null : emailOf(first + i - 1)},
              ${code}, ${code}, ${erased ? null : name}, ${tier},
              ${erased ? new Date() : null}, ${state === 'blocked' ? new Date() : null}, ${state === 'left' ? new Date() : null},
              ${last === undefined ? null : addDays(TODAY, -last)})
      returning id`.execute(db);
    const { id } = rows[0]!;
    ids.push(id);
    for (const { points, days } of person.lots) {
      await sql`
        insert into balances (commerce_id, member_id, expires_on, moving, points)
        values (${shop.id}, ${id}, ${days === null ? 'infinity' : addDays(TODAY, days)}, false, ${points})`.execute(
        db,
      );
    }
    for (const [type, days] of [
      ...bought.map((d) => ['purchase', d]),
      ...exchanged.map((d) => ['exchange', d]),
    ]) {
      await sql`
        insert into movements (commerce_id, member_id, type, at, points)
        values (${shop.id}, ${id}, ${type}, ${`${addDays(TODAY, -Number(days))}T12:00:00Z`}, 0)`.execute(db);
    }
  }
  return ids;
}

function emailOf(i: number): string {
  return `p${i}@example.com`;
}

async function everyPage(shop: Shop, asked: MemberFilter, limit: number): Promise<number[]> {
  const { db } = await service();
  const ids: number[] = [];
  let after: PlaceOfPage | null = null;
  do {
    const page = await searchMembers(db, shop.id, asked, { limit, after });
    assert.ok(page.people.length <= limit);
    ids.push(...page.people.map(({ member }) => member.id));
    after = page.next;
  } while (after !== null);
  return ids;
}

function passes(person: Person, i: number, asked: MemberFilter): boolean {
  const balance = person.lots
    .filter(({ days }) => days === null || days >= 0)
    .reduce((sum, { points }) => sum + points, 0);
  const last = person.bought.length === 0 ? null : addDays(TODAY, -Math.min(...person.bought));
  return (
    (asked.text === undefined ||
      (asked.text.includes('@')
        ? person.state !== 'erased' && emailOf(i).startsWith(asked.text)
        : matchesName(person, asked.text))) &&
    (asked.state === undefined || asked.state === person.state) &&
    (asked.levelId === undefined || asked.levelId === person.tier) &&
    balance >= (asked.minPoints ?? 0) &&
    balance <= (asked.maxPoints ?? Infinity) &&
    (asked.boughtFrom === undefined || (last !== null && last >= asked.boughtFrom)) &&
    (asked.boughtTo === undefined || (last !== null && last <= asked.boughtTo)) &&
    (asked.expiringDays === undefined ||
      person.lots.some(({ days }) => days !== null && days >= 0 && days <= asked.expiringDays!))
  );
}

function matchesName({ name, state }: Person, text: string): boolean {
  if (name === null || state === 'erased') return false;
  const words = readings(name).flatMap(wordsOf);
  const asked = wordsOf(text.replaceAll(APOSTROPHE, ''));
  return asked.length > 0 && asked.every((each) => words.some((other) => other.startsWith(each)));
}

/** In the order of bytes; people without a name come last. */
function keyOf({ name, state }: Person): Buffer {
  const words = name === null || state === 'erased' ? [] : wordsOf(name.replaceAll(APOSTROPHE, ''));
  return Buffer.from(words[0] ?? '\u{10ffff}');
}

const APOSTROPHE = /['’]/g;

/** The name as it is, and without apostrophes; in scripts without spaces, from each character on. */
function readings(name: string): string[] {
  const all = [name, name.replaceAll(APOSTROPHE, '')];
  return all.flatMap((each) => {
    const characters = Array.from(each.normalize('NFC'));
    const begins = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/u;
    return [each, ...characters.flatMap((c, i) => (begins.test(c) ? [characters.slice(i).join('')] : []))];
  });
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('œ', 'oe')
    .replaceAll('ø', 'o')
    .replaceAll('đ', 'd')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .replaceAll('ς', 'σ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((each) => each !== '');
}

function isCode(text: string): boolean {
  return /^\d{9}$/.test(text.replaceAll(/[\s\p{Pd}]/gu, ''));
}

function sorted(ids: readonly number[]): number[] {
  return [...ids].sort((a, b) => a - b);
}
