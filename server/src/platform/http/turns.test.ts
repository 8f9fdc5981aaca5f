import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createCaps } from '#base/caps.ts';
import { createServer, type App } from './server.ts';
import { takeTurns, type Turn } from './turns.ts';

/** A server with routes whose handlers stay open until the test ends them. */
async function heldServer(connections: number, routes: Record<string, Turn>) {
  const caps = createCaps();
  const app = await createServer({
    log: false,
    lookups: {
      key: (token) => ({ commerceId: Number(token), scopes: [] }),
      user: (token) => ({ userId: Number(token), onlyAt: null }),
      commerce: (id) => ({ id }),
      staffSession: () => null,
      staffKey: () => null,
    },
  });
  takeTurns(app, { connections, caps, longestWaitMs: 60_000 });
  const open: { name: string; end: () => void }[] = [];
  let isHolding = true;
  for (const [path, turn] of Object.entries(routes)) {
    const credential = path.startsWith('/me') ? 'user' : 'key';
    app.get(
      path,
      { config: { credential, turn, ...(credential === 'key' && { scope: 'any' }) } },
      async (request) => {
        const name = `${request.commerceId}${request.url}`;
        if (isHolding) await new Promise<void>((resolve) => open.push({ name, end: resolve }));
        return {};
      },
    );
  }
  await app.ready();
  const call = (commerceId: number, url: string, remoteAddress = '127.0.0.1') =>
    app
      .inject({
        url,
        headers: { authorization: `Bearer ${commerceId}`, 'x-commerce-id': '1' },
        remoteAddress,
      })
      .then((answer) => answer.statusCode);
  const endAll = () => {
    isHolding = false;
    for (const { end } of open) end();
  };
  return { endAll, caps, open, call, names: () => open.map(({ name }) => name) };
}

/** Patience until every call that has been made is held or waits. They wait for nothing but turns of the event loop. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 100; turns++) await setImmediate();
}

const byRow: Turn = { write: (request) => request.url };

test('calls for one row go one after the other, and never hold two connections', async () => {
  const { call, open, names, endAll } = await heldServer(10, { '/row/1': byRow, '/row/2': byRow });
  const calls = [call(1, '/row/1'), call(1, '/row/1'), call(1, '/row/2'), call(2, '/row/1')];
  await settled();
  assert.deepEqual(names(), ['1/row/1', '1/row/2', '2/row/1']);
  open[0]!.end();
  await settled();
  assert.equal(names().at(-1), '1/row/1');
  endAll();
  assert.deepEqual(await Promise.all(calls), [200, 200, 200, 200]);
});

test('a commerce has few connections for writes, and all writes together leave the others free', async () => {
  const rows = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`/row/${i}`, byRow]));
  const { call, names, endAll } = await heldServer(10, { ...rows, '/read': 'read', '/memory': 'none' });
  const calls = Object.keys(rows).flatMap((url) => [call(1, url), call(2, url)]);
  await settled();
  assert.equal(names().length, 4);
  assert.ok(names().filter((name) => name.startsWith('1')).length <= 3);
  calls.push(call(1, '/read'), call(1, '/memory'));
  await settled();
  assert.deepEqual(names().slice(4), ['1/read', '1/memory']);
  endAll();
  assert.ok((await Promise.all(calls)).every((status) => status === 200));
});

test('all reads together take the connections, and the others wait in memory', async () => {
  const { call, names, endAll } = await heldServer(4, { '/read': 'read' });
  const calls = [1, 2, 3, 4].flatMap((commerceId) => [call(commerceId, '/read'), call(commerceId, '/read')]);
  await settled();
  assert.equal(names().length, 4);
  endAll();
  assert.ok((await Promise.all(calls)).every((status) => status === 200));
});

test('members do not hold up the till of their own shop', async () => {
  const { call, names, endAll } = await heldServer(10, {
    '/me': { write: ({ userId }) => `${userId}` },
    '/till': byRow,
  });
  const calls = Array.from({ length: 50 }, (_, i) => call(i + 1, '/me'));
  await settled();
  assert.deepEqual(names(), ['1/me', '1/me', '1/me']);
  calls.push(call(1, '/till'));
  await settled();
  assert.equal(names().at(-1), '1/till');
  endAll();
  assert.ok((await Promise.all(calls)).every((status) => status === 200));
});

test('all networks of a /48 have one place in the line for sign-in, and sessions have a line of their own', async () => {
  const { call, names, endAll } = await heldServer(10, {
    '/ask': { signIn: ({ ip }) => ip },
    '/refresh': { session: ({ ip }) => `session ${ip}` },
  });
  const calls = Array.from({ length: 50 }, (_, i) => call(1, '/ask', `2001:db8:7:${i}::1`));
  await settled();
  assert.deepEqual(names(), ['1/ask']);
  calls.push(call(2, '/ask', '203.0.113.7'), call(3, '/refresh', '2001:db8:7:1::1'));
  await settled();
  assert.deepEqual(names(), ['1/ask', '2/ask', '3/refresh']);
  endAll();
  assert.ok((await Promise.all(calls)).every((status) => status === 200));
});

test('a commerce with too many waiting calls gets a 503, which is counted, and nobody else does', async () => {
  const { call, endAll, caps } = await heldServer(10, { '/row': byRow });
  const calls = Array.from({ length: 600 }, () => call(1, '/row'));
  const other = call(2, '/row');
  await settled();
  assert.equal(caps.counts().get('calls-of-a-commerce'), 99);
  endAll();
  assert.equal(await other, 200);
  assert.equal((await Promise.all(calls)).filter((status) => status === 503).length, 99);
});

test('the server does not start if a route declares no turn', async () => {
  const app: App = await createServer({
    log: false,
    lookups: {
      key: () => null,
      user: () => null,
      commerce: () => null,
      staffSession: () => null,
      staffKey: () => null,
    },
  });
  takeTurns(app, { connections: 10, caps: createCaps(), longestWaitMs: 60_000 });
  app.get('/open', { config: { credential: 'none' } }, () => ({}));
  await assert.rejects(Promise.resolve(app.ready()), /declare no turn: GET \/open/);
});
