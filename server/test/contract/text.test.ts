import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { checkProgram } from '#program/check-program.ts';
import { benefit, makeShop, type Browser, type ProgramFields, type Shop } from '#test/make.ts';

const NAMES = [
  'Éva',
  'e\u0301va', // combining, must not be composed
  'ev\u0301\u0302\u0303\u0304a',
  'שלום עולם',
  '\u202emoor\u202c bar',
  'مقهى القمر ١٢٣',
  '🌙🍺👨‍👩‍👧‍👦🏳️‍🌈',
  '𠮷野家 𝔏𝔲𝔫𝔞',
  'İstanbul ıI ß ſ K Å ﬁ',
  ' blanks  kept ',
  '\u00a0\u3000\u2003x',
  '<script>alert(1)</script>',
  "Robert'); drop table members;--",
  '=cmd|x!A1',
  '\\u0000 \\n \\',
  '"quoted" \'and\' `ticked`',
  '\ufffd\ufff9',
  'null',
];

test('a name in any script is stored as it was sent, and the shop sees the same text', async () => {
  const { shop, browser, code } = await signedIn();
  for (const name of NAMES) {
    assert.equal(await rename(browser, name), 200, JSON.stringify(name));
    assert.equal(await nameOf(browser), name);
    const client = await shop.get(`/v1/clients/${code}`);
    assert.equal((client.body as { username: string }).username, name);
  }
});

test('lengths count characters, not bytes or surrogates: 1 to 100 of any kind', async () => {
  const { browser } = await signedIn();
  for (const unit of ['x', 'é', '漢', '🌙', '\u0301']) {
    assert.equal(await rename(browser, unit), 200);
    assert.equal(await rename(browser, unit.repeat(100)), 200, unit);
    assert.equal(await nameOf(browser), unit.repeat(100));
    assert.equal(await rename(browser, unit.repeat(101)), 422);
    assert.equal(await nameOf(browser), unit.repeat(100));
  }
  assert.equal(await rename(browser, ''), 422);
});

test('U+0000, half a surrogate pair and control characters are a 422 and change nothing', async () => {
  const { browser } = await signedIn();
  await rename(browser, 'before');
  for (const name of [
    '\0',
    'a\0b',
    '\ud800',
    'a\udfffb',
    '\udc00\ud800',
    'a\nb',
    'a\rb',
    '\u001b[31m',
    'a\u2028b',
    '\u0085',
    '\u007f',
  ])
    assert.equal(await rename(browser, name), 422, JSON.stringify(name));
  assert.equal(await nameOf(browser), 'before');
});

test('any text is either stored unchanged or refused', async () => {
  const { browser } = await signedIn();
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 120 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  );
  await fc.assert(
    fc.asyncProperty(text, async (name) => {
      const before = await nameOf(browser);
      const status = await rename(browser, name);
      assert.ok(status === 200 || status === 422);
      assert.equal(await nameOf(browser), status === 200 ? name : before);
    }),
    { numRuns: 150 },
  );
});

const TEXTS: readonly {
  readonly field: string;
  readonly most: number;
  readonly fields: (text: string) => ProgramFields;
  readonly read: (shop: Shop) => Promise<unknown>;
}[] = [
  {
    field: 'name',
    most: 100,
    fields: (name) => ({ name }),
    read: async (shop) => (await commerceOf(shop))['name'],
  },
  {
    field: 'category_name',
    most: 100,
    fields: (text) => ({ category_name: text }),
    read: async (shop) => (await commerceOf(shop))['category_name'],
  },
  {
    field: 'benefit title',
    most: 200,
    fields: (title) => ({ benefits: [benefit('one', { title })] }),
    read: async (shop) => (await prizeOf(shop))['title'],
  },
  {
    field: 'benefit description',
    most: 2000,
    fields: (description) => ({ benefits: [benefit('one', { description })] }),
    read: async (shop) => (await prizeOf(shop))['description'],
  },
  {
    field: 'product name',
    most: 200,
    fields: (name) => ({
      benefits: [benefit('one', { type: 'free_product', value: null, product: { name } })],
    }),
    read: async (shop) => ((await prizeOf(shop))['product'] as { name: unknown }).name,
  },
  {
    field: 'tier name',
    most: 100,
    fields: (name) => ({ levels: { ladder: [{ id: 'one', name, threshold: 0 }] } }),
    read: async (shop) => {
      const browser = await shop.browser(await shop.member());
      return ((await browser.get('/v1/me/level')).body as { name: unknown }).name;
    },
  },
];

for (const { field, most, fields, read } of TEXTS) {
  test(`a program's ${field} is returned as it was written, up to ${most} characters`, async () => {
    const shop = await makeShop();
    for (const text of [...NAMES, 'x'.repeat(most), 'é'.repeat(most)]) {
      await shop.apply(fields(text));
      assert.equal(await read(shop), text);
    }
    for (const text of ['a\0b', '\ud800', 'x'.repeat(most + 1), '\u001b[31m'])
      assert.equal(isProgram(fields(text)), false, JSON.stringify(text.slice(0, 10)));
  });
}

test('a non-ASCII field name in the body of a call does no harm', async () => {
  const shop = await makeShop();
  const member = await shop.member();
  const body = { 'client_code\u0301': 1, 'ключ\ud83c\udf19': NAMES, client_code: member.code, amount: 3 };
  assert.equal((await shop.post('/v1/consumptions/client-code', body)).status, 201);
});

async function signedIn(): Promise<{ shop: Shop; browser: Browser; code: number }> {
  const shop = await makeShop();
  const member = await shop.member();
  return { shop, browser: await shop.browser(member), code: member.code };
}

async function rename(browser: Browser, username: string): Promise<number> {
  return (await browser.patch('/v1/me', { username })).status;
}

async function nameOf(browser: Browser): Promise<unknown> {
  return ((await browser.get('/v1/me')).body as { username: unknown }).username;
}

async function commerceOf(shop: Shop): Promise<Record<string, unknown>> {
  return (await shop.visit('/v1/public/commerce')).body as Record<string, unknown>;
}

async function prizeOf(shop: Shop): Promise<Record<string, unknown>> {
  const [one] = (await shop.visit('/v1/public/benefits')).body as { prize: Record<string, unknown> }[];
  return one!.prize;
}

function isProgram(fields: ProgramFields): boolean {
  const least = { slug: 'x', name: 'X', currency: 'EUR', time_zone: 'UTC', earning: { money_per_point: 1 } };
  return checkProgram({ ...least, ...fields }).ok;
}
