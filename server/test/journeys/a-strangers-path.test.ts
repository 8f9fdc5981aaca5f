import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { assertBooksAgree } from '#test/books.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { createTestMailer, openSink, startTestSender } from '#test/mail-sender.ts';
import { benefit, makeShop } from '#test/make.ts';
import { atCommerce, showCode, someone, type SessionBody } from '#test/sign-in.ts';

const HARBOUR_BOOKS = {
  name: 'Harbour Books',
  benefits: [benefit('bookmark', { cost: 40 }), benefit('atlas', { cost: 500 })],
  rewards: { welcome: { points: 25 } },
};

test(
  'a stranger buys, is invited, signs in by the mail, spends, leaves, and comes back',
  { timeout: 120_000 },
  async () => {
    const { db } = await service();
    const post = await openSink();
    const sending = startTestSender(createTestMailer(post.url));
    const shop = await makeShop(HARBOUR_BOOKS);
    const email = someone('noa');
    const username = email.split('@')[0]!;
    let read = 0;

    // Noa buys at the till with only an address. She is not a client of the shop yet.
    const sale = () => shop.post('/v1/consumptions/email', { client_email: email, amount: 100 });
    answered(201, await sale());
    answered(404, await shop.post('/v1/clients/email', { client_email: email }));
    const invitation = await nextMail();
    assert.match(String(invitation.subject), /^Your points at Harbour Books are waiting/);

    // She asks for a code and reads it in her mail.
    const asked = { headers: atCommerce(shop.id), body: { email } };
    answered(200, await call('POST', '/v1/auth/otp/request', asked));
    const mail = await nextMail();
    const [code = ''] = String(mail.subject).split(' ');
    assert.match(code, /^\d{6}$/);
    assert.ok(mail.text!.split(/\r?\n/).includes(code));

    // With it she is in: a session, an account, a member, and the points that waited, with 25 for joining.
    const session = answered(200, await showCode(shop.id, email, code)) as SessionBody;
    const headers = { authorization: `Bearer ${session.access}`, ...atCommerce(shop.id) };
    const ask = (method: string, path: string, body?: unknown) =>
      call(method, `/v1/me${path}`, { headers, ...(body !== undefined && { body }) });
    const account = async () => {
      const me = answered(200, await ask('GET', '')) as { points: number; subscribed: boolean };
      return [me.points, me.subscribed];
    };
    assert.deepEqual([session.username, session.email], [username, email]);
    assert.deepEqual(await account(), [125, true]);

    // She sees what there is, and buys the bookmark; the atlas is beyond her.
    const offers = answered(200, await ask('GET', '/benefits/available')) as { id: string }[];
    assert.deepEqual(
      offers.map(({ id }) => id),
      ['bookmark', 'atlas'],
    );
    answered(400, await ask('POST', '/benefits/exchange', { benefit_id: 'atlas' }));
    const bought = answered(200, await ask('POST', '/benefits/exchange', { benefit_id: 'bookmark' }));
    const { client_benefit_code: voucher } = bought as { client_benefit_code: number };
    assert.deepEqual(await account(), [85, true]);

    // The till looks up the code and accepts it once.
    const found = answered(200, await shop.get(`/v2/benefits/preview/${voucher}`)) as { title: string };
    assert.equal(found.title, 'bookmark');
    answered(200, await shop.post('/v1/benefits/redeem', { client_benefit_code: voucher }));
    answered(400, await shop.post('/v1/benefits/redeem', { client_benefit_code: voucher }));
    answered(400, await shop.get(`/v2/benefits/preview/${voucher}`));

    // Her history shows all of it, newest first.
    const history = answered(200, await ask('GET', '/activity')) as { results: Item[] };
    assert.deepEqual(
      history.results.map(({ type, points, amount, event }) => [type, points, amount, event]),
      [
        ['benefit_usage', null, null, null],
        ['benefit_exchange', -40, null, null],
        ['points_special_reward', 25, null, 'welcome'],
        ['consumption', 100, 100, null],
      ],
    );

    // The shop knows her by now.
    const client = answered(200, await shop.post('/v1/clients/email', { client_email: email }));
    const { code: clientCode, ...rest } = client as { code: number };
    assert.deepEqual(rest, { username, email, points: 85 });

    // She leaves: her points stay, and the till can sell her nothing on her account.
    answered(200, await ask('DELETE', '/subscription'));
    assert.deepEqual(await account(), [85, false]);
    answered(403, await sale());
    const byCode = { client_code: clientCode, amount: 1 };
    answered(403, await shop.post('/v1/consumptions/client-code', byCode));

    // She comes back to the same points, and is not welcomed twice.
    const joined = answered(200, await ask('POST', '/subscription'));
    assert.deepEqual(joined, { message: 'joined the program', welcome_benefit: null, welcome_points: null });
    assert.deepEqual(await account(), [85, true]);
    answered(201, await sale());
    assert.deepEqual(await account(), [185, true]);

    await sending.stop();
    assert.equal(post.received.length, 2, 'one invitation and one code');
    await assertBooksAgree(db, shop.id);

    async function nextMail() {
      read += 1;
      sending.wake();
      await post.waitForMails(read);
      const { raw, to: recipients } = post.received[read - 1]!;
      assert.deepEqual(recipients, [email]);
      return PostalMime.parse(raw);
    }
  },
);

interface Item {
  readonly type: string;
  readonly points: number | null;
  readonly amount: number | null;
  readonly event: string | null;
}

/** Returns the body of an answer that must have this status. */
function answered(status: number, answer: Answer): unknown {
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}
