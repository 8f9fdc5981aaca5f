/** A person is erased while everything that could bring them back happens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql, transaction } from '#db/database.ts';
import { createLog } from '#http/log.ts';
import type { Mailer } from '#mail/mailer.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { erasePerson, NotConfirmed } from '#member-care/erase-person.ts';
import { assertBooksAgree } from '#test/books.ts';
import { earlier } from '#test/earlier.ts';
import { service, type Answer, SECRET } from '#test/harness.ts';
import { benefit, makeShop, type Shop } from '#test/make.ts';
import { askForCode, freshCode, refresh, showCode, signIn, someone } from '#test/sign-in.ts';
import { commandLine } from '#test/staff.ts';
import { findTraces } from '#test/traces.ts';
import { untilOneWaits } from '#test/until-one-waits.ts';
import { reminders } from '../../src/operations/jobs/reminders.ts';

const { db } = await service();
/** `RACE_ROUNDS=200` is a long form. */
const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 5);

const PROGRAM = {
  time_zone: 'UTC',
  benefits: [benefit('coffee', { cost: 1 }), benefit('cake', { benefit_type: 'welcome', cost: 0 })],
  rewards: { welcome: { benefit: 'cake' } },
  points_expiration: { mode: 'rolling', months: 1 },
  mail: { reminders: true },
};

interface Someone {
  readonly memberId: number;
  readonly code: number | null;
  readonly email: string;
}

async function find(shop: Shop, email: string): Promise<Someone> {
  const { rows } = await sql<Someone>`
    select id as "memberId", code, email from members where commerce_id = ${shop.id} and email = ${email}`.execute(
    db,
  );
  return rows[0]!;
}

/** Someone whose points wait may join at this moment. Then the address confirms nothing any more, but the new code does. */
async function erase(shop: Shop, { memberId, code, email }: Someone): Promise<object> {
  const erasure = { confirm: String(code ?? email), reason: 'asked for it' };
  try {
    return await auditedTransaction(db, commandLine(shop.id), (tx) =>
      erasePerson(tx, shop.id, memberId, erasure),
    );
  } catch (error) {
    if (!(error instanceof NotConfirmed) || code !== null) throw error;
    return erase(shop, await find(shop, email));
  }
}

/** Starts calls in a random order. Returns the statuses by the name of the call. */
async function atOnce(calls: Readonly<Record<string, () => Promise<Answer | object | number>>>, times = 3) {
  const all = Object.entries(calls).flatMap(([name, call]) =>
    Array.from({ length: name === 'erase' ? 1 : times }, () => ({ name, call })),
  );
  all.sort(() => Math.random() - 0.5);
  const answers = await Promise.all(
    all.map(async ({ name, call }) => {
      const answer = await call();
      return { name, status: typeof answer === 'object' && 'status' in answer ? answer.status : 'done' };
    }),
  );
  return (name: string) => answers.filter((answer) => answer.name === name).map(({ status }) => status);
}

test('nothing personal comes back by a purchase, an exchange, a redemption, a sign-in or a reminder at the same moment', async () => {
  const shop = await makeShop(PROGRAM);
  for (let round = 0; round < ROUNDS; round++) {
    const email = someone();
    const session = await signIn(shop.id, email);
    const member = await find(shop, email);
    const browser = await shop.browser({ userId: session.user_id });
    const sale = { client_code: member.code, amount: 5 };
    await shop.post('/v1/consumptions/client-code', sale);
    const { rows } = await sql<{ code: number }>`
      select code from vouchers where commerce_id = ${shop.id} and member_id = ${member.memberId}`.execute(
      db,
    );
    await sql`update sign_in_sends set sent_at = ${earlier('sent_at', '2 minutes')} where email = ${email}`.execute(
      db,
    );
    const code = await freshCode(shop.id, email);
    const statuses = await atOnce({
      erase: () => erase(shop, member),
      buy: () => shop.post('/v1/consumptions/client-code', sale),
      exchange: () =>
        browser.post(
          '/v1/me/benefits/exchange',
          { benefit_id: 'coffee' },
          { 'idempotency-key': String(Math.random()) },
        ),
      redeem: () => shop.post('/v1/benefits/redeem', { client_benefit_code: rows[0]!.code }),
      signIn: () => showCode(shop.id, email, code),
      refresh: () => refresh(shop.id, session.refresh),
      leave: () => browser.delete('/v1/me/subscription'),
      edit: () => browser.patch('/v1/me', { username: `by ${email}` }),
      remind: () => reminders.run(db, shop.id),
    });
    const allowed: Record<string, unknown[]> = {
      buy: [201, 403],
      // 401 if the token was checked after the erasure, as below.
      exchange: [200, 400, 401],
      redeem: [200, 400],
      signIn: [200, 400],
      refresh: [200, 401],
      leave: [200, 401],
      edit: [200, 400, 401],
    };
    for (const [name, expected] of Object.entries(allowed))
      assert.deepEqual(
        statuses(name).filter((status) => !expected.includes(status)),
        [],
        name,
      );
    assert.deepEqual(await findTraces(db, email, null), []);
  }
  await assertBooksAgree(db, shop.id);
});

test('who buys by e-mail, asks for a code or signs in at that moment is a new person, and no purchase is lost', async () => {
  const shop = await makeShop(PROGRAM);
  for (let round = 0; round < ROUNDS; round++) {
    const email = someone();
    const isMember = round % 2 === 0;
    if (isMember) await signIn(shop.id, email);
    await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
    const before = await find(shop, email);
    await sql`update sign_in_sends set sent_at = ${earlier('sent_at', '2 minutes')} where email = ${email}`.execute(
      db,
    );
    const code = await freshCode(shop.id, email);
    const statuses = await atOnce({
      erase: () => erase(shop, before),
      buy: () => shop.post('/v1/consumptions/email', { client_email: email, amount: 7 }),
      ask: () => askForCode(shop.id, email),
      signIn: () => showCode(shop.id, email, code),
    });
    assert.deepEqual(statuses('buy'), [201, 201, 201]);
    const { rows } = await sql<{ id: number; email: string | null; purchases: number; erased: boolean }>`
      select m.id, m.email, m.purchases, m.erased_at is not null as erased
        from members m
       where m.commerce_id = ${shop.id} and (m.id = ${before.memberId} or m.email = ${email}) order by m.id`.execute(
      db,
    );
    assert.deepEqual([rows[0]!.email, rows[0]!.erased], [null, true]);
    assert.ok(rows.length <= 2 && rows.slice(1).every(({ erased }) => !erased));
    assert.equal(
      rows.reduce((sum, { purchases }) => sum + purchases, 0),
      4,
    );
    const accounts = await sql`
      select m.id from members m where m.commerce_id = ${shop.id} and m.email = ${email} and m.state = 'member'
         and not exists (select from users u where u.id = m.user_id and u.email = m.email)`.execute(db);
    assert.deepEqual(accounts.rows, []);
  }
  await assertBooksAgree(db, shop.id);
});

test('of 10 people who erase a person at once, one does; an account that another shop needs stays', async () => {
  const [shop, other] = [await makeShop(PROGRAM), await makeShop(PROGRAM)];
  for (let round = 0; round < ROUNDS; round++) {
    const email = someone();
    await signIn(shop.id, email);
    const here = await find(shop, email);
    const code = await freshCode(other.id, email);
    const erasures = Array.from({ length: 10 }, () => erase(shop, here));
    const [joined, ...erased] = await Promise.allSettled([showCode(other.id, email, code), ...erasures]);
    assert.equal(erased.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(joined.status === 'fulfilled' && joined.value.status, 200);
    const { rows } = await sql`
      select from members m join users u on u.id = m.user_id and u.email = m.email
       where m.commerce_id = ${other.id} and m.email = ${email}`.execute(db);
    assert.equal(rows.length, 1);
    assert.deepEqual(
      (await findTraces(db, email, shop.id)).map(({ place }) => place),
      ['users.email'],
    );
  }
});

test('of a mail that is being sent while its reader is erased, nothing is kept, and waiting ones are not sent', async () => {
  const shop = await makeShop(PROGRAM);
  const [email, waiting] = [someone('sent'), someone('waits')];
  await sql`delete from outbox`.execute(db);
  await shop.post('/v1/consumptions/email', { client_email: email, amount: 5 });
  const sending = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const recipients: string[] = [];
  const mailer: Mailer = {
    keepsMails: true,
    close: () => {},
    async send({ recipient }) {
      recipients.push(recipient);
      sending.resolve();
      await arrived.promise;
    },
  };
  const log = createLog({ level: 'silent' });
  const sender = startMailSender({ db, mailer, log, base: 'http://localhost', secret: SECRET });
  await sending.promise;
  await shop.post('/v1/consumptions/email', { client_email: waiting, amount: 5 });
  await sql`update outbox set due_at = now() + interval '1 hour' where recipient = ${waiting}`.execute(db);
  await erase(shop, await find(shop, email));
  await erase(shop, await find(shop, waiting));
  arrived.resolve();
  await sender.stop();
  assert.deepEqual(recipients, [email]);
  for (const text of [email, waiting]) assert.deepEqual(await findTraces(db, text, null), []);
});

test('a reminder that waits for an erasure is not written', async () => {
  const shop = await makeShop({ ...PROGRAM, points_expiration: { mode: 'rolling', months: 1 } });
  const member = await shop.member();
  await shop.sell(member, 50);
  const erased = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const erasing = transaction(db, async (tx) => {
    const erasure = { confirm: String(member.code), reason: 'asked for it' };
    await erasePerson(tx, shop.id, member.memberId, erasure);
    erased.resolve();
    await told.promise;
  });
  await erased.promise;
  const reminding = reminders.run(db, shop.id);
  await untilOneWaits(db);
  told.resolve();
  await erasing;
  assert.equal(await reminding, 0);
  assert.deepEqual(await findTraces(db, member.email, null), []);
});
