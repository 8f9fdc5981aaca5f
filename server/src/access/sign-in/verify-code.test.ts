import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import {
  age,
  askForCode,
  atCommerce,
  freshCode,
  mailedCodes,
  showCode,
  signIn,
  someone,
  wrongCode,
  type SessionBody,
  storedUserId,
} from '#test/sign-in.ts';

const INVALID_CODE = { status: 400, body: { message: 'the code is not valid or has expired' } };

function seen({ status, body }: Answer) {
  return { status, body };
}

test('a code from the mail opens a session, creates the account and joins the program', async () => {
  const shop = await makeShop();
  const email = someone('Ana.B+c').toLowerCase();
  const session = await signIn(shop.id, email);
  assert.deepEqual(
    { ...session, access: '', refresh: session.refresh.slice(0, 3), user_id: 0 },
    {
      access: '',
      refresh: 'lr_',
      expires_in: 900,
      user_id: 0,
      username: email.split('@')[0],
      email,
      phone: null,
    },
  );
  const me = await call('GET', '/v1/me', {
    headers: { ...atCommerce(shop.id), authorization: `Bearer ${session.access}` },
  });
  assert.equal(me.status, 200);
  assert.equal((me.body as { subscribed: boolean }).subscribed, true);
});

test('case and surrounding blanks do not matter: it is the same address and the same account', async () => {
  const shop = await makeShop();
  const email = someone();
  await askForCode(shop.id, ` ${email.toUpperCase()} `);
  const [code = ''] = await mailedCodes(shop.id, email);
  const session = (await showCode(shop.id, `${email}\t`, code)).body as SessionBody;
  const other = await makeShop();
  assert.equal((await signIn(other.id, email)).user_id, await storedUserId(session));
});

test('a code works once', async () => {
  const shop = await makeShop();
  const email = someone();
  const code = await freshCode(shop.id, email);
  assert.equal((await showCode(shop.id, email, code)).status, 200);
  assert.deepEqual(seen(await showCode(shop.id, email, code)), INVALID_CODE);
});

test('a code works only for its address and its commerce', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [email, stranger] = [someone(), someone()];
  const code = await freshCode(shop.id, email);
  await freshCode(shop.id, stranger);
  await freshCode(other.id, email);
  const [otherCode, strangersCode] = [
    (await mailedCodes(other.id, email))[0],
    (await mailedCodes(shop.id, stranger))[0],
  ];
  if (otherCode !== code) assert.deepEqual(seen(await showCode(other.id, email, code)), INVALID_CODE);
  if (strangersCode !== code) assert.deepEqual(seen(await showCode(shop.id, stranger, code)), INVALID_CODE);
  assert.equal((await showCode(shop.id, email, code)).status, 200);
});

test('a wrong, malformed, expired, burned or unrequested code and an invalid address get the same response', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [known, burned, expired] = [someone('known'), someone('burned'), someone('expired')];
  await signIn(shop.id, known);
  const [burnedCode, expiredCode] = [await freshCode(shop.id, burned), await freshCode(shop.id, expired)];
  await sql`update sign_in_codes set tries = 5 where email = ${burned}`.execute(db);
  await age(expired, '10 minutes');
  await age(known, '2 minutes');
  const code = await freshCode(shop.id, known);
  const tries: [email: string, otp: string][] = [
    [known, wrongCode(code)],
    [known, `${code} `],
    [known, ''],
    [burned, burnedCode],
    [expired, expiredCode],
    [someone('never'), '123456'],
    ['no address', '123456'],
    ['', ''],
  ];
  for (const [email, otp] of tries) assert.deepEqual(seen(await showCode(shop.id, email, otp)), INVALID_CODE);
  assert.equal((await showCode(shop.id, known, code)).status, 200);
});

test('the fifth wrong try burns the code', async () => {
  const shop = await makeShop();
  const email = someone();
  const code = await freshCode(shop.id, email);
  for (let i = 0; i < 4; i++) await showCode(shop.id, email, wrongCode(code));
  const lucky = someone();
  const luckyCode = await freshCode(shop.id, lucky);
  for (let i = 0; i < 4; i++) await showCode(shop.id, lucky, wrongCode(luckyCode));
  assert.equal((await showCode(shop.id, lucky, luckyCode)).status, 200, 'the fifth try may succeed');
  await showCode(shop.id, email, wrongCode(code));
  assert.deepEqual(seen(await showCode(shop.id, email, code)), INVALID_CODE);
});

test('a member who left joins again, and a blocked member can sign in and stays blocked', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const [left, blocked] = [await shop.member(), await shop.member()];
  await sql`update members set state = 'left', left_at = now() where id = ${left.memberId}`.execute(db);
  await sql`update members set blocked_at = now() where id = ${blocked.memberId}`.execute(db);
  assert.equal((await signIn(shop.id, left.email)).user_id, left.userId);
  assert.equal((await signIn(shop.id, blocked.email)).user_id, blocked.userId);
  const { rows } = await sql`
    select state, blocked_at is not null as blocked
      from members where id in (${left.memberId}, ${blocked.memberId}) order by id`.execute(db);
  assert.deepEqual(rows, [
    { state: 'member', blocked: false },
    { state: 'member', blocked: true },
  ]);
});
