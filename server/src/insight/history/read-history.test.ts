import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql, transaction } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Browser, type MadeMember, type Shop } from '#test/make.ts';

const ITEMS = 5_000;
const BATCH = 500;
const START = Date.parse('2024-01-01T00:00:00Z');

interface Page {
  readonly results: readonly { readonly amount: number; readonly date: string }[];
  readonly next_cursor: string | null;
  readonly previous_cursor: string | null;
}

const { db } = await service();

test(`${ITEMS} items each appear once, forward and back, while more are added`, async (t) => {
  const shop = await makeShop();
  const member = await shop.member();
  await fill(shop, member);
  const browser = await shop.browser(member);
  const adding = addUntilStopped(shop, member);
  t.after(() => adding.stop());

  const there = await walk(browser, 'next_cursor', null);
  const back = await walk(browser, 'previous_cursor', there.at(-1)!.previous_cursor);
  const count = await adding.stop();
  t.diagnostic(`${there.length} pages there, ${back.length} back, ${count} items added meanwhile`);

  assert.deepEqual(oldOnes(there), inOrder());
  // Back from the last page, which is not read again. Each page is newest first, but the pages come in reverse.
  assert.deepEqual(oldOnes([...back.toReversed(), there.at(-1)!]), inOrder());
  assert.equal(back.at(-1)!.previous_cursor, null);
  // New items come before all old ones, on the way back too.
  assert.ok(count > 0);
  const added = back.toReversed().flatMap((page) => page.results.filter(({ amount }) => amount > ITEMS));
  assert.equal(new Set(added.map(({ amount }) => amount)).size, added.length);
});

test('every cursor is bound to its member and commerce, and a cut or changed cursor is refused', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [member, stranger] = [await shop.member(), await shop.member()];
  for (let amount = 1; amount <= 45; amount++) await shop.sell(member, amount);
  const [browser, strangers, elsewhere] = [
    await shop.browser(member),
    await shop.browser(stranger),
    await other.browser(member),
  ];
  const pages = await walk(browser, 'next_cursor', null);
  const cursors = pages
    .flatMap((page) => [page.next_cursor, page.previous_cursor])
    .filter((one) => one !== null);
  assert.equal(cursors.length, 4);
  for (const cursor of cursors) {
    assert.equal((await browser.get(`/v1/me/activity?cursor=${cursor}`)).status, 200);
    await refused(strangers, cursor, 'value_error');
    await refused(elsewhere, cursor, 'value_error');
    for (let i = 0; i < cursor.length; i++) {
      await refused(browser, changedAt(cursor, i), 'value_error');
      if (i > 0) await refused(browser, cursor.slice(0, i), 'value_error');
    }
    await refused(browser, `${cursor}${'A'.repeat(512 - cursor.length)}`, 'value_error');
    await refused(browser, `${cursor}${'A'.repeat(513 - cursor.length)}`, 'string_too_long');
  }
});

/** Makes purchases of 1, 2, 3 …, every third at the same instant as the one before it. */
async function fill(shop: Shop, { code }: MadeMember): Promise<void> {
  for (let first = 1; first <= ITEMS; first += BATCH) {
    const calls = Array.from({ length: BATCH }, (_, i) => ({
      commerceId: shop.id,
      buyer: { code },
      amount: first + i,
      ...NOWHERE,
      late: { at: new Date(START + (first + i - ((first + i) % 3 === 0 ? 1 : 0)) * 1_000), isLatest: false },
    }));
    const outcomes = await transaction(db, (tx) => recordPurchases(tx, calls));
    assert.ok(outcomes.every(({ recorded }) => recorded));
  }
  const { rows } = await sql<{ instants: number }>`
    select count(distinct at) as instants from movements where commerce_id = ${shop.id}`.execute(db);
  assert.ok(rows[0]!.instants < ITEMS);
}

/** Sells continuously while the pages are read. Returns the number of sales. */
function addUntilStopped(shop: Shop, member: MadeMember): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let count = 0;
  const running = (async () => {
    while (!stopping.signal.aborted) {
      count += 1;
      await shop.sell(member, ITEMS + count);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      return count;
    },
  };
}

async function walk(
  browser: Browser,
  direction: 'next_cursor' | 'previous_cursor',
  from: string | null,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor = from ?? ''; ;) {
    const page = (await browser.get(`/v1/me/activity?cursor=${cursor}`)).body as Page;
    pages.push(page);
    const next = page[direction];
    if (next === null) return pages;
    cursor = next;
  }
}

/** Returns the amounts of the items that existed at the start, in the order received. */
function oldOnes(pages: readonly Page[]): number[] {
  return pages
    .flatMap((page) => page.results.map(({ amount }) => amount))
    .filter((amount) => amount <= ITEMS);
}

function inOrder(): number[] {
  return Array.from({ length: ITEMS }, (_, i) => ITEMS - i);
}

function changedAt(text: string, i: number): string {
  return `${text.slice(0, i)}${text[i] === 'A' ? 'B' : 'A'}${text.slice(i + 1)}`;
}

async function refused(browser: Browser, cursor: string, type: string): Promise<void> {
  const { status, body } = await browser.get(`/v1/me/activity?cursor=${encodeURIComponent(cursor)}`);
  const { detail } = body as { detail: { loc: unknown; type: string }[] };
  assert.deepEqual(
    [status, detail?.map((fault) => [fault.loc, fault.type])],
    [422, [[['query', 'cursor'], type]]],
    cursor,
  );
}
