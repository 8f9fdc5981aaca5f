/**
 * Many random lives of orders while the service is killed again and again: no state is lost or counted twice, and books and codes are as
 * the oracle says. `ORDERS=500` plays fewer lives.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { assertBooksAgree } from '#test/books.ts';
import { testDatabaseUrl } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { SEED } from '#test/random.ts';
import { killService, startService } from '#test/service-process.ts';
import { makeLife, play } from './orders/lives.ts';
import { makeShopOfLives } from './orders/shop-of-lives.ts';

const LIVES = Number(process.env['ORDERS'] ?? 20_000);
const AT_ONCE = 12;
const LIVES_OF_A_SHOP = 500;
const LONGEST_UP_MS = 4_000;

test(`${LIVES} random lives of orders with kills of the service leave points and codes as the oracle says`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const { db } = await service();
  const url = await testDatabaseUrl();
  // The lives of a shop undo more uses on a day than a key may.
  const settings = { UNDOS_PER_DAY: '0' };
  let serving = await startService(url, settings);
  let kills = 0;
  const ending = new AbortController();
  const killing = (async () => {
    while (!ending.signal.aborted) {
      const next = await startService(url, settings);
      await sleep(Math.random() * LONGEST_UP_MS);
      const killed = serving;
      await killService(killed);
      serving = next;
      kills += 1;
    }
  })();

  try {
    for (let first = 0; first < LIVES; first += LIVES_OF_A_SHOP) {
      const { id, person } = await makeShopOfLives();
      const { key } = await createKey(db, id, 'web shop', { scopes: KEY_SCOPES });
      const shop = { key, base: () => serving.base };
      const end = Math.min(LIVES, first + LIVES_OF_A_SHOP);
      const lives = Array.from({ length: end - first }, (_, nth) => first + nth).values();
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (const nth of lives) {
            const someone = await person();
            await play(shop, someone, makeLife(SEED + nth, someone, `life ${nth}`));
          }
        }),
      );
      await assertBooksAgree(db, id);
    }
  } finally {
    ending.abort();
    await killing;
    await killService(serving);
  }
  t.diagnostic(`${LIVES} lives, ${kills} kills`);
});
