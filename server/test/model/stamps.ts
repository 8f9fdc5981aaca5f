/** The stamp cards of the model: random kinds, their lines of a program file, and their arithmetic, without the service's code. */
import * as fc from '#test/random.ts';
import type { Reported } from '#test/random-purchases.ts';
import { dayAt, plusMonths } from './days.ts';
import type { Rest, RuledPurchase } from './lines.ts';

/** A kind of card; null is no condition. */
export interface StampKind {
  readonly paused: boolean;
  readonly category: string | null;
  readonly least: number | null;
  readonly perUnit: boolean;
  readonly need: number;
  readonly months: number | null;
  /** Minutes between two purchases that stamp. */
  readonly pause: number | null;
}

const kind: fc.Arbitrary<StampKind> = fc.record({
  paused: fc.constantFrom(false, false, false, true),
  category: fc.option(fc.constantFrom('a', 'b')),
  least: fc.constantFrom(null, null, 20),
  perUnit: fc.boolean(),
  need: fc.constantFrom(2, 2, 3, 7),
  months: fc.constantFrom(null, 1, 2),
  pause: fc.constantFrom(null, null, 60, 2_000),
});

/** The part that a change of the program may change. */
export const changingStamps = { stamps: fc.array(kind, { maxLength: 2 }) };

/** What a full card of the model gives. */
export const STAMPED = 'stamped';

export function stampFields(stamps: readonly StampKind[]) {
  return stamps.map(({ paused, category, least, perUnit, need, months, pause }, i) => ({
    id: `card-${i}`,
    title: `Card ${i}`,
    paused,
    when: { categories: category === null ? [] : [category], min_amount: least },
    per: perUnit ? 'unit' : 'purchase',
    need,
    within_months: months,
    min_minutes_between: pause,
    [GIVES]: { benefit: STAMPED },
  }));
}

/** An object with this name looks like a promise to a linter, and is none. */
const [GIVES] = ['then'] as const;

/** What a purchase gave on a card, for good. */
interface Given {
  readonly card: Card;
  readonly kind: StampKind;
  readonly places: readonly number[];
  readonly most: number;
  readonly place: number;
}

interface Card {
  have: number;
  until: string | null;
}

interface Collection {
  /** The last one is open. */
  readonly cards: Card[];
  stampedAt: number | null;
  readonly full: { readonly need: number; state: 'good' | 'used' | 'taken' }[];
}

/** A person's cards, by the place of the kind in the program. */
export class Collector {
  readonly byKind = new Map<number, Collection>();

  /** Returns what a purchase gave. */
  stamp(
    kinds: readonly StampKind[],
    { amount, lines, now, zone }: Reported & { readonly now: number; readonly zone: string },
    ruled: RuledPurchase,
  ): Given[] {
    const today = dayAt(now, zone);
    const sold = lines ?? [{ categories: [] as string[] }];
    return kinds.flatMap((kind, place) => {
      const places = sold.flatMap((line, at) => {
        const is = kind.category === null || (line.categories ?? []).includes(kind.category);
        return is && !ruled.lines[at]!.out ? [at] : [];
      });
      const asked = countOf(kind, places, ruled.lines);
      const own = this.byKind.get(place) ?? { cards: [], stampedAt: null, full: [] };
      const isTooSoon = own.stampedAt !== null && now - own.stampedAt < (kind.pause ?? 0) * 60_000;
      if (kind.paused || amount === 0 || asked === 0 || isTooSoon) return [];
      this.byKind.set(place, own);
      const card = this.openOf(own, today);
      const most = Math.min(asked, Math.max(0, 3 * kind.need - card.have));
      put(own, card, most, kind, today);
      own.stampedAt = now;
      return [{ card, kind, places, most, place }];
    });
  }

  /** A purchase is kept less than before. */
  takeBack(
    given: readonly Given[],
    kinds: readonly StampKind[],
    [before, after]: readonly [readonly Rest[], readonly Rest[]],
    { at, now, zone }: { readonly at: number; readonly now: number; readonly zone: string },
  ): void {
    const today = dayAt(now, zone);
    for (const { card: own, kind, places, most, place } of given) {
      const keep = (rests: readonly Rest[]) => Math.min(most, countOf(kind, places, rests));
      let missing = keep(before) - keep(after);
      const all = this.byKind.get(place)!;
      const isGone = after.every(({ amount }) => amount === 0);
      const isLast = isGone && all.stampedAt === at;
      if (missing === 0 && !isLast) continue;
      const open = this.openOf(all, today);
      if (isLast) all.stampedAt = null;
      if (own !== open) {
        const there = Math.min(Math.max(0, own.have), missing);
        own.have -= there;
        missing -= there;
      }
      const had = open.have;
      open.have -= missing;
      let isNew = had <= 0;
      for (const full of all.full.toReversed()) {
        if (open.have >= 0 || full.state !== 'good') continue;
        full.state = 'taken';
        open.have += full.need;
        isNew = true;
      }
      if (isNew || open.have <= 0) open.until = untilOf(open.have, kinds[place]?.months ?? null, today);
    }
  }

  private openOf(own: Collection, today: string): Card {
    const last = own.cards.at(-1);
    if (last !== undefined && (last.until === null || last.until >= today)) return last;
    const next = { have: 0, until: null };
    own.cards.push(next);
    // Another card has no pause of its own to keep.
    own.stampedAt = last === undefined ? own.stampedAt : null;
    return next;
  }

  /** Returns the cards as anybody sees them: the stamps on the open one, and the full ones. */
  seen(kinds: readonly StampKind[], today: string) {
    return kinds.map((_, place) => {
      const own = this.byKind.get(place);
      const last = own?.cards.at(-1);
      const isOver = last === undefined || (last.until !== null && last.until < today);
      return { have: isOver ? 0 : last.have, full: own?.full.map(({ state }) => state) ?? [] };
    });
  }
}

function put(own: Collection, card: Card, stamps: number, { need, months }: StampKind, today: string): void {
  const had = card.have;
  card.have += stamps;
  let filled = 0;
  for (; card.have >= need && filled < 3; filled++) {
    card.have -= need;
    own.full.push({ need, state: 'good' });
  }
  if (had <= 0 || filled > 0) card.until = untilOf(card.have, months, today);
}

function untilOf(have: number, months: number | null, today: string): string | null {
  return have <= 0 || months === null ? null : plusMonths(today, months);
}

function countOf({ least, perUnit }: StampKind, places: readonly number[], rests: readonly Rest[]): number {
  const amount = rests.reduce((sum, rest) => sum + rest.amount, 0);
  if (amount === 0 || amount < (least ?? 0)) return 0;
  const there = places.map((place) => rests[place]!).filter((rest) => rest.amount > 0 || rest.units > 0);
  if (!perUnit) return there.length > 0 ? 1 : 0;
  return there.reduce((sum, { units }) => sum + units, 0);
}
