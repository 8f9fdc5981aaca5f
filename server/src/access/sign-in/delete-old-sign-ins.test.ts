import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { earlier } from '#test/earlier.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { age, freshCode, refresh, showCode, signIn, someone, wrongCode } from '#test/sign-in.ts';
import { deleteOldSignIns } from './delete-old-sign-ins.ts';

test('old rows are deleted, and rows that still count are kept', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [live, old] = [someone('live'), someone('old')];
  const sessions = [await signIn(shop.id, live), await signIn(shop.id, old)] as const;
  for (const email of [live, old]) {
    await age(email, '61 seconds');
    await showCode(shop.id, email, wrongCode(await freshCode(shop.id, email)));
  }
  await age(live, '20 hours');
  await age(old, '3 days');
  await sql`update sessions set refreshed_at = ${earlier('refreshed_at', '29 days')} where user_id = ${sessions[0].user_id}`.execute(
    db,
  );
  await sql`update sessions set refreshed_at = ${earlier('refreshed_at', '32 days')} where user_id = ${sessions[1].user_id}`.execute(
    db,
  );
  await sql`insert into sign_in_networks values ('old', array[now() - interval '2 days']), ('new', array[now() - interval '2 days', now()])`.execute(
    db,
  );

  // One code, two sends, one failure, one network and one session.
  assert.equal(await deleteOldSignIns(db), 6);
  assert.equal(await deleteOldSignIns(db), 0);
  const { rows } = await sql`
    select (select count(*) from sign_in_codes) as codes, (select count(*) from sign_in_sends) as sends,
           (select count(*) from sign_in_failures) as failures, (select count(*) from sessions) as sessions,
           (select count(*) from refresh_tokens) as tokens, (select count(*) from sign_in_networks) as networks`.execute(
    db,
  );
  assert.deepEqual(rows, [{ codes: 1, sends: 2, failures: 1, sessions: 1, tokens: 1, networks: 1 }]);
  assert.equal((await refresh(shop.id, sessions[0].refresh)).status, 200);
});
