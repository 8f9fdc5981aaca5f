/** Random lives of orders against an oracle that imports nothing of the service. */
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { SEED } from '#test/random.ts';
import { makeLife, play } from './lives.ts';
import { makeShopOfLives } from './shop-of-lives.ts';

const LIVES = 150;
const AT_ONCE = 6;

test(`${LIVES} random lives of orders, two senders at once, leave points and codes as the oracle says`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const { db, app } = await service();
  const { id, person } = await makeShopOfLives();
  const { key } = await createKey(db, id, 'web shop', { scopes: KEY_SCOPES });
  const { port } = app.server.address() as AddressInfo;
  const shop = { key, base: () => `http://127.0.0.1:${port}` };
  const lives = Array.from({ length: LIVES }, (_, nth) => nth).values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const nth of lives) {
        const someone = await person();
        await play(shop, someone, makeLife(SEED + nth, someone, `life ${nth}`));
      }
    }),
  );
  await assertBooksAgree(db, id);
});
