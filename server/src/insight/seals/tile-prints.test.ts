import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { HASH, TILE } from './merkle-tree.ts';
import { addTileSums, createTileComparison, createTileCounts, PRINT_KEY } from './tile-prints.ts';

/** Movements with ids from 1 on, in tiles. */
const SIZE = 5_000;
const hashes = Array.from({ length: SIZE }, (_, i) => hash('sha256', String(i), 'latin1'));
const tiles = Array.from({ length: Math.ceil(SIZE / TILE) }, (_, i) =>
  hashes.slice(i * TILE, (i + 1) * TILE),
);
const ends = tiles.map((tile, i) => i * TILE + tile.length);

test('a tile is right if it has the hashes of its movements, in whatever order they come and among how many parts', () => {
  const shuffled = ids().toSorted((a, b) => ((a * 7919) % SIZE) - ((b * 7919) % SIZE));
  assert.deepEqual(wrongTiles([shuffled]), []);
  assert.deepEqual(wrongTiles([shuffled.slice(0, 1234), [], shuffled.slice(1234)]), []);
});

test('a movement that is missing, there twice or has another hash makes its tile wrong, and no other', () => {
  const id = 700;
  assert.deepEqual(wrongTiles([ids().filter((one) => one !== id)]), [2]);
  assert.deepEqual(wrongTiles([[...ids(), id]]), [2]);
  assert.deepEqual(
    wrongTiles([ids()], (one) => hashes[(one === id ? 9 : one) - 1]!),
    [2],
  );
});

test('movements of two tiles that have changed places make both wrong', () => {
  const swapped = (one: number) => hashes[({ 10: 400, 400: 10 }[one] ?? one) - 1]!;
  assert.deepEqual(wrongTiles([ids()], swapped), [0, 1]);
});

test('any bit of a hash counts', () => {
  for (let bit = 0; bit < HASH * 8; bit++) {
    const other = Buffer.from(hashes[0]!, 'latin1');
    other[bit >> 3]! ^= 1 << (bit & 7);
    const changed = (one: number) => (one === 1 ? other.toString('latin1') : hashes[one - 1]!);
    assert.ok(wrongTiles([ids().slice(0, TILE)], changed).includes(0), `bit ${bit}`);
  }
});

test('a tile that was cut is wrong, and the tiles after it are still compared', () => {
  const cut = [tiles[0]!.join('').slice(0, -1), ...tiles.slice(1).map((tile) => tile.join(''))];
  const count = createTileCounts(Buffer.alloc(PRINT_KEY))(ends);
  for (const id of ids()) count.add(id, hashes[id - 1]!);
  const isRight = createTileComparison({ key: Buffer.alloc(PRINT_KEY), sums: count.sums() });
  assert.deepEqual(
    cut.map((tile, i) => isRight(i, Buffer.from(tile, 'latin1'))),
    cut.map((_, i) => i > 0),
  );
});

function ids(): number[] {
  return Array.from({ length: SIZE }, (_, i) => i + 1);
}

/** Returns the tiles that do not have the hashes of these movements. */
function wrongTiles(parts: readonly number[][], hashOf = (id: number) => hashes[id - 1]!): number[] {
  const key = randomBytes(PRINT_KEY);
  const sums = parts.map((part) => {
    const count = createTileCounts(key)(ends);
    for (const id of part) count.add(id, hashOf(id));
    return count.sums();
  });
  const isRight = createTileComparison({ key, sums: addTileSums(sums) });
  return tiles.flatMap((tile, i) => (isRight(i, Buffer.from(tile.join(''), 'latin1')) ? [] : [i]));
}
