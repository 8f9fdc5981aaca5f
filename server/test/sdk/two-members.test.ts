/** On a phone that one member hands to another, no call of the first is ever made as the second. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newHandle, newRefreshToken } from '#sign-in/refresh-token.ts';
import { createMemberClient, memoryTokens, type Tokens } from '../../../sdk/src/index.ts';

/** A call that waits for an answer to a request that should not be there would wait for ever. */
const LIMIT = { timeout: 20_000 };

/** The tokens of a sign-in, with refresh tokens as the service makes them. */
function makeSignIn(name: string) {
  const handle = newHandle();
  const next = (n: number) => ({ access: `${name}${n}`, refresh: newRefreshToken(handle).token });
  return {
    first: (expiresInMs = 900_000): Tokens => ({ ...next(1), expires_at: Date.now() + expiresInMs }),
    renewed: () => Response.json({ ...next(2), expires_in: 900 }),
  };
}

const refused = () => Response.json({ message: 'no' }, { status: 401 });

/** A client whose requests wait for an answer. */
function makePhone(tokens: Tokens) {
  const storage = memoryTokens(tokens);
  const sent: { what: string; answer: (response: Response) => void }[] = [];
  let signedOut = 0;
  const client = createMemberClient({
    baseUrl: 'https://loyalty.example',
    commerceId: 7,
    tokens: storage,
    onSignedOut: () => signedOut++,
    fetch: (url, { headers, body }) =>
      new Promise((answer) => {
        const renewed = (JSON.parse(body ?? '{}') as { refresh?: string }).refresh;
        sent.push({ what: `${new URL(url).pathname} ${renewed ?? headers['authorization']}`, answer });
      }),
  });
  /** Waits until so many requests have been sent. */
  const reach = async (count: number) => {
    for (let waits = 0; sent.length < count; waits++) {
      assert.ok(waits < 3_000, `only ${sent.length} of ${count} requests were sent`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return sent[count - 1]!;
  };
  return { client, storage, sent, reach, signedOut: () => signedOut };
}

test(
  'a change that is refused after another member has signed in is not sent as the other',
  LIMIT,
  async () => {
    const [ana, eva] = [makeSignIn('ana').first(), makeSignIn('eva').first()];
    const { client, storage, sent, reach, signedOut } = makePhone(ana);
    const change = client.editMyAccount({ username: 'Ana' });
    const { answer } = await reach(1);
    await storage.set(eva);
    answer(refused());
    await assert.rejects(change, { status: 401 });
    assert.deepEqual([sent.length, await storage.get(), signedOut()], [1, eva, 0]);
  },
);

test('a renewal that is refused late does not end the session of the next member', LIMIT, async () => {
  const [ana, eva] = [makeSignIn('ana').first(0), makeSignIn('eva').first()];
  for (const next of [eva, null]) {
    const { client, storage, reach, signedOut } = makePhone(ana);
    const question = client.getMyAccount();
    const { answer } = await reach(1);
    await storage.set(next);
    answer(refused());
    await assert.rejects(question, { status: 401 });
    assert.deepEqual([await storage.get(), signedOut()], [next, 0]);
  }
});

test('the next member does not take the tokens of a renewal of the member before', LIMIT, async () => {
  const [ana, eva] = [makeSignIn('ana'), makeSignIn('eva')];
  const { client, storage, sent, reach } = makePhone(ana.first(0));
  const questionOfAna = client.getMyAccount();
  const renewalOfAna = await reach(1);
  const tokensOfEva = eva.first(0);
  await storage.set(tokensOfEva);
  const questionOfEva = client.getMyAccount();
  const renewalOfEva = await reach(2);
  assert.equal(renewalOfEva.what, `/v1/auth/refresh ${tokensOfEva.refresh}`);
  renewalOfAna.answer(ana.renewed());
  (await reach(3)).answer(Response.json({}));
  renewalOfEva.answer(eva.renewed());
  (await reach(4)).answer(Response.json({}));
  await Promise.all([questionOfAna, questionOfEva]);
  assert.deepEqual(
    sent.slice(2).map(({ what }) => what),
    ['/v1/me Bearer ana2', '/v1/me Bearer eva2'],
  );
  assert.equal((await storage.get())?.access, 'eva2');
});

test('all calls of a sign-in still share one renewal', LIMIT, async () => {
  const ana = makeSignIn('ana');
  const { client, sent, reach } = makePhone(ana.first());
  const questions = [client.getMyAccount(), client.getMyCard()];
  await reach(2);
  for (const { answer } of sent) answer(refused());
  (await reach(3)).answer(ana.renewed());
  await reach(5);
  for (const { answer } of sent.slice(3)) answer(Response.json({}));
  await Promise.all(questions);
  assert.equal(sent.length, 5);
});
