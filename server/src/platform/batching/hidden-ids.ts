/** Turns ids that count up into numbers that say nothing, and back. */
export interface HiddenIds {
  /** Returns a number of 15 digits, always the same for the same id. */
  hide(id: number): number;
  /** Returns the id of a hidden one, or null if `hide` cannot have returned this number. */
  show(hidden: number): number | null;
}

const HALF = 2 ** 24;
const FIRST_HIDDEN = HALF * HALF;
const ROUNDS = 23;

/**
 * Creates a permutation of the numbers below 2^48 from a key of 12 bytes: the block cipher Speck48/96, which is made for
 * blocks of this size and takes 0.1 µs. The result begins at 2^48, so it is never mistaken for an id that was handed out
 * as it is.
 */
export function createHiddenIds(key: Uint8Array): HiddenIds {
  const roundKeys = expandKey(Buffer.from(key));
  return {
    hide(id) {
      if (!(Number.isInteger(id) && id >= 0 && id < FIRST_HIDDEN))
        throw new RangeError(`${id} cannot be hidden`);
      let [x, y] = [Math.floor(id / HALF), id % HALF];
      for (const roundKey of roundKeys) {
        x = mask(turnRight(x, 8) + y) ^ roundKey;
        y = turnLeft(y, 3) ^ x;
      }
      return FIRST_HIDDEN + x * HALF + y;
    },
    show(hidden) {
      if (!(Number.isInteger(hidden) && hidden >= FIRST_HIDDEN && hidden < 2 * FIRST_HIDDEN)) return null;
      let [x, y] = [Math.floor((hidden - FIRST_HIDDEN) / HALF), hidden % HALF];
      for (const roundKey of roundKeys.toReversed()) {
        y = turnRight(y ^ x, 3);
        x = turnLeft(mask((x ^ roundKey) - y), 8);
      }
      return x * HALF + y;
    },
  };
}

/** The key is four words of 24 bits, the last of which is used first. */
function expandKey(key: Buffer): number[] {
  if (key.length !== 12) throw new RangeError('a key for hidden ids has 12 bytes');
  const [third, second, first, start] = [0, 3, 6, 9].map((place) => key.readUIntBE(place, 3));
  const words = [first!, second!, third!];
  const roundKeys = [start!];
  for (let i = 0; i < ROUNDS - 1; i += 1) {
    words.push(mask(roundKeys[i]! + turnRight(words[i]!, 8)) ^ i);
    roundKeys.push(turnLeft(roundKeys[i]!, 3) ^ words.at(-1)!);
  }
  return roundKeys;
}

function mask(word: number): number {
  return word & (HALF - 1);
}

function turnRight(word: number, bits: number): number {
  return mask((word >>> bits) | (word << (24 - bits)));
}

function turnLeft(word: number, bits: number): number {
  return mask((word << bits) | (word >>> (24 - bits)));
}
