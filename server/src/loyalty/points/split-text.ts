import type { Split } from './lots.ts';

/** A split as the ledger stores it: [[day, moving, points], …]. */
export type SplitText = readonly (readonly [expiresOn: string, moving: boolean, points: number])[];

export function readSplit(rows: SplitText): Split {
  return rows.map(([expiresOn, moving, points]) => ({ expiresOn, moving, points }));
}

export function writeSplit(split: Split): SplitText {
  return split.map((lot) => [lot.expiresOn, lot.moving, lot.points]);
}
