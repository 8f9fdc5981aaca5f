/** Every published path, with every method: what is there, what is not, and that each hint names what exists. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

const { app } = await service();
const shop = await makeShop();
const headers = { authorization: `Bearer ${shop.key}` };

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const ID = '482915374';
const MAY_BE_IDS = new Set(['GET /v1/benefits/holds', 'GET /v1/orders/preview', 'PUT /v1/orders/preview']);

const published = new Map<string, Set<string>>();
for (const url of ['/openapi.json', '/openapi-extensions.json']) {
  const { paths } = (await app.inject({ url })).json<{ paths: Record<string, object> }>();
  for (const [path, operations] of Object.entries(paths)) {
    const methods = published.get(path) ?? new Set();
    for (const method of Object.keys(operations)) methods.add(method.toUpperCase());
    published.set(path, methods);
  }
}
const wrongCalls = [...published].flatMap(([path, methods]) =>
  METHODS.filter((method) => !methods.has(method))
    // A benefit may have the id `holds`, and an order the id `preview`.
    .filter((method) => !MAY_BE_IDS.has(`${method} ${path}`))
    .map((method) => ({ method, path, methods })),
);

async function ask(method: (typeof METHODS)[number], url: string) {
  const { statusCode, body, headers: answered } = await app.inject({ method, url, headers });
  return { statusCode, body, allow: answered.allow, hint: String(answered['x-error-hint'] ?? '') };
}

/** Asserts that every path in this text is published, with the method that stands before it, or a page that is there. */
async function assertNamesWhatExists(text: string, sent: string): Promise<void> {
  for (const [, method, path] of text.matchAll(/(?:\b([A-Z]{3,6}) )?(\/[a-z]\w*(?:[-/]\{?\w+\}?|\.md)*)/g)) {
    const methods = published.get(path!);
    if (methods === undefined)
      assert.equal((await app.inject({ url: path! })).statusCode, 200, `${sent}: ${text}`);
    else assert.ok(method === undefined || methods.has(method), `${sent}: ${text}`);
  }
}

test('a published path with a method that it does not have is a 405 with exactly its methods, also where another path has an id', async () => {
  assert.ok(wrongCalls.length > 100, 'the documents were read');
  for (const { method, path, methods } of wrongCalls) {
    const sent = `${method} ${path}`;
    const { statusCode, body, allow, hint } = await ask(method, path.replaceAll(/\{\w+\}/g, ID));
    assert.deepEqual([statusCode, Object.keys(JSON.parse(body) as object)], [405, ['message']], sent);
    const allowed = String(allow).split(', ');
    assert.deepEqual(
      allowed.filter((one) => one !== 'HEAD' && one !== 'OPTIONS').toSorted(),
      [...methods].toSorted(),
      sent,
    );
    await assertNamesWhatExists(`${body} ${hint}`, sent);
  }
});

test('a path beside a published one is a 404 or a 405, and its hint names only what exists', async () => {
  const besides = (path: string) => [
    path.replace(/^\/v\d/, '/v3'),
    path.replace(/^\/v\d/, ''),
    `${path}/more`,
    `${path}s`,
    path.replace(/s?$/, 'x'),
  ];
  const others = ['refunds', 'coupons', 'webhooks', 'orders', 'rewards', 'members'].flatMap((word) => [
    `/v1/${word}`,
    `/v1/${word}/${ID}`,
  ]);
  let hints = 0;
  for (const path of [...published.keys()].flatMap(besides).concat(others)) {
    for (const method of METHODS) {
      const sent = `${method} ${path}`;
      const { statusCode, body, hint } = await ask(method, path.replaceAll(/\{\w+\}/g, ID));
      if (statusCode !== 404 && statusCode !== 405) continue;
      if (body.includes('did you mean')) hints += 1;
      await assertNamesWhatExists(`${body} ${hint}`, sent);
    }
  }
  assert.ok(hints > 100, 'hints were read');
});

test('a fixed path that another path’s id could be is refused for whom has a key as well', async () => {
  for (const path of ['/v1/benefits/redeem', '/v1/clients/email', '/v1/consumptions/email']) {
    const { statusCode, allow, body } = await ask('GET', path);
    assert.deepEqual(
      [statusCode, allow, JSON.parse(body)],
      [405, 'POST, OPTIONS', { message: 'GET is not allowed here: send POST' }],
      path,
    );
  }
});
