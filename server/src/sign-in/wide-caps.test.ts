/** Failures are also capped by wide network, by commerce and over the installation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { openNetworks } from '#test/networks.ts';
import { freshCode, someone, wrongCode } from '#test/sign-in.ts';

const { db } = await service();
const { showFrom } = await openNetworks();

test('300 guesses at once out of one /24, or out of one /48, over 60 addresses: 200 are compared', async () => {
  for (const hostOf of [(i: number) => `198.51.100.${i}`, (i: number) => `2001:db8:7:${i}::1`]) {
    const shop = await makeShop();
    const emails = Array.from({ length: 60 }, () => someone());
    const codes = await Promise.all(emails.map((email) => freshCode(shop.id, email)));
    await Promise.all(
      emails.flatMap((email, i) =>
        Array.from({ length: 5 }, () => showFrom(hostOf(i), shop.id, email, wrongCode(codes[i]))),
      ),
    );
    const { rows } = await sql<{ count: number }>`
      select count(*) from sign_in_failures where email = any(${emails}::text[])`.execute(db);
    assert.equal(rows[0]!.count, 200);
    const right = await showFrom(hostOf(250), shop.id, emails[59]!, codes[59]!);
    assert.equal(right.status, 400);
  }
});
