import type { KeptLine, Line } from '#points/line.ts';
import { unitsFor } from '#points/share-out.ts';
import { CannotBeReversed } from './what-goes-back.ts';

/** What came back of a line. */
export interface ReturnedLine {
  readonly id: string;
  /** Whole currency units. */
  readonly amount: number;
  /** In proportion to the amount if the shop does not say. */
  readonly units?: number | null | undefined;
}

/** What an order keeps of a line. */
export interface LineOfOrder extends Pick<Line, 'id' | 'amount' | 'units'> {
  readonly returned_amount?: number | null;
  readonly returned_units?: number | null;
}

/** The lines of a purchase: as the shop said them, as they were, and what is left of them. */
export interface LinesOfPurchase {
  readonly said: readonly Pick<Line, 'id'>[] | null;
  readonly whole: readonly KeptLine[] | null;
  readonly left: readonly KeptLine[] | null;
}

/** Returns what is left of the lines after these came back. @throws CannotBeReversed */
export function linesWithout(
  { said, whole, left }: LinesOfPurchase,
  returned: readonly ReturnedLine[],
): KeptLine[] {
  if (said === null || whole === null || left === null)
    throw new CannotBeReversed('invalid_amount', 'its lines are not known: send the amount alone');
  const after = [...left];
  for (const { id, amount, units } of returned) {
    const place = said.findIndex((line) => line.id === id);
    if (place === -1) throw new CannotBeReversed('invalid_amount', `it has no line ${id}`);
    const [kept, has] = after[place]!;
    if (amount > kept || (units ?? 0) > has)
      throw new CannotBeReversed(
        'invalid_amount',
        `of line ${id} are ${kept} and ${has} units left: send that or less`,
      );
    const [paid, all] = whole[place]!;
    after[place] = [
      kept - amount,
      units == null ? Math.min(has, unitsFor(kept - amount, paid, all)) : has - units,
    ];
  }
  // Nothing stays of a purchase of which nothing is paid.
  return after.every(([amount]) => amount === 0) ? after.map(() => [0, 0]) : after;
}

/**
 * Returns what is left of the lines as an order says it: of each line of the purchase what was paid less what came back. Null if the order
 * has other lines, or if they do not add up to `kept`; then it comes back in proportion.
 */
export function linesKept(
  { said, whole, left }: LinesOfPurchase,
  lines: readonly LineOfOrder[],
  kept: number,
): KeptLine[] | null {
  if (said === null || whole === null || left === null || kept === 0) return null;
  const byId = new Map(lines.map((line) => [line.id, line]));
  if (lines.some(({ id }) => !said.some((line) => line.id === id))) return null;
  const after = said.map(({ id }, place): KeptLine => {
    const line = byId.get(id);
    return line === undefined ? [0, 0] : keptOf(line, left[place]!, whole[place]!);
  });
  const fits = after.every(([amount, units], i) => {
    const [has, hasUnits] = left[i]!;
    return amount >= 0 && units >= 0 && amount <= has && units <= hasUnits;
  });
  return fits && after.reduce((sum, [amount]) => sum + amount, 0) === kept ? after : null;
}

/** Where money went back for units that the shop does not count, they go in proportion. A said 0 is money back without goods. */
function keptOf(line: LineOfOrder, [, has]: KeptLine, [paid, all]: KeptLine): KeptLine {
  const { amount, returned_amount: back, returned_units: returned } = line;
  const units = line.units ?? 1;
  const kept = amount - (back ?? 0);
  if (returned != null || kept === amount) return [kept, units - (returned ?? 0)];
  return [kept, Math.min(units, has, unitsFor(kept, paid, all))];
}
