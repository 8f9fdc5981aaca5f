/** Two services in one process, each on a database of its own, with the same ids and codes for other things. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createKey, revokeAllKeys } from '#commerces/api-keys.ts';
import { closeCommerce } from '#commerces/close-commerce.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { checkProgram } from '#program/check-program.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { createAccessTokens } from '#sign-in/access-token.ts';
import { buildApp } from '../src/app.ts';
import { anotherDatabase, onEnd, testDatabase } from './database.ts';
import { benefit } from './make.ts';
import type { SecretKeys } from '../src/platform/settings/secret-key.ts';

const CODE = 482915374;

interface Service {
  readonly db: Database;
  readonly commerceId: number;
  /** Commerces without a shop's key. */
  readonly visit: (path: string) => Promise<{ status: number; body: unknown }>;
  readonly sell: (amount: number, key?: string) => Promise<number>;
  readonly balance: (key?: string) => Promise<number>;
  readonly me: (token?: string) => Promise<number>;
  readonly key: string;
  readonly token: string;
}

async function startService(db: Database, name: string, moneyPerPoint: number): Promise<Service> {
  const secret: SecretKeys = [`the secret of the service ${name}, long enough`];
  const app = await buildApp({ db, log: false, secret });
  onEnd(() => app.close());
  const checked = checkProgram({
    slug: 'twin',
    name,
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: moneyPerPoint },
    benefits: [benefit(`only-${name}`)],
  });
  assert.ok(checked.ok);
  const { commerceId } = await applyProgram(db, checked.program);
  const { key } = await createKey(db, commerceId!, 'till');
  const { userId, memberId } = await transaction(db, (tx) =>
    enrolMember(tx, commerceId!, `eva@${name}.example`),
  );
  await sql`update members set code = ${CODE} where commerce_id = ${commerceId} and id = ${memberId}`.execute(
    db,
  );
  const { rows } = await sql<{ id: number }>`
    insert into sessions (handle, user_id, commerce_id, ends_at)
    values (${randomBytes(16)}, ${userId}, ${commerceId}, now() + interval '1 day')
    returning id`.execute(db);
  const owner = { userId, sessionId: rows[0]!.id, commerceId: commerceId! };
  const token = await createAccessTokens(secret).issue(owner, new Date());

  const send = async (
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string>,
    payload?: object,
  ) => {
    const { statusCode: status, body } = await app.inject({
      method,
      url,
      headers,
      ...(payload && { payload }),
    });
    return { status, body: JSON.parse(body) as unknown };
  };
  const by = (credential: string) => ({ authorization: `Bearer ${credential}` });
  const here = { 'x-commerce-id': String(commerceId) };
  return {
    db,
    commerceId: commerceId!,
    key,
    token,
    visit: (path) => send('GET', path, here),
    sell: async (amount, with_ = key) =>
      (await send('POST', '/v1/consumptions/client-code', by(with_), { client_code: CODE, amount })).status,
    balance: async (with_ = key) =>
      ((await send('GET', `/v1/clients/${CODE}`, by(with_))).body as { points: number }).points,
    me: async (with_ = token) => (await send('GET', '/v1/me', { ...here, ...by(with_) })).status,
  };
}

test('two services in one process do not meet: programs, keys, tokens, shops that close', async () => {
  const [a, b] = await Promise.all([
    startService(await testDatabase(), 'a', 1),
    startService(await anotherDatabase(), 'b', 10),
  ]);
  assert.equal(a.commerceId, b.commerceId);

  for (let round = 1; round <= 20; round++) {
    const sold = await Promise.all([a.sell(100), b.sell(100), b.sell(100), a.sell(100)]);
    assert.deepEqual(sold, [201, 201, 201, 201]);
    assert.deepEqual(await Promise.all([a.balance(), b.balance()]), [200 * round, 20 * round]);
    const catalogs = await Promise.all([a, b].map((one) => one.visit('/v1/public/benefits')));
    assert.deepEqual(
      catalogs.map(({ body }) => (body as { id: string }[]).map(({ id }) => id)),
      [['only-a'], ['only-b']],
    );
    assert.deepEqual(await Promise.all([a.me(), b.me(), a.me(b.token), b.me(a.token)]), [200, 200, 401, 401]);
    assert.deepEqual(await Promise.all([a.sell(1, b.key), b.sell(1, a.key)]), [401, 401]);
  }

  await revokeAllKeys(a.db, a.commerceId);
  assert.deepEqual(await Promise.all([a.sell(100), b.sell(100)]), [401, 201]);
  await closeCommerce(b.db, b.commerceId);
  const shops = await Promise.all([a, b].map((one) => one.visit('/v1/public/commerce')));
  assert.deepEqual(
    shops.map(({ status }) => status),
    [200, 404],
  );
});
