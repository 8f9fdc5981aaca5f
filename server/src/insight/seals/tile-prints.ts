/**
 * Compares movements with the sealed tiles that they belong to, although the checks of the books read them person by person and a tile
 * has them in the order of their ids.
 *
 * Each hash of a leaf gets a print under a random key, and a tile is right if the prints of its hashes add up to the same as those of the
 * movements. The key is made for one check and is never stored, so nobody can look for other movements with an equal sum. This is
 * MSet-Add-Hash (Clarke et al., "Incremental Multiset Hash Functions", 2003).
 */
import { createCipheriv } from 'node:crypto';
import { HASH } from './merkle-tree.ts';

/** The length of a key. */
export const PRINT_KEY = 32;
/** The 32-bit numbers of a print. */
const PRINT = 4;

/** Sums of prints, one for each tile of level 0, in order. */
export type TileSums = Int32Array<ArrayBuffer>;

/** The sums of the movements' prints, and their key. */
export interface TilePrints {
  readonly key: Uint8Array;
  readonly sums: TileSums;
}

/** Adds up the prints of movements by tile. */
export interface TileCount {
  /** Takes a movement, with the hash of its leaf as text. It must be sealed. */
  add(movementId: number, leafHash: string): void;
  sums(): TileSums;
}

/**
 * Returns a function that counts the movements of a log into its tiles, each of which has the id of its last movement. Any number of logs
 * share one buffer.
 */
export function createTileCounts(key: Uint8Array): (throughIds: readonly number[]) => TileCount {
  const print = createPrinter(key);
  const leaves = Buffer.alloc(BATCH * HASH);
  const tiles = new Int32Array(BATCH);
  const logs: TileSums[] = [];
  let length = 0;
  const flush = () => {
    addPrints(logs, tiles, print(leaves.subarray(0, length * HASH)));
    length = 0;
  };
  return (throughIds) => {
    const sums: TileSums = new Int32Array(throughIds.length * PRINT);
    const ends = Float64Array.from(throughIds);
    return {
      add(movementId, leafHash) {
        const tile = findTile(ends, movementId);
        if (tile === ends.length) return;
        logs[length] = sums;
        tiles[length] = tile;
        leaves.write(leafHash, length * HASH, 'latin1');
        if (++length === BATCH) flush();
      },
      sums() {
        flush();
        return sums;
      },
    };
  };
}

/** Hashes that are encrypted at a time, because a call of the cipher takes as long as some hundred of them. */
const BATCH = 4_096;

/** Returns the place of the first tile that ends at an id or behind it. */
function findTile(ends: Float64Array, id: number): number {
  let from = 0;
  for (let to = ends.length; from < to;) {
    const middle = (from + to) >>> 1;
    if (ends[middle]! < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

function addPrints(logs: readonly TileSums[], tiles: Int32Array, prints: Int32Array): void {
  for (let at = 0; at < prints.length; at += PRINT) {
    const sums = logs[at / PRINT]!;
    const sum = tiles[at / PRINT]! * PRINT;
    for (let i = 0; i < PRINT; i++) sums[sum + i]! += prints[at + i]!;
  }
}

/** Adds up the sums of different movements. */
export function addTileSums(all: readonly TileSums[]): TileSums {
  const [first = new Int32Array(), ...others] = all;
  const sum = first.slice();
  for (const other of others) for (let i = 0; i < sum.length; i++) sum[i]! += other[i]!;
  return sum;
}

/** Returns a function that tells whether the tile at a place has the hashes of its movements. */
export function createTileComparison({
  key,
  sums,
}: TilePrints): (place: number, hashes: Uint8Array) => boolean {
  const print = createPrinter(key);
  return (place, hashes) => {
    // The cipher would keep a part of a block, and every tile after it would look wrong.
    if (hashes.length % HASH !== 0) return false;
    const tile: TileSums = new Int32Array(PRINT);
    const prints = print(hashes);
    const count = prints.length / PRINT;
    addPrints(
      Array.from({ length: count }, () => tile),
      new Int32Array(count),
      prints,
    );
    return tile.every((number, i) => number === sums[place * PRINT + i]);
  };
}

/** Returns a function that encrypts each hash to a print: the CBC-MAC of its two blocks, of all hashes at once. */
function createPrinter(key: Uint8Array): (hashes: Uint8Array) => Int32Array {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const encrypt = (blocks: Int32Array) => toNumbers(cipher.update(new Uint8Array(blocks.buffer)));
  return (hashes) => {
    const numbers = toNumbers(hashes);
    const first = new Int32Array(numbers.length / 2);
    for (let i = 0; i < first.length; i++) first[i] = numbers[blockOf(i)]!;
    const second = encrypt(first);
    for (let i = 0; i < second.length; i++) second[i]! ^= numbers[blockOf(i) + PRINT]!;
    return encrypt(second);
  };
}

/** The place of a number of a print among those of the hashes, which are twice as long. */
function blockOf(i: number): number {
  return i + (i & -PRINT);
}

/** Copies bytes, because numbers must be aligned. */
function toNumbers(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  return new Int32Array(new Uint8Array(bytes).buffer);
}
