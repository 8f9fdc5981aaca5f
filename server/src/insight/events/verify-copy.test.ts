import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readable } from 'node:stream';
import { sealLedger } from '#seals/seal-ledger.ts';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { verifyCopy } from './verify-copy.ts';

const movement = (id: number, index: number | null) => ({
  id: `evt_${id}`,
  type: 'purchase.recorded',
  data: { movement_id: id, points: 1 },
  sealed: index === null ? null : { index },
});
const happening = (id: number) => ({ id: `evt_${id}`, type: 'member.joined', data: {}, sealed: null });
const start = (movements: number) => ({ type: 'start', movements });
const verify = (lines: readonly object[]) =>
  verifyCopy(Readable.from(lines.map((line) => JSON.stringify(line))));

test('a whole copy is proven up to its last place, from the first event or from a snapshot', async () => {
  const copies: [lines: object[], movements: number, provenTo: number][] = [
    [[], 0, 0],
    [[happening(1), movement(2, 0), movement(3, null), movement(4, 2), movement(5, null)], 4, 3],
    [[start(7), { type: 'member' }, { type: 'end' }, movement(1, 7), happening(2), movement(3, 8)], 9, 9],
    // Two movements that were being written when the snapshot was taken, below others that are in it.
    [[start(7), movement(1, 4), movement(2, 6), movement(3, 9)], 10, 10],
    [[movement(2, null), movement(3, null)], 2, 0],
  ];
  for (const [lines, movements, provenTo] of copies) {
    const verified = await verify(lines);
    assert.deepEqual([verified.faults, verified.movements, verified.provenTo], [[], movements, provenTo]);
  }
});

test('a movement that is missing, one that is there twice and a changed order are found', async () => {
  const copies: [lines: object[], says: string][] = [
    [[movement(2, 0), movement(4, 2)], '1 movements before evt_4 are missing'],
    [[movement(2, null), movement(5, 3)], '2 movements before evt_5 are missing'],
    [[movement(2, 0), movement(2, 0)], 'evt_2 is there twice'],
    [[movement(2, 0), movement(4, 2), movement(3, 1)], '1 movements before evt_4 are missing'],
    [[movement(2, 0), movement(3, 0)], 'evt_3 is not in the order of the feed'],
    [[start(7), movement(2, 8)], '1 movements before evt_2 are missing'],
    [[movement(2, 0), start(7)], 'a snapshot begins in the middle of the copy'],
    [[{ a: 1 }], 'neither an event nor a line of a snapshot'],
  ];
  for (const [lines, says] of copies) assert.equal((await verify(lines)).faults[0]?.says, says);
});

test('a real copy is whole, and without any one of its movements it is not', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const member = await shop.member();
  for (let i = 0; i < 5; i++) await shop.sell(member, 3);
  await sealLedger(db, shop.id);
  const { events } = (await shop.get('/v1/events')).body as { events: { data: object }[] };
  assert.deepEqual((await verify(events)).faults, []);
  const movements = events.filter(({ data }) => 'movement_id' in data);
  assert.equal(movements.length, 5);
  for (const lost of movements.slice(0, -1)) {
    const { faults } = await verify(events.filter((event) => event !== lost));
    assert.equal(faults.length, movements.length - 1 - movements.indexOf(lost));
  }
});
