import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLine } from './line.ts';

const stays = new AbortController().signal;

test('those who wait go in as they came, and hear their place whenever it changes', async () => {
  const line = createLine(1, 3);
  const heard: string[] = [];
  const enter = (name: string, signal = stays) =>
    line
      .enter(signal, (place) => heard.push(`${name} ${place}`))
      .then((isIn) => heard.push(`${name} ${isIn ? 'in' : 'away'}`));
  const leaving = new AbortController();
  await enter('ana');
  const rest = [enter('bea'), enter('carla', leaving.signal), enter('dora')];
  assert.ok(line.isFull());
  leaving.abort();
  await rest[1];
  assert.ok(!line.isFull());
  line.out();
  await rest[0];
  line.out();
  await rest[2];
  assert.deepEqual(heard, [
    'ana in',
    'bea 1',
    'carla 2',
    'dora 3',
    'bea 1',
    'dora 2',
    'carla away',
    'dora 1',
    'bea in',
    'dora in',
  ]);
  line.out();
  await enter('ana');
  assert.equal(heard.at(-1), 'ana in', 'all places are free again');
});

test('who has left already takes no place', async () => {
  const line = createLine(1, 1);
  assert.equal(await line.enter(AbortSignal.abort(), () => assert.fail('it need not wait')), false);
  assert.equal(await line.enter(stays, () => assert.fail('it need not wait')), true);
});
