/** Expired points have an entry in the history, so its entries add up to the balance at every instant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { setClock } from '#commerces/clock.ts';
import { transaction } from '#db/database.ts';
import { giveBackVoucher } from '#vouchers/give-back-voucher.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import {
  benefit,
  makeShop,
  type Browser,
  type MadeMember,
  type ProgramFields,
  type Shop,
} from '#test/make.ts';
import { expirePoints } from '#jobs/expire-points.ts';

const { db } = await service();

interface Item {
  readonly type: string;
  readonly date: string;
  readonly points: number | null;
  readonly amount: number | null;
  readonly event: string | null;
  readonly additional_note: string | null;
}

interface Page {
  readonly results: readonly Item[];
  readonly next_cursor: string | null;
  readonly previous_cursor: string | null;
}

for (const [locale, note] of [
  ['en-GB', 'These points expired unused.'],
  ['es-AR', 'Estos puntos vencieron sin usarse.'],
] as const) {
  test(`expired points appear on their day, the same before and after the job (${locale})`, async () => {
    const { shop, member, browser } = await opened({ locale, ...expiring('rolling') });
    for (const [instant, amount] of [
      ['2027-01-10T09:00:00Z', 30],
      ['2027-01-10T10:00:00Z', 5],
      ['2027-01-20T09:00:00Z', 40],
      ['2027-02-05T09:00:00Z', 50],
    ] as const) {
      await setClock(db, shop.id, new Date(instant));
      await shop.sell(member, amount);
    }
    await setClock(db, shop.id, new Date('2027-02-25T12:00:00Z'));
    const before = await browser.get('/v1/me/activity');
    const empty = { amount: null, benefit: null, event: null };
    const expired = { type: 'points_special_reward', ...empty, additional_note: note };
    const { results } = before.body as Page;
    assert.deepEqual(
      results.filter(({ type }) => type === 'points_special_reward'),
      [
        { ...expired, points: -40, date: '2027-02-20T22:59:59.999Z' },
        { ...expired, points: -35, date: '2027-02-10T22:59:59.999Z' },
      ],
    );
    assert.deepEqual(
      results.map(({ points }) => points),
      [-40, -35, 50, 40, 5, 30],
    );
    assert.equal(await balanceOf(browser), 50);

    assert.equal(await expirePoints.run(db, shop.id), 1);
    assert.equal((await browser.get('/v1/me/activity')).text, before.text);
    await assertBooksAgree(db, shop.id);
  });
}

test('points written off between two page reads are on one of the pages', async () => {
  const { shop, member, browser } = await opened(expiring('rolling'));
  for (let day = 0; day < 45; day++) {
    await setClock(db, shop.id, new Date(Date.UTC(2027, 0, 10 + day, 9)));
    await shop.sell(member, 100 + day);
  }
  await setClock(db, shop.id, new Date('2027-06-01T09:00:00Z'));
  const pages: Page[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Page = (await browser.get(`/v1/me/activity?cursor=${cursor}`)).body as Page;
    pages.push(page);
    cursor = page.next_cursor;
    if (pages.length === 2) await expirePoints.run(db, shop.id);
  }
  assert.deepEqual(
    pages.map(({ results }) => results.length),
    [20, 20, 20, 20, 7], // 45 purchases, and 42 days: those of 28 to 31 January end on 28 February
  );
  const items = pages.flatMap(({ results }) => results);
  assert.equal(sumOf(items), 0);
  assert.equal(new Set(items.map(({ date, points }) => `${date} ${points}`)).size, 87);
  const back = await walk(browser, 'previous_cursor', pages.at(-1)!.previous_cursor!);
  assert.deepEqual(
    back.toReversed().map(({ results }) => results),
    pages.slice(0, -1).map(({ results }) => results),
  );
});

test('anyone who reads while the job writes sees each entry once', async () => {
  const shop = await makeShop(expiring('rolling'));
  await setClock(db, shop.id, new Date('2027-01-10T09:00:00Z'));
  const members = await Promise.all(Array.from({ length: 20 }, () => shop.member()));
  for (const member of members) await shop.sell(member, 30);
  await setClock(db, shop.id, new Date('2027-06-01T09:00:00Z'));
  const browsers = await Promise.all(members.map((member) => shop.browser(member)));
  const writing = expirePoints.run(db, shop.id, { batch: 1 });
  const seen = [];
  for (let round = 0; round < 10; round++)
    seen.push(...(await Promise.all(browsers.map((browser) => browser.get('/v1/me/activity')))));
  assert.equal(await writing, 20);
  for (const { body } of seen)
    assert.deepEqual(
      (body as Page).results.map(({ points }) => points),
      [-30, 30],
    );
});

type Step =
  | { readonly does: 'buy'; readonly times: number }
  | { readonly does: 'exchange' | 'give back' | 'return' | 'job' | 'change' }
  | { readonly does: 'wait'; readonly hours: number }
  | { readonly does: 'walk'; readonly meanwhile: readonly ('job' | 'buy' | null)[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }).map((times) => ({ does: 'buy' as const, times })) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('exchange', 'give back', 'return', 'job', 'change')
      .map((does): Step => ({ does })),
  },
  {
    weight: 7,
    arbitrary: fc.integer({ min: 1, max: 20 * 24 }).map((hours) => ({ does: 'wait' as const, hours })),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.constantFrom('job', 'buy', null), { minLength: 6, maxLength: 6 })
      .map((meanwhile) => ({ does: 'walk' as const, meanwhile })),
  },
);

test(`the pages of a random history add up to the balance, each entry once, with and without the job, seed ${fc.SEED}`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('Europe/Madrid', 'Asia/Kolkata', 'Pacific/Apia', 'America/New_York'),
      fc.constantFrom('rolling', 'accumulated'),
      fc.array(step, { minLength: 40, maxLength: 60 }),
      async (zone, mode, steps) => {
        const life = new Life(await opened({ ...expiring(mode), time_zone: zone }), zone, mode);
        for (const step of steps) await life.live(step);
        await life.check([]);
        await assertBooksAgree(db, life.shop.id);
      },
    ),
    { numRuns: 8 },
  );
});

/** A member's purchases and exchanges at a shop, in sequence. */
class Life {
  readonly shop: Shop;
  readonly #member: MadeMember;
  readonly #browser: Browser;
  readonly #zone: string;
  #mode: string;
  #now = Date.UTC(2027, 0, 10, 9, 17);
  /** No two purchases are for the same amount, so each entry is unique. */
  #amount = 10;
  readonly #purchases: string[] = [];
  readonly #codes: number[] = [];

  constructor(open: Opened, zone: string, mode: string) {
    this.shop = open.shop;
    this.#member = open.member;
    this.#browser = open.browser;
    this.#zone = zone;
    this.#mode = mode;
  }

  async live(step: Step): Promise<void> {
    const { shop } = this;
    switch (step.does) {
      case 'buy':
        for (let i = 0; i < step.times; i++) await this.#buy();
        return;
      case 'exchange': {
        const { status, body } = await this.#browser.post('/v1/me/benefits/exchange', {
          benefit_id: 'coffee',
        });
        if (status === 200) this.#codes.push((body as { client_benefit_code: number }).client_benefit_code);
        return;
      }
      case 'give back': {
        const code = this.#codes.shift();
        if (code !== undefined)
          await transaction(db, (tx) => giveBackVoucher(tx, { commerceId: shop.id, code }));
        return;
      }
      case 'return': {
        const id = this.#purchases.shift();
        if (id !== undefined) await shop.post(`/v1/consumptions/${id}/reversal`, {});
        return;
      }
      case 'job':
        return void (await expirePoints.run(db, shop.id, { batch: 1 }));
      case 'change':
        this.#mode = this.#mode === 'rolling' ? 'accumulated' : 'rolling';
        return void (await shop.apply({ ...expiring(this.#mode), time_zone: this.#zone }));
      case 'wait':
        this.#now += step.hours * 3_600_000;
        return setClock(db, shop.id, new Date(this.#now));
      case 'walk':
        return this.check(step.meanwhile);
    }
  }

  /** Reads all pages, forward and back, and runs something else after each page. */
  async check(meanwhile: readonly ('job' | 'buy' | null)[]): Promise<void> {
    const points = await balanceOf(this.#browser);
    const there: Page[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = (await this.#browser.get(`/v1/me/activity?cursor=${cursor}`)).body as Page;
      there.push(page);
      cursor = page.next_cursor;
      const happens = meanwhile[there.length - 1];
      if (happens === 'job') await expirePoints.run(db, this.shop.id);
      if (happens === 'buy') await this.#buy();
    }
    const items = there.flatMap(({ results }) => results);
    assert.equal(sumOf(items), points, 'the lines add up to the balance');
    assert.equal(new Set(items.map(keyOf)).size, items.length, 'each line once');
    assert.deepEqual(
      items.map(({ date }) => date),
      items
        .map(({ date }) => date)
        .toSorted()
        .toReversed(),
    );
    if (there.length === 1) return;
    const back = await walk(this.#browser, 'previous_cursor', there.at(-1)!.previous_cursor!);
    const again = [...back.toReversed().flatMap(({ results }) => results), ...there.at(-1)!.results];
    assert.deepEqual(again.slice(-items.length), items);
    assert.equal(sumOf(again), await balanceOf(this.#browser));
  }

  async #buy(): Promise<void> {
    const purchase = { client_code: this.#member.code, amount: this.#amount++ };
    const { status, headers } = await this.shop.post('/v1/consumptions/client-code', purchase);
    assert.equal(status, 201);
    this.#purchases.push(headers.get('x-consumption-id')!);
  }
}

interface Opened {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly browser: Browser;
}

/** Makes a shop with one member, on 10 January 2027. */
async function opened(fields: ProgramFields): Promise<Opened> {
  const shop = await makeShop(fields);
  await setClock(db, shop.id, new Date('2027-01-10T09:00:00Z'));
  const member = await shop.member();
  return { shop, member, browser: await shop.browser(member) };
}

function expiring(mode: string): ProgramFields {
  return {
    sandbox: true,
    points_expiration: { mode, months: 1 },
    benefits: [benefit('coffee', { cost: 25 })],
  };
}

async function walk(
  browser: Browser,
  direction: 'next_cursor' | 'previous_cursor',
  from: string,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null = from; cursor !== null;) {
    const page: Page = (await browser.get(`/v1/me/activity?cursor=${cursor}`)).body as Page;
    pages.push(page);
    cursor = page[direction];
  }
  return pages;
}

function sumOf(items: readonly Item[]): number {
  return items.reduce((sum, { points }) => sum + (points ?? 0), 0);
}

function keyOf(item: Item): string {
  return JSON.stringify(item);
}

async function balanceOf(browser: Browser): Promise<number> {
  return ((await browser.get('/v1/me')).body as { points: number }).points;
}
