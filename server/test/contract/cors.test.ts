import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';

const { app } = await service();
const PAGE = 'https://luna.example';

/** Returns every route that declares one of these credentials, with a path that leads to it. */
function routesFor(...credentials: string[]): [method: string, path: string][] {
  return app.routeTable
    .filter((route) => credentials.includes(route.config?.credential ?? ''))
    .flatMap((route) =>
      [route.method].flat().map((method): [string, string] => [method, route.url.replaceAll(/:\w+/g, '1')]),
    )
    .filter(([method]) => method !== 'HEAD' && method !== 'OPTIONS');
}

/** Sends the preflight request that a browser makes before the call. */
function ask(method: string, url: string) {
  const headers = {
    origin: PAGE,
    'access-control-request-method': method,
    'access-control-request-headers':
      'authorization,content-type,idempotency-key,if-none-match,x-commerce-id',
  };
  return app.inject({ method: 'OPTIONS', url, headers });
}

function listed(header: unknown): string[] {
  return String(header)
    .toLowerCase()
    .split(/\s*,\s*/);
}

test('a page of any origin may make every call of a member, with all its headers', async () => {
  const open = routesFor('user', 'header');
  assert.ok(open.length >= 17);
  for (const [method, path] of open) {
    const { statusCode, headers } = await ask(method, path);
    assert.deepEqual([statusCode, headers['access-control-allow-origin']], [204, '*'], `${method} ${path}`);
    assert.ok(listed(headers['access-control-allow-methods']).includes(method.toLowerCase()), path);
    for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'x-commerce-id'])
      assert.ok(listed(headers['access-control-allow-headers']).includes(name), `${path} ${name}`);
    assert.equal(headers['access-control-allow-credentials'], undefined);

    // The page must be able to read the error of the call itself, too.
    const refused = await app.inject({ method: method as 'GET', url: path, headers: { origin: PAGE } });
    assert.ok([401, 422].includes(refused.statusCode), `${method} ${path} ${refused.statusCode}`);
    assert.equal(refused.headers['access-control-allow-origin'], '*');
  }
});

test('a page must not make calls that take an API key, so that a key in a frontend fails at once', async () => {
  const closed = routesFor('key');
  assert.ok(closed.length >= 13);
  for (const [method, path] of closed) {
    const asked = await ask(method, path);
    const called = await app.inject({ method: method as 'GET', url: path, headers: { origin: PAGE } });
    for (const { headers } of [asked, called])
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control-')),
        [],
        `${method} ${path}`,
      );
  }
});
