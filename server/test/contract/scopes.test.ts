/** Every call that takes an API key, with a key of each scope alone: it is served, or refused as the documents say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { sql } from '#db/database.ts';
import { DEFAULT_SCOPES, KEY_SCOPES, scopesOf, type KeyScope } from '#http/key-scopes.ts';
import { buildApp } from '../../src/app.ts';
import { call, SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

const { app, db } = await service();
const shop = await makeShop();
const keys = new Map<KeyScope, string>();
for (const scope of KEY_SCOPES)
  keys.set(scope, (await createKey(db, shop.id, scope, { scopes: [scope] })).key);

/** The scope that each call needs, and whether the contract has it. A call that is missing here fails the test: add a row for it. */
const NEEDS: Readonly<Record<string, readonly [KeyScope | 'any', 'contract' | 'extensions']>> = {
  'POST /v1/consumptions/client-code': ['purchases', 'contract'],
  'POST /v1/consumptions/email': ['purchases', 'contract'],
  'POST /v1/consumptions/preview': ['purchases', 'extensions'],
  'GET /v1/consumptions': ['read', 'extensions'],
  'GET /v1/consumptions/:consumption_id': ['read', 'extensions'],
  'POST /v1/consumptions/:consumption_id/confirmation': ['purchases', 'extensions'],
  'POST /v1/consumptions/:consumption_id/reversal': ['purchases', 'extensions'],
  'PUT /v1/orders/:external_id': ['orders', 'extensions'],
  'GET /v1/orders/:external_id': ['read', 'extensions'],
  'GET /v1/orders': ['read', 'extensions'],
  'POST /v1/orders/preview': ['purchases', 'extensions'],
  'GET /v1/exports/members': ['members', 'extensions'],
  'GET /v1/exports/movements': ['reports', 'extensions'],
  'GET /v1/events': ['events', 'extensions'],
  'GET /v1/events/snapshot': ['events', 'extensions'],
  'GET /v1/clients/list': ['read', 'contract'],
  'GET /v1/clients/:client_code': ['read', 'contract'],
  'POST /v1/clients/email': ['read', 'contract'],
  'GET /v1/clients/:client_code/standing': ['members', 'extensions'],
  'GET /v1/clients/:client_code/benefits': ['read', 'contract'],
  'GET /v1/clients/:client_code/benefits/past': ['read', 'extensions'],
  'GET /v1/benefits/list': ['any', 'contract'],
  'GET /v1/benefits/:benefit_id': ['any', 'contract'],
  'GET /v1/benefits/preview/:client_benefit_code': ['redeem', 'contract'],
  'GET /v2/benefits/preview/:client_benefit_code': ['redeem', 'contract'],
  'POST /v1/benefits/redeem': ['redeem', 'contract'],
  'POST /v1/benefits/holds': ['redeem', 'extensions'],
  'DELETE /v1/benefits/holds/:external_id': ['redeem', 'extensions'],
  'POST /v1/benefits/redemptions/:external_id/undo': ['undo', 'extensions'],
  'POST /v1/sessions': ['sign_in', 'extensions'],
};

test('every call that takes a key has its row', () => {
  const declared = app.routeTable
    .filter(({ config, method }) => config?.credential === 'key' && method !== 'HEAD')
    .map(({ method, url, config }) => [`${String(method)} ${url}`, [config!.scope, config!.document]]);
  assert.deepEqual(Object.fromEntries(declared), NEEDS);
});

for (const [name, [needed, document]] of Object.entries(NEEDS)) {
  test(`${name} is open to ${needed === 'any' ? 'every key' : `keys with the scope ${needed} alone`}`, async () => {
    const [method = '', pattern = ''] = name.split(' ');
    const path = pattern.replaceAll(/:\w+/g, '1');
    for (const [scope, key] of keys) {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await call(method, path, {
        headers,
        ...((method === 'POST' || method === 'PUT') && { body: {} }),
      });
      if (method === 'GET' && app.hasRoute({ method: 'HEAD', url: pattern })) {
        const head = await app.inject({ method: 'HEAD', url: path, headers });
        assert.equal(head.statusCode, answer.status, `HEAD with ${scope}`);
      }
      if (needed === 'any' || needed === scope) {
        assert.notEqual(answer.headers.get('x-error-code'), 'scope', scope);
        assert.ok(answer.status !== 401 && answer.status !== 403, `${scope}: ${answer.status}`);
        continue;
      }
      const isOfContract = document === 'contract';
      assert.equal(answer.status, isOfContract ? 401 : 403, scope);
      assert.equal(answer.headers.get('x-error-code'), 'scope');
      assert.equal(answer.headers.get('x-error-hint'), `The call needs a key with the scope "${needed}".`);
      assert.equal(answer.headers.get('www-authenticate'), isOfContract ? 'Bearer' : null);
      assert.deepEqual(Object.keys(answer.body as object), ['message']);
    }
  });
}

test('a key that was made without a choice, and one from before there were scopes, has all but what must be asked for', async () => {
  assert.deepEqual(
    KEY_SCOPES.filter((scope) => !DEFAULT_SCOPES.includes(scope)),
    ['undo', 'sign_in', 'adjust'],
  );
  const made = await createKey(db, shop.id, 'till');
  // As a release without scopes stores a key.
  const { rows } = await sql<{ scopes: string[] }>`
    insert into api_keys (hash, commerce_id, name, prefix)
    select sha256('of an older release'), commerce_id, name, prefix
      from api_keys where commerce_id = ${shop.id} and id = ${made.id}
    returning scopes`.execute(db);
  assert.deepEqual(rows, [{ scopes: DEFAULT_SCOPES }]);
  for (const [path, status] of [
    ['/v1/clients/list', 200],
    ['/v1/exports/members', 200],
    ['/v2/benefits/preview/1', 404],
  ] as const)
    assert.equal(
      (await call('GET', path, { headers: { authorization: `Bearer ${made.key}` } })).status,
      status,
    );
});

test('the words of a choice become scopes, each once, and default stands for its set', () => {
  assert.deepEqual(scopesOf(['redeem', 'read', 'redeem']), ['read', 'redeem']);
  assert.deepEqual(
    scopesOf(['undo', 'default']),
    KEY_SCOPES.filter((scope) => scope !== 'sign_in' && scope !== 'adjust'),
  );
});

test('a wrong key is told first, then the scope, and only then the rate limit and what was sent', async (t) => {
  const limited = await buildApp({
    db,
    log: false,
    secret: SECRET,
    rateLimits: { perKey: 1, perUser: 0, perNetwork: 0 },
  });
  t.after(() => limited.close());
  const ask = async (key: string, payload: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await limited.inject({ method: 'POST', url: '/v1/consumptions/email', headers, payload });
    return [answer.statusCode, answer.headers['x-error-code']];
  };
  const large = 'x'.repeat(70_000);
  const [reader, seller] = [keys.get('read')!, keys.get('purchases')!];
  assert.deepEqual(await ask(`${reader}x`, large), [401, 'wrong_credential']);
  // The limit lets two calls through, and a call that lacks the scope is none of them.
  for (let round = 0; round < 5; round++) assert.deepEqual(await ask(reader, large), [401, 'scope']);
  const told = [await ask(seller, large), await ask(seller, '{'), await ask(seller, large)];
  assert.deepEqual(told, [
    [413, 'body_too_large'],
    [422, 'not_json'],
    [429, 'rate_limited'],
  ]);
});
