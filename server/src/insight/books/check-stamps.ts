/**
 * Follows the cards that purchases stamp through the movements of a person, written from the documents of the program without the code of
 * the rule. What is left must be what is stored.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Program } from '#program/program.ts';
import { expectedRules, type RuledPurchase } from './check-rules.ts';
import type { History, Movement, Report } from './history.ts';
import type { Programs } from './read-programs.ts';

const NAMED = {
  given: 'a purchase stamped as its program says',
  changed: 'a return took the stamps of its purchase',
  cards: 'the stamps on a card are those that the movements leave',
  full: 'a full card was filled by stamps',
} as const;

type Kind = Program['stamps'][number];

interface Card {
  have: number;
  endsOn: string | null;
  stampedAt: number | null;
  filled: number;
  ended: boolean;
}

/** The cards of a kind, in the order in which they began, and its full ones. */
interface Cards {
  readonly all: Card[];
  readonly full: { need: number; purchaseId: number; takenAt: number | null; benefit: string | null }[];
}

/** A purchase that stamped. */
interface Stamping {
  amount: number;
  readonly id: number;
  readonly countsAt: number;
  readonly entries: readonly Entry[];
  part: Part;
}

type Part = readonly (readonly [amount: number, units: number])[];
type Entry = Readonly<Record<string, unknown>> & { readonly id: string };

export interface StampFollower {
  /** @param before what is known of a purchase before it */
  pass(movement: Movement, before: () => RuledPurchase, report: Report): void;
  end(report: Report): void;
}

export function followStamps(history: History, programs: Programs): StampFollower {
  const kinds = new Map<string, Cards>();
  const purchases = new Map<number, Stamping>();
  const used = new Set<number>();
  const cardsOf = (id: string): Cards => {
    const known = kinds.get(id) ?? { all: [], full: [] };
    kinds.set(id, known);
    return known;
  };
  const codeOf = (id: string, ordinal: number) =>
    history.full.find((one) => one.stampId === id && one.ordinal === ordinal)?.code ?? null;

  function purchase(movement: Movement, before: () => RuledPurchase, report: Report): void {
    const program = programs.get(Number(movement.snapshot?.['rule']));
    const said = entriesIn(movement);
    if (program === undefined || (program.stamps.length === 0 && said.length === 0)) return;
    const ruled = before();
    const part = partIn(movement, Number(movement.amount));
    const today = program.dayOf(movement.at);
    const countsAt = Math.max(ruled.at, ruled.arrived ?? ruled.at);
    const expected: Entry[] = [];
    for (const { kind, verdict, lines } of program.expectedStamps(ruled)) {
      const entry = said.find(({ id }) => id === kind.id);
      // Nobody knows any more what the lines were, or whether the tier counted.
      if (verdict === 'not' || (verdict === 'may' && entry === undefined)) continue;
      const places = lines ?? (entry?.['lines'] as readonly number[] | undefined) ?? [];
      const asked = timesIn(part, Number(movement.amount), kind.per, kind.when.min_amount ?? 0, places);
      const cards = cardsOf(kind.id);
      const last = cards.all.at(-1);
      const pause = (kind.min_minutes_between ?? 0) * 60_000;
      const isTooSoon =
        last?.stampedAt != null &&
        [ruled.at, countsAt].some((instant) => Math.abs(instant - last.stampedAt!) < pause);
      if (asked === 0 || isTooSoon) continue;
      const card = open(cards, today);
      const given = Math.max(0, Math.min(asked, 3 * kind.need - card.have));
      const full = put(cards, card, given, kind, today, movement.id);
      card.stampedAt = Math.max(card.stampedAt ?? countsAt, countsAt);
      expected.push({
        id: kind.id,
        per: kind.per,
        minAmount: kind.when.min_amount ?? 0,
        lines: places,
        need: kind.need,
        card: cards.all.length,
        given,
        ...(given < asked && { lost: asked - given }),
        ...(full > 0 && { full }),
        have: card.have,
      });
    }
    if (!isDeepStrictEqual(said, expected))
      report(NAMED.given, movement.id, `it has ${told(said)}, and must have ${told(expected)}`);
    if (said.length > 0)
      purchases.set(movement.id, {
        amount: Number(movement.amount),
        id: movement.id,
        countsAt,
        entries: said,
        part,
      });
  }

  function change(movement: Movement, report: Report): void {
    const of = purchases.get(movement.reversesId ?? 0);
    const said = entriesIn(movement);
    if (of === undefined) {
      if (said.length > 0) report(NAMED.changed, movement.id, 'its purchase stamped nothing');
      return;
    }
    const [before, amountBefore] = [of.part, of.amount];
    of.amount += Number(movement.amount ?? 0);
    of.part = partIn(movement, of.amount);
    const version = Number(movement.snapshot?.['version'] ?? movement.snapshot?.['rule']);
    const program = programs.get(version);
    if (program === undefined) return;
    const today = program.dayOf(movement.at);
    const expected: Entry[] = [];
    for (const { id, per, minAmount, lines, given, card: place } of of.entries) {
      const times = (part: Part, amount: number) =>
        Math.min(
          Number(given),
          timesIn(part, amount, String(per), Number(minAmount), lines as readonly number[]),
        );
      const stamps = times(of.part, of.amount) - times(before, amountBefore);
      const cards = cardsOf(id);
      const last = cards.all.at(-1);
      if (last === undefined) continue;
      const isFreed = of.amount === 0 && last.stampedAt === of.countsAt;
      if (stamps === 0 && !isFreed) continue;
      const card = open(cards, today);
      if (isFreed) card.stampedAt = null;
      const kind = program.stamps.find((one) => one.id === id);
      if (stamps > 0) {
        const full = kind === undefined ? 0 : put(cards, card, stamps, kind, today, of.id);
        if (kind === undefined) add(card, stamps, null, today);
        expected.push({ id, stamps, ...(full > 0 && { full }), have: card.have });
        continue;
      }
      const old = cards.all[Number(place) - 1];
      let missing = -stamps;
      if (old !== undefined && old.ended) {
        const there = Math.min(Math.max(0, old.have), missing);
        old.have -= there;
        missing -= there;
      }
      const had = card.have;
      card.have -= missing;
      const taken: number[] = [];
      for (let n = cards.full.length; n > 0 && card.have < 0; n--) {
        const full = cards.full[n - 1]!;
        const code = codeOf(id, n);
        if (full.takenAt !== null || (code !== null && used.has(code))) continue;
        full.takenAt = movement.at;
        card.have += full.need;
        taken.push(n);
      }
      if (had <= 0 || taken.length > 0 || card.have <= 0)
        card.endsOn = endOf(card.have, kind?.within_months ?? null, today);
      expected.push({ id, stamps, ...(taken.length > 0 && { taken }), have: card.have });
    }
    if (!isDeepStrictEqual(said, expected))
      report(NAMED.changed, movement.id, `it has ${told(said)}, and must have ${told(expected)}`);
  }

  return {
    pass(movement, before, report) {
      if (history.isErased) return;
      const { type, voucherCode } = movement;
      try {
        if (type === 'purchase') purchase(movement, before, report);
        if (type === 'reversal' || type === 'correction') change(movement, report);
        if (type === 'usage') used.add(Number(voucherCode));
        if (type === 'undo') {
          used.delete(Number(voucherCode));
          undone(movement, report);
        }
      } catch (error) {
        report(NAMED.given, movement.id, `its stamps cannot be read: ${(error as Error).message}`);
      }
    },
    end(report) {
      if (!history.isErased) compare(kinds, history, report);
    },
  };

  /** A code whose stamps were taken back while it was used is void, and its stamps pay the debt. */
  function undone(movement: Movement, report: Report): void {
    const full = history.full.find(({ code }) => code === Number(movement.voucherCode));
    if (full === undefined) return;
    const cards = cardsOf(full.stampId);
    const card = cards.all.at(-1);
    const followed = cards.full[full.ordinal - 1];
    const said = entriesIn(movement);
    const expected: Entry[] = [];
    if (card !== undefined && followed !== undefined && card.have < 0) {
      followed.takenAt = movement.at;
      card.have += followed.need;
      const program = programs.get(Number(movement.snapshot?.['rule']));
      const kind = program?.stamps.find(({ id }) => id === full.stampId);
      card.endsOn = endOf(card.have, kind?.within_months ?? null, program?.dayOf(movement.at) ?? '');
      expected.push({ id: full.stampId, stamps: 0, taken: [full.ordinal], have: card.have });
    }
    if (!isDeepStrictEqual(said, expected))
      report(NAMED.changed, movement.id, `it has ${told(said)}, and must have ${told(expected)}`);
  }
}

/** Returns the card that stamps go to. One that was not filled in time is over. */
function open({ all }: Cards, today: string): Card {
  const last = all.at(-1);
  if (last !== undefined && (last.endsOn === null || last.endsOn >= today)) return last;
  if (last !== undefined) last.ended = true;
  const next = { have: 0, endsOn: null, stampedAt: null, filled: last?.filled ?? 0, ended: false };
  all.push(next);
  return next;
}

/** Stamps a card. Returns how many were filled. */
function put(
  { full }: Cards,
  card: Card,
  given: number,
  { need, within_months: months, then }: Kind,
  today: string,
  purchaseId: number,
): number {
  const had = card.have;
  card.have += given;
  let filled = 0;
  while (card.have >= need && filled < 3) {
    card.have -= need;
    card.filled += 1;
    filled += 1;
    full.push({ need, purchaseId, takenAt: null, benefit: then.benefit });
  }
  if (had <= 0 || filled > 0) card.endsOn = endOf(card.have, months, today);
  return filled;
}

function add(card: Card, given: number, months: number | null, today: string): void {
  const had = card.have;
  card.have += given;
  if (had <= 0) card.endsOn = endOf(card.have, months, today);
}

function endOf(have: number, months: number | null, today: string): string | null {
  return have <= 0 || months === null ? null : Temporal.PlainDate.from(today).add({ months }).toString();
}

function timesIn(part: Part, amount: number, per: string, least: number, places: readonly number[]): number {
  if (amount === 0 || amount < least) return 0;
  const units = places.map((place) => part[place]!).filter(([paid, count]) => paid > 0 || count > 0);
  if (per === 'purchase') return units.length > 0 ? 1 : 0;
  return units.reduce((sum, [, count]) => sum + count, 0);
}

function entriesIn({ snapshot }: Movement): readonly Entry[] {
  const said = snapshot?.['stamps'] ?? [];
  if (!Array.isArray(said)) throw new TypeError('they are no list');
  return said as Entry[];
}

function partIn({ snapshot }: Movement, amount: number): Part {
  return (snapshot?.['lines'] as Part | undefined) ?? [[amount, 1]];
}

function told(entries: readonly Entry[]): string {
  return entries.length === 0 ? 'no stamps' : JSON.stringify(entries);
}

function compare(kinds: ReadonlyMap<string, Cards>, { cards, full }: History, report: Report): void {
  const expected = [...kinds].flatMap(([stampId, { all }]) =>
    all.map((card, i) => ({ stampId, card: i + 1, ...card })),
  );
  const byName =
    <T extends { stampId: string }>(number: (one: T) => number) =>
    (one: T, other: T) =>
      one.stampId < other.stampId ? -1 : one.stampId > other.stampId ? 1 : number(one) - number(other);
  const stored = cards.toSorted(byName((one) => one.card));
  const followed = expected.toSorted(byName((one) => one.card));
  if (!isDeepStrictEqual(stored, followed))
    report(NAMED.cards, null, `stored are ${JSON.stringify(stored)}, followed ${JSON.stringify(followed)}`);
  const left = [...kinds].flatMap(([stampId, one]) =>
    one.full.map(({ need, purchaseId, takenAt, benefit }, i) => ({
      stampId,
      ordinal: i + 1,
      need,
      purchaseId,
      takenAt,
      benefit,
    })),
  );
  const kept = full.toSorted(byName((one) => one.ordinal));
  // Another check knows the codes.
  const filled = left
    .toSorted(byName((one) => one.ordinal))
    .map((one, i) => ({ ...one, code: kept[i]?.code ?? null }));
  if (!isDeepStrictEqual(kept, filled))
    report(NAMED.full, null, `stored are ${JSON.stringify(kept)}, followed ${JSON.stringify(filled)}`);
}

/** Reads the kinds of a program that are not paused as the rules that they resemble. */
export function expectedStamps(program: Program) {
  const kinds = program.stamps.filter(({ paused }) => !paused);
  const rules = kinds.map(({ id, title, when, per }) => ({
    id,
    title,
    public: true,
    from: null,
    to: null,
    paused: false,
    when,
    give: { multiply: null, points: 1, per: per === 'unit' ? ('unit' as const) : null },
    limit: null,
  }));
  const asRules: Program = { ...program, earning: { ...program.earning, rules } };
  return (ruled: RuledPurchase) =>
    expectedRules(asRules, ruled).rules.map(({ verdict, lines }, i) => ({
      kind: kinds[i]!,
      verdict,
      lines,
    }));
}
