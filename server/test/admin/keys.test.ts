import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { call, service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { makeStaff, makeStaffKey, type MadeStaff } from '#test/staff.ts';
import type { ApiKey, NewApiKey, IgnoredFields, ProblemCalls } from '../../../sdk/src/admin.ts';

const created = async (owner: MadeStaff, key: object) => (await owner.post('keys', key)).body as NewApiKey;
const keysOf = async (owner: MadeStaff) => (await owner.get('keys')).body as ApiKey[];
const callWith = async (key: string) =>
  (await call('GET', '/v1/clients/list', { headers: { authorization: `Bearer ${key}` } })).status;
const problemsOf = async (owner: MadeStaff, query = '') =>
  (await owner.get(`problem-calls${query}`)).body as ProblemCalls;

/** Lets the overlap of a key be over, as if its time had passed on the database's clock. */
async function endOverlap(shop: Shop, prefix: string): Promise<void> {
  const { db } = await service();
  await sql`update api_keys set ends_at = now() where commerce_id = ${shop.id} and prefix = ${prefix}`.execute(
    db,
  );
}

test('a replaced key works beside the new one until the overlap ends on the database’s clock, and then it is dead', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const old = await created(owner, { name: 'Online shop' });
  assert.match(old.key, /^lk_live_/);
  const rotated = await owner.post(`keys/${old.key_id}/rotation`, { overlap_hours: 2 });
  assert.equal(rotated.status, 201);
  const next = rotated.body as NewApiKey;
  assert.partialDeepStrictEqual(next, {
    name: 'Online shop',
    role: null,
    state: 'active',
    replaces_id: old.key_id,
  });
  const { rows } = await sql<{ hours: number }>`
    select (extract(epoch from ends_at - now()) / 3600)::float8 as hours from api_keys
     where commerce_id = ${shop.id} and ends_at is not null`.execute((await service()).db);
  assert.ok(rows[0]!.hours > 1.9 && rows[0]!.hours <= 2);
  const beside = await keysOf(owner);
  assert.deepEqual(
    beside.map(({ key_id, state, replaced_by_id }) => [key_id, state, replaced_by_id]).slice(0, 2),
    [
      [next.key_id, 'active', null],
      [old.key_id, 'ending', next.key_id],
    ],
  );
  assert.equal(await callWith(next.key), 200);
  await endOverlap(shop, old.prefix);
  assert.deepEqual([await callWith(old.key), await callWith(next.key)], [401, 200]);
  assert.equal((await keysOf(owner)).find(({ key_id }) => key_id === old.key_id)?.state, 'ended');
  const [problem] = (await problemsOf(owner)).results;
  assert.partialDeepStrictEqual(problem, { route: '/v1/clients/list', status: 401, key_name: 'Online shop' });
  assert.equal(
    problem?.key_id,
    old.key_id,
    'a call with a key that has ended is told apart from the new key’s',
  );
});

test('an owner chooses what a key may do; a replaced key hands it on, and the audit names it', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const key = await created(owner, { name: 'Kiosk', scopes: ['redeem', 'undo'] });
  assert.deepEqual(key.scopes, ['redeem', 'undo']);
  assert.equal(await callWith(key.key), 401);
  const next = (await owner.post(`keys/${key.key_id}/rotation`, {})).body as NewApiKey;
  assert.deepEqual(next.scopes, ['redeem', 'undo']);
  const plain = await created(owner, { name: 'Plain', scopes: ['default'] });
  assert.deepEqual(plain.scopes, (await created(owner, { name: 'Silent' })).scopes);
  assert.equal(await callWith(plain.key), 200);
  assert.equal((await created(owner, { name: 'Script', role: 'manager' })).scopes, null);
  const { rows } = await sql`
    select after -> 'scopes' as scopes from audit
     where commerce_id = ${shop.id} and action = 'key.create' order by id limit 1`.execute(
    (await service()).db,
  );
  assert.deepEqual(rows, [{ scopes: ['redeem', 'undo'] }]);
});

test('a scope that does not exist is a 422 with the one that is meant, and a key with a role has none', async () => {
  const owner = await makeStaff(await makeShop(), 'owner');
  const hintOf = async (key: object) => {
    const { status, headers } = await owner.post('keys', { name: 'x', ...key });
    return [status, headers.get('x-error-hint')] as const;
  };
  const [status, hint] = await hintOf({ scopes: ['read', 'purchase'] });
  assert.equal(status, 422);
  assert.match(hint!, /^"scopes\.1" must be 'default', 'read', .* Did you mean "purchases"\? /);
  assert.doesNotMatch((await hintOf({ scopes: ['everything'] }))[1]!, /Did you mean/);
  assert.deepEqual((await hintOf({ scopes: [] }))[0], 422);
  const withRole = await hintOf({ scopes: ['read'], role: 'owner' });
  assert.deepEqual(withRole, [
    422,
    'Leave out "scopes" for a key of the back office: its role says what it may do.',
  ]);
});

test('during the overlap both keys are accepted', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const old = await created(owner, { name: 'Till', role: 'cashier' });
  const next = (await owner.post(`keys/${old.key_id}/rotation`, {})).body as NewApiKey;
  const program = async ({ key }: NewApiKey) =>
    (await call('GET', '/admin/v1/program', { headers: { authorization: `Bearer ${key}` } })).status;
  assert.deepEqual([await program(old), await program(next)], [200, 200]);
  await endOverlap(shop, old.prefix);
  // A replaced key and its successor have different first characters with all but certainty.
  if (old.prefix !== next.prefix) assert.deepEqual([await program(old), await program(next)], [401, 200]);
});

test('twenty rotations of a key at once make one new key', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key_id: id } = await created(owner, { name: 'Raced' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => owner.post(`keys/${id}/rotation`, { overlap_hours: 1 })),
  );
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
  const refused = answers.find(({ status }) => status === 409)!;
  assert.equal(refused.headers.get('x-error-code'), 'key_ended');
  assert.equal((await keysOf(owner)).filter(({ name }) => name === 'Raced').length, 2);
});

test('a revoked key ends at once without a fresh code, and creating or replacing one needs it', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key_id: id, key } = await created(owner, { name: 'Leaked' });
  assert.equal(await callWith(key), 200);
  await owner.goStale();
  for (const [path, body] of [
    ['keys', { name: 'x' }],
    [`keys/${id}/rotation`, {}],
  ] as const) {
    const refused = await owner.post(path, body);
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [403, 'fresh_code_needed']);
  }
  assert.equal((await owner.post(`keys/${id}/revocation`)).status, 200);
  assert.equal(await callWith(key), 401);
  assert.equal(((await owner.post(`keys/${id}/revocation`)).body as ApiKey).state, 'ended');
  const { rows } = await sql`
    select action, subject from audit where commerce_id = ${shop.id} and action like 'key.%' order by id`.execute(
    (await service()).db,
  );
  const subject = key.slice(0, 12);
  assert.deepEqual(rows, [
    { action: 'key.create', subject },
    { action: 'key.revoke', subject },
  ]);
});

test('keys of another commerce do not exist, and a key of the back office makes no keys', async () => {
  const [shop, other] = [await makeShop(), await makeShop()];
  const [owner, stranger] = [await makeStaff(shop, 'owner'), await makeStaff(other, 'owner')];
  const { key_id: id } = await created(owner, { name: 'Mine' });
  assert.equal((await stranger.post(`keys/${id}/rotation`, {})).status, 404);
  assert.equal((await stranger.post(`keys/${id}/revocation`)).status, 404);
  assert.equal((await keysOf(owner)).find(({ name }) => name === 'Mine')?.state, 'active');
  const script = await makeStaffKey(shop, 'owner');
  assert.equal((await script.post('keys', { name: 'x' })).headers.get('x-error-code'), 'fresh_code_needed');
});

test('no row and no answer but the first holds a key', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key } = await created(owner, { name: 'Secret' });
  await call('GET', '/v1/clients/1', { headers: { authorization: `Bearer ${key}` } });
  const secret = key.slice(12);
  const texts = [
    (await owner.get('keys')).text,
    (await owner.get('problem-calls')).text,
    (await owner.get('audit')).text,
  ];
  assert.ok(texts.every((text) => !text.includes(secret)));
});

test('a failing call appears with its route, code and request id, and without what was sent', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key, key_id: id } = await created(owner, { name: 'Shop server' });
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'order-1042' };
  await call('GET', '/v1/clients/123456789', { headers });
  await call('POST', '/v1/consumptions/email', {
    headers,
    body: { client_email: 'eva@example.com', amount: 'much' },
  });
  await call('GET', '/v1/clients/list', { headers });
  const answer = await owner.get(`problem-calls?key_id=${id}`);
  const { results, next_cursor: next } = answer.body as ProblemCalls;
  assert.deepEqual(
    results.map(({ key_id, ...rest }) => [key_id === id, { ...rest, at: '' }]),
    [
      [
        true,
        {
          method: 'POST',
          route: '/v1/consumptions/email',
          status: 422,
          code: 'invalid',
          request_id: 'order-1042',
          at: '',
          key_name: 'Shop server',
        },
      ],
      [
        true,
        {
          method: 'GET',
          route: '/v1/clients/:client_code',
          status: 404,
          code: 'not_found',
          request_id: 'order-1042',
          at: '',
          key_name: 'Shop server',
        },
      ],
    ],
  );
  assert.equal(next, null);
  for (const sent of ['123456789', 'eva@', 'much', '127.0.0.1']) assert.ok(!answer.text.includes(sent), sent);
  const used = (await keysOf(owner)).find(({ key_id }) => key_id === id)!;
  assert.ok(used.last_used_at !== null);
});

test('what calls sent in vain is counted for each key, by name and without values', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const member = await shop.member();
  const { key, key_id: id } = await created(owner, { name: 'Web shop' });
  const other = await created(owner, { name: 'Till' });
  const headers = { authorization: `Bearer ${key}`, 'idempotence-key': 'order-1042' };
  const body = { client_code: member.code, amount: 5, externalId: 'A-7', [member.email]: 1 };
  const sell = () => call('POST', '/v1/consumptions/client-code', { headers, body });
  for (let i = 0; i < 3; i++) assert.equal((await sell()).status, 201);
  const list = async (query = '') => owner.get(`ignored-fields${query}`);
  const first = await list(`?key_id=${id}`);
  await sell();
  await call('GET', '/v1/clients/list?limt=5', { headers: { authorization: `Bearer ${other.key}` } });
  const { results } = (await list()).body as IgnoredFields;
  assert.deepEqual(
    results
      .map(({ key_name, method, route, name, calls }) => [key_name, method, route, name, calls].join(' '))
      .toSorted(),
    [
      'Till GET /v1/clients/list query.limt 1',
      'Web shop POST /v1/consumptions/client-code body.? 4',
      'Web shop POST /v1/consumptions/client-code body.externalId 4',
      'Web shop POST /v1/consumptions/client-code header.idempotence-key 4',
    ],
  );
  assert.deepEqual(
    (first.body as IgnoredFields).results.map(({ key_id, calls }) => [key_id, calls]),
    [
      [id, 3],
      [id, 3],
      [id, 3],
    ],
  );
  for (const sent of ['order-1042', 'A-7', member.email]) assert.ok(!first.text.includes(sent), sent);
  const stranger = await makeStaff(await makeShop(), 'owner');
  assert.deepEqual((await stranger.get('ignored-fields')).body, { results: [] });
  assert.ok(!(await stranger.get(`ignored-fields?key_id=${id}`)).text.includes('externalId'));
});

test('a key that sends ever new names leaves at most 100 of them, and known ones are still counted', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key } = await created(owner, { name: 'Odd' });
  const headers = { authorization: `Bearer ${key}` };
  const send = (name: string) => call('GET', `/v1/clients/list?${name}=1`, { headers });
  const stored = async () => {
    await owner.get('ignored-fields');
    const { rows } = await sql<{ name: string; calls: number }>`
      select name, calls from ignored_fields where commerce_id = ${shop.id}`.execute(db);
    return rows;
  };
  await send('known');
  assert.equal((await stored()).length, 1);
  for (let round = 0; round < 2; round++) {
    await Promise.all(Array.from({ length: 150 }, (_, i) => send(`odd${round}x${i}`)));
    await send('known');
  }
  const rows = await stored();
  assert.ok(rows.length > 50 && rows.length <= 100, `${rows.length} names`);
  assert.equal(rows.find(({ name }) => name === 'query.known')?.calls, 3);
});

test('a flood of failing calls leaves a bounded number of them, newest first, page by page', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key, key_id: id } = await created(owner, { name: 'Broken' });
  const fail = () => call('GET', '/v1/clients/1', { headers: { authorization: `Bearer ${key}` } });
  const began = performance.now();
  await Promise.all(Array.from({ length: 200 }, fail));
  await owner.get('keys');
  const count = async () =>
    (
      await sql<{ count: number }>`
        select count(*) from problem_calls where commerce_id = ${shop.id}`.execute(db)
    ).rows[0]!.count;
  const first = await count();
  // A process writes every five seconds, and once more for the page above.
  const writes = Math.floor((performance.now() - began) / 5_000) + 2;
  assert.ok(first >= 50 && first <= 50 * writes, `${first} of 200 calls, in at most ${writes} writes`);
  await sql`
    insert into problem_calls (commerce_id, at, key_id, method, route, status, request_id)
    select p.commerce_id, now(), p.key_id, 'GET', '/v1/clients/list', 500, n::text
      from (select * from problem_calls where commerce_id = ${shop.id} limit 1) p, generate_series(1, 1100) n`.execute(
    db,
  );
  await fail();
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: ProblemCalls = await problemsOf(
      owner,
      `?key_id=${id}${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    seen.push(...page.results.map(({ request_id }) => request_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual([await count(), seen.length, new Set(seen).size, seen[1]], [1_000, 1_000, 1_000, '1100']);
});

test('two hundred calls of a key write its last use once, and no row that the calls read', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  const { key, key_id: id } = await created(owner, { name: 'Busy' });
  const versions = async () =>
    (
      await sql<{ used: string; read: string }>`
        select u.xmin::text as used, k.xmin::text as read
          from api_keys k join api_key_uses u on u.commerce_id = k.commerce_id and u.key_id = k.id
         where k.commerce_id = ${shop.id} and k.prefix = ${key.slice(0, 12)}`.execute(db)
    ).rows[0];
  await callWith(key);
  await keysOf(owner);
  const before = await versions();
  assert.ok(before !== undefined);
  await Promise.all(Array.from({ length: 200 }, () => callWith(key)));
  await keysOf(owner);
  assert.deepEqual(await versions(), before, 'within half a minute of the last write');
  await sql`update api_key_uses set last_used_at = now() - interval '1 hour' where commerce_id = ${shop.id}`.execute(
    db,
  );
  await callWith(key);
  const used = (await keysOf(owner)).find(({ key_id }) => key_id === id)!.last_used_at!;
  assert.ok(Date.now() - Date.parse(used) < 60_000, used);
});
