import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { createTree, hashLeaf, proveInclusion, readRoot, rootOfProof, type Tile } from './merkle-tree.ts';

test('an empty leaf and a tree of the test vectors of RFC 6962 have the known hashes', () => {
  assert.equal(
    hashLeaf(Buffer.alloc(0)).toString('hex'),
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  );
  const leaves = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ];
  const tree = createTree();
  tree.append(Buffer.concat(leaves.map((leaf) => hashLeaf(Buffer.from(leaf, 'hex')))));
  assert.equal(
    tree.root().toString('hex'),
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  );
});

test('a tree that grows in pieces has the root by the definition at every size, and every leaf its proof', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 1e6 }),
      async (pieces, any) => {
        const leaves: Buffer[] = [];
        const stored = new Map<string, Tile>();
        let tree = createTree();
        for (const piece of pieces) {
          const added = Array.from({ length: piece }, () => randomBytes(32));
          leaves.push(...added);
          const tiles = [...tree.append(Buffer.concat(added)), ...tree.partialTiles()];
          for (const tile of tiles) stored.set(`${tile.level}/${tile.index}`, tile);
          assert.equal(tree.size, leaves.length);
          assert.deepEqual(tree.root(), rootOf(leaves));
          // Goes on from what is stored, as the next run of the job does.
          tree = createTree(tree.size, tree.partialTiles());
        }
        const readTile = async (level: number, index: number) => stored.get(`${level}/${index}`)!.hashes;
        const size = (any % leaves.length) + 1;
        assert.deepEqual(await readRoot(readTile, size), rootOf(leaves.slice(0, size)));
        const index = any % size;
        const path = await proveInclusion(readTile, index, size);
        const root = rootOf(leaves.slice(0, size));
        assert.deepEqual(rootOfProof(leaves[index]!, index, size, path), root);
        assert.notDeepEqual(rootOfProof(randomBytes(32), index, size, path), root);
        if (size > 1) assert.equal(rootOfProof(leaves[index]!, index, size, path.slice(1)), null);
        assert.equal(rootOfProof(leaves[index]!, size, size, path), null);
      },
    ),
    { numRuns: 25 },
  );
});

test('the root of 70,000 leaves, which take three levels of tiles, is that of the definition', async () => {
  const leaves = Array.from({ length: 70_000 }, (_, i) => hashLeaf(Buffer.from(String(i))));
  const tree = createTree();
  const tiles = [...tree.append(Buffer.concat(leaves)), ...tree.partialTiles()];
  const stored = new Map(tiles.map((tile) => [`${tile.level}/${tile.index}`, tile.hashes]));
  assert.equal(Math.max(...tiles.map(({ level }) => level)), 2);
  const root = rootOf(leaves);
  assert.deepEqual(tree.root(), root);
  const readTile = async (level: number, index: number) => stored.get(`${level}/${index}`)!;
  assert.deepEqual(await readRoot(readTile, leaves.length), root);
  for (const index of [0, 255, 256, 65_535, 65_536, 69_999]) {
    const path = await proveInclusion(readTile, index, leaves.length);
    assert.deepEqual(rootOfProof(leaves[index]!, index, leaves.length, path), root);
  }
});

/** The definition of RFC 6962, 2.1. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return createHash('sha256')
    .update(Buffer.of(1))
    .update(rootOf(leaves.slice(0, k)))
    .update(rootOf(leaves.slice(k)))
    .digest();
}
