import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { keepSockets } from './keep-sockets.ts';
import type { SocketNews } from './messages.ts';

/** Two processes that may have ten sockets of a network. */
function makeSockets() {
  const told: [number, SocketNews][] = [];
  const sockets = keepSockets(
    { total: 0, perNetwork: 10 },
    { processes: 2, tell: (process, news) => void told.push([process, news]) },
  );
  return {
    sockets,
    heard: async () => {
      await nextTurn();
      return told.splice(0);
    },
  };
}

test('processes hear of each other once a network has half of its limit, and when it has less again', async () => {
  const { sockets, heard } = makeSockets();
  sockets.changed(1, 'a', 4);
  assert.deepEqual(await heard(), []);
  sockets.changed(2, 'a', 2);
  assert.deepEqual(await heard(), [
    [1, { others: [['a', 2]], trim: [] }],
    [2, { others: [['a', 4]], trim: [] }],
  ]);
  sockets.forget(1);
  assert.deepEqual(await heard(), [
    [1, { others: [['a', 0]], trim: [] }],
    [2, { others: [['a', 0]], trim: [] }],
  ]);
});

test('what opened at the same moment is closed again in the process that has most, and asked for once', async () => {
  const { sockets, heard } = makeSockets();
  sockets.changed(1, 'a', 9);
  sockets.changed(2, 'a', 4);
  assert.deepEqual(
    (await heard()).map(([process, { trim }]) => [process, trim]),
    [
      [1, [['a', 3]]],
      [2, []],
    ],
  );
  sockets.changed(2, 'a', 1);
  assert.deepEqual((await heard())[0], [1, { others: [['a', 5]], trim: [['a', 1]] }]);
  sockets.changed(1, 'a', -4);
  sockets.trimmed('a', 3);
  sockets.trimmed('a', 1);
  assert.deepEqual((await heard())[0], [1, { others: [['a', 5]], trim: [] }]);
});
