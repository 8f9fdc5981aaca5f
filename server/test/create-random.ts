/** Random numbers that a seed repeats (mulberry32). Without the seed, nobody could look at a failure again. */
export interface Random {
  /** From 0 up to but without 1. */
  next(): number;
  /** A whole number from 0 up to but without `end`. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { next, below, pick: (list) => list[below(list.length)]! };
}
