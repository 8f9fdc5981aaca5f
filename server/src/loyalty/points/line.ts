/** What was sold, as a shop says it with a purchase. */
export interface Line {
  /** The shop's own id of the line, unique within the purchase. */
  readonly id: string;
  readonly product?: string | null;
  readonly categories?: readonly string[] | null;
  /** 1 if the shop does not say. */
  readonly units?: number | null;
  /** Whole currency units, as the shop has shared out what was paid. */
  readonly amount: number;
  /** True if it was sold at a reduced price. */
  readonly discounted?: boolean | null;
}

/** What counts of a line: whole currency units, and units of the product. Snapshots keep lines in this form. */
export type KeptLine = readonly [amount: number, units: number];

/** What counts of a purchase. Lines keep their places for good. */
export interface Kept {
  /** Whole currency units. */
  readonly amount: number;
  /** Null if the shop did not say them. */
  readonly lines: readonly KeptLine[] | null;
}

/** Returns what counts of a purchase of which nothing was returned. */
export function wholeOf({ amount, lines }: { amount: number; lines: readonly Line[] | null }): Kept {
  return { amount, lines: lines && lines.map((line) => [line.amount, line.units ?? 1]) };
}

/** Returns the lines; without them the whole amount is one line. */
export function linesOf({ amount, lines }: Kept): readonly KeptLine[] {
  return lines ?? [[amount, 1]];
}
