/** Follows the money that waits for a member's next purchase through the movements of a person. What is left must be what is stored. */
import { add, type Figure } from '#db/copy-out.ts';
import type { Step } from '#points/points-for-purchase.ts';
import { countedOfLines, figureOfLines, type CheckedPart } from './check-rules.ts';
import type { History, Movement, Report } from './history.ts';

/** In thousandths of the currency unit, since a version of the program. */
export interface FollowedRemainder {
  readonly waits: bigint;
  readonly since: number;
}

export interface RemainderFollower {
  /** Returns what waits after the movements that have passed; null if nothing ever has. */
  now(): FollowedRemainder | null;
  pass(movement: Movement): void;
}

/** What of a purchase counts, and what its rule says of the money. */
interface Counting {
  readonly said: readonly unknown[];
  amount: Figure;
  /** By how much it has changed what waits. */
  change: bigint;
}

export function followRemainder(): RemainderFollower {
  const purchases = new Map<number, Counting>();
  let waiting: FollowedRemainder | null = null;
  const count = (one: Counting, lines: unknown): void => {
    const change = changeBy(partOf(one.amount, lines), one.said);
    const more = change - one.change;
    one.change = change;
    const [, , since] = one.said[3] as [number, number, number];
    if (waiting !== null && waiting.since > since) return;
    waiting = { since, waits: (waiting?.since === since ? waiting.waits : 0n) + more };
  };
  return {
    now: () => waiting,
    pass({ id, type, amount, snapshot, reversesId }) {
      try {
        const lines = snapshot?.['lines'];
        const counting = purchases.get(reversesId ?? 0);
        if (type === 'purchase') {
          const steps = (snapshot?.['factors'] ?? []) as readonly Step[];
          const said: readonly unknown[] = steps.find(([kind]) => kind === 'lines')?.slice(2) ?? [];
          if (said[3] === undefined) return;
          const begun = { said, amount: amount ?? 0, change: 0n };
          purchases.set(id, begun);
          count(begun, lines);
        } else if (counting !== undefined && amount !== null) {
          counting.amount = add(counting.amount, amount);
          count(counting, lines);
        }
      } catch {
        // A purchase that cannot be read is a finding of its own.
      }
    },
  };
}

/** Compares what the movements leave with what is stored. Nothing is stored of who was erased, which another check looks after. */
export function checkRemainder(
  { remainder, isErased }: History,
  followed: FollowedRemainder | null,
  report: Report,
): void {
  if (isErased || (followed === null && remainder === null)) return;
  if (remainder?.since === followed?.since && remainder?.thousandths === Number(followed?.waits)) return;
  report(
    'what waits for the next purchase is what the purchases leave',
    null,
    `${told(remainder?.thousandths, remainder?.since)} is stored, and the movements leave ${told(followed?.waits, followed?.since)}`,
  );
}

function told(waits: number | bigint | undefined, since: number | undefined): string {
  return since === undefined ? 'nothing' : `${waits} thousandths since version ${since}`;
}

function partOf(amount: Figure, lines: unknown): CheckedPart {
  const whole = BigInt(amount);
  if (lines === undefined) return { amount: whole, lines: [[whole, 1n]] };
  const read = (lines as readonly [number, number][]).map(
    ([of, units]) => [BigInt(of), BigInt(units)] as const,
  );
  return { amount: whole, lines: read };
}

/** Nothing waits of a purchase that was returned as a whole. */
function changeBy(part: CheckedPart, said: readonly unknown[]): bigint {
  if (part.amount === 0n) return 0n;
  const [, dropped] = said[3] as [number, number];
  return countedOfLines(part, said) - figureOfLines(part, said) * BigInt(said[0] as number) - BigInt(dropped);
}
