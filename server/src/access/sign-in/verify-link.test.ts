/** The link in the mail signs in without digits, and wrong digits do not burn it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { anAddress, openNetworks } from '#test/networks.ts';
import {
  age,
  atCommerce,
  freshCode,
  mailedLinks,
  showCode,
  signIn,
  someone,
  storedUserId,
  wrongCode,
  type SessionBody,
} from '#test/sign-in.ts';

const { db } = await service();
const INVALID_LINK = { status: 400, body: { message: 'the link is not valid or has expired' } };

function press(commerceId: number, token: string): Promise<Answer> {
  return call('POST', '/v1/auth/link/verify', { headers: atCommerce(commerceId), body: { token } });
}

function seen({ status, body }: Answer) {
  return { status, body };
}

/** Asks for a code and returns it with the secret of its link. */
async function freshMail(commerceId: number, email: string): Promise<{ code: string; token: string }> {
  const code = await freshCode(commerceId, email);
  const [token = ''] = await mailedLinks(commerceId, email);
  return { code, token };
}

test('a link opens a session, creates the account and joins the program, once, and uses up the code', async () => {
  const shop = await makeShop();
  const email = someone();
  const { code, token } = await freshMail(shop.id, email);
  assert.match(token, /^[\w-]{22}$/);
  const answer = await press(shop.id, token);
  assert.equal(answer.status, 200);
  const session = answer.body as SessionBody;
  assert.deepEqual([session.email, session.expires_in], [email, 900]);
  const me = await call('GET', '/v1/me', {
    headers: { ...atCommerce(shop.id), authorization: `Bearer ${session.access}` },
  });
  assert.equal((me.body as { subscribed: boolean }).subscribed, true);
  assert.deepEqual(seen(await press(shop.id, token)), INVALID_LINK);
  assert.equal((await showCode(shop.id, email, code)).status, 400);
});

test('five wrong codes burn the digits and not the link', async () => {
  const shop = await makeShop();
  const email = someone();
  const { code, token } = await freshMail(shop.id, email);
  for (let i = 0; i < 5; i++) await showCode(shop.id, email, wrongCode(code));
  assert.equal((await showCode(shop.id, email, code)).status, 400);
  assert.equal((await press(shop.id, token)).status, 200);
});

test('a wrong, malformed, used, replaced or expired link and one of another shop get the same response', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [used, replaced, expired, live] = [someone(), someone(), someone(), someone()];
  const usedMail = await freshMail(shop.id, used);
  assert.equal((await showCode(shop.id, used, usedMail.code)).status, 200);
  const old = await freshMail(shop.id, replaced);
  await age(replaced, '61 seconds');
  const replacement = await freshMail(shop.id, replaced);
  const late = await freshMail(shop.id, expired);
  await age(expired, '10 minutes');
  const mail = await freshMail(shop.id, live);
  const tokens = [
    usedMail.token,
    old.token,
    late.token,
    'A'.repeat(22),
    `${mail.token}=`,
    mail.token.slice(1),
    '',
    'x'.repeat(10_000),
  ];
  for (const token of tokens) assert.deepEqual(seen(await press(shop.id, token)), INVALID_LINK);
  assert.deepEqual(seen(await press(other.id, mail.token)), INVALID_LINK);
  assert.equal((await press(shop.id, mail.token)).status, 200);
  assert.equal((await press(shop.id, replacement.token)).status, 200);
});

test('50 presses of one link, and 50 entries of its code, at once open one session', async () => {
  const shop = await makeShop();
  const email = someone();
  const { code, token } = await freshMail(shop.id, email);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      i % 2 === 0 ? press(shop.id, token) : showCode(shop.id, email, code),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const { rows } = await sql<{ count: number }>`
    select count(*) from sessions where commerce_id = ${shop.id}`.execute(db);
  assert.equal(rows[0]!.count, 1);
});

test('a code of the release before, which knows no links, voids the link of the code before it', async () => {
  const shop = await makeShop();
  const email = someone();
  const { token } = await freshMail(shop.id, email);
  await sql`
    update sign_in_codes
       set hash = sha256('a new code'), tries = 0, issued_at = now(), expires_at = now() + interval '10 minutes'
     where commerce_id = ${shop.id} and email = ${email}`.execute(db);
  assert.deepEqual(seen(await press(shop.id, token)), INVALID_LINK);
});

test('the database stores no link as plain text, and a hash copied to another shop is useless', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [email, thief] = [someone(), someone()];
  const { token } = await freshMail(shop.id, email);
  await freshMail(other.id, thief);
  const { rows } = await sql<{ row: string }>`
    select c::text as row from sign_in_codes c where commerce_id = ${shop.id}`.execute(db);
  assert.ok(!rows[0]!.row.includes(token));
  assert.ok(!rows[0]!.row.includes(Buffer.from(token, 'base64url').toString('hex')));
  await sql`
    update sign_in_codes
       set link_hash = (select link_hash from sign_in_codes where commerce_id = ${shop.id} and email = ${email})
     where commerce_id = ${other.id}`.execute(db);
  assert.deepEqual(seen(await press(other.id, token)), INVALID_LINK);
});

test('a press counts as a call of its network, and makes the network known', async () => {
  const { askFrom, pressFrom, signInFrom } = await openNetworks();
  const shop = await makeShop();
  const [email, home, flood] = [someone(), anAddress(), anAddress()];
  await askFrom(anAddress(), shop.id, email);
  const [token = ''] = await mailedLinks(shop.id, email);
  assert.equal((await pressFrom(home, shop.id, token)).status, 200);
  for (let i = 0; i < 3; i++) {
    await age(email, '61 seconds');
    await askFrom(anAddress(), shop.id, email);
  }
  await age(email, '61 seconds');
  assert.equal(await signInFrom(anAddress(), shop.id, email), false, 'strangers have used up their half');
  assert.ok(await signInFrom(home, shop.id, email));

  const presses = await Promise.all(
    Array.from({ length: 110 }, () => pressFrom(flood, shop.id, 'A'.repeat(22))),
  );
  assert.equal(presses.filter(({ status }) => status === 429).length, 10);
});

test('whoever is signed in already can sign in with a link', async () => {
  const shop = await makeShop();
  const email = someone();
  const session = await signIn(shop.id, email);
  await age(email, '61 seconds');
  const { token } = await freshMail(shop.id, email);
  const answer = await call('POST', '/v1/auth/link/verify', {
    headers: { ...atCommerce(shop.id), authorization: `Bearer ${session.access}` },
    body: { token },
  });
  assert.equal(await storedUserId(answer.body as SessionBody), session.user_id);
});
