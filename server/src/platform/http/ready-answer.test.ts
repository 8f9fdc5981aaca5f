import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { keepAnswers } from './ready-answer.ts';
import { toyServer } from '#test/http/toy-server.ts';

/** A server that counts how often it builds each response. Each response has padding and a secret field. */
async function countingServer(mostBytes?: number) {
  const app = await toyServer();
  const sendReady = keepAnswers(mostBytes);
  const made: string[] = [];
  app.get(
    '/ready/:name',
    {
      schema: {
        params: Type.Object({ name: Type.String() }),
        response: { 200: Type.Object({ name: Type.String(), padding: Type.String() }) },
      },
      config: { credential: 'none', cacheControl: 'no-cache' },
    },
    async (request, reply) =>
      sendReady(reply, request.params.name, () => {
        made.push(request.params.name);
        return { name: request.params.name, padding: '·'.repeat(100), secret: 'of the shop' };
      }),
  );
  return {
    app,
    made,
    ask: (name: string, tag?: string) =>
      app.inject({ url: `/ready/${name}`, headers: tag === undefined ? {} : { 'if-none-match': tag } }),
  };
}

test('a response is built once, with the route’s schema, and repeated with the same bytes and ETag', async () => {
  const { app, made, ask } = await countingServer();
  const [first, second] = [await ask('a'), await ask('a')];
  assert.deepEqual(made, ['a']);
  assert.deepEqual(first.json(), { name: 'a', padding: '·'.repeat(100) });
  assert.equal(first.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(first.headers['content-length'], String(first.rawPayload.length));
  assert.ok(first.rawPayload.equals(second.rawPayload));
  assert.match(String(first.headers['etag']), /^"[\w-]{22}"$/);
  assert.equal(second.headers['etag'], first.headers['etag']);
  assert.notEqual((await ask('b')).headers['etag'], first.headers['etag']);
  await app.close();
});

test('the memory is bounded, and a dropped response is rebuilt byte for byte', async () => {
  const { app, made, ask } = await countingServer(1_000);
  const first = await ask('a');
  for (const name of ['b', 'c', 'd', 'e']) await ask(name);
  const again = await ask('a');
  assert.deepEqual(made, ['a', 'b', 'c', 'd', 'e', 'a']);
  assert.deepEqual([again.body, again.headers['etag']], [first.body, first.headers['etag']]);
  await app.close();
});

test('a caller that has the response gets a 304, with any notation of the tag', async () => {
  const { app, ask } = await countingServer();
  const { headers } = await ask('a');
  const tag = String(headers['etag']);
  for (const said of [tag, `W/${tag}`, `"x", ${tag}`, `W/"x","a,b" ,W/${tag}, "y"`, '*', ' * ']) {
    const answer = await ask('a', said);
    assert.deepEqual([answer.statusCode, answer.body, answer.headers['etag']], [304, '', tag], said);
    assert.equal(answer.headers['cache-control'], 'no-cache');
    for (const name of ['content-type', 'content-length']) assert.equal(answer.headers[name], undefined);
  }
  const other = String((await ask('b')).headers['etag']);
  for (const said of ['', '"', '""', other, tag.slice(1, -1), tag.slice(0, -1), tag.toUpperCase(), '"*"'])
    assert.equal((await ask('a', said)).statusCode, 200, said);
  await app.close();
});

test('a HEAD is answered like its GET, without the body', async () => {
  const { app, ask } = await countingServer();
  const first = await app.inject({ method: 'HEAD', url: '/ready/a' });
  const get = await ask('a');
  assert.deepEqual([first.headers['etag'], get.json()['padding']], [get.headers['etag'], '·'.repeat(100)]);
  const tag = String(get.headers['etag']);
  for (const [said, status] of [
    ['"x"', 200],
    [tag, 304],
  ] as const) {
    const head = await app.inject({ method: 'HEAD', url: '/ready/a', headers: { 'if-none-match': said } });
    assert.deepEqual([head.statusCode, head.body], [status, '']);
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
      assert.equal(head.headers[name], get.headers[name], name);
  }
  await app.close();
});
