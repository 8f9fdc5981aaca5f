/** Adds up what a replay tells, person by person, in memory that does not grow with them. */
import { addMonths, localDay, startOfDay, type Day } from '#calendar/calendar.ts';
import { isActive } from '#members/eligibility.ts';
import type { NewMovement } from '#points/locked-member.ts';
import { balanceOn, isGood, type Lot } from '#points/lots.ts';
import { stepOf, type Step } from '#points/points-for-purchase.ts';
import { factorsOf, type StoredFactors } from '#points/factors-of.ts';
import type { Rules, Tier } from '#program/rules.ts';
import type { StampRule } from '#program/stamp-rules.ts';
import type { ChangedStamps, GivenStamps } from '#stamps/decide-stamps.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import type { createPrices, PriceFigures } from './prices.ts';
import type { Person } from './read-history.ts';
import type { Ended, Listener, Range } from './replay-person.ts';

/** A figure as the ledger has it, and under the proposed program. */
export interface ThenNow {
  then: number;
  now: number;
}

export interface MonthFigures {
  /** Such as `2027-01`. */
  readonly month: string;
  purchases: number;
  readonly earned: ThenNow;
  readonly takenBack: ThenNow;
  readonly expired: ThenNow;
}

export interface TierFigures {
  readonly tierId: string | null;
  readonly name: string | null;
  readonly earned: ThenNow;
  readonly members: ThenNow;
}

export interface ChangedMember {
  readonly memberId: number;
  readonly code: number | null;
  readonly username: string | null;
  readonly then: MemberFigures;
  readonly now: MemberFigures;
}

export interface MemberFigures {
  readonly points: number;
  readonly earned: number;
  readonly tierId: string | null;
  readonly tierName: string | null;
}

export interface Ends {
  /** Null for points that never end. */
  readonly month: string | null;
  readonly points: ThenNow;
}

export interface StampFigures {
  /** The kind of card, by its id in the program. */
  readonly stampId: string;
  /** Null for a kind that neither program has. */
  readonly title: string | null;
  /** Stamps, less those that returns took. */
  readonly given: ThenNow;
  /** Full cards, each of which gives a code, less those that returns took. */
  readonly full: ThenNow;
}

interface Count {
  count: number;
  amount: number;
}

export interface Figures {
  readonly purchases: number;
  readonly amount: number;
  readonly buyers: number;
  readonly points: Readonly<
    Record<'earned' | 'doubled' | 'takenBack' | 'given' | 'spent' | 'expired', ThenNow>
  >;
  readonly months: readonly MonthFigures[];
  readonly tiers: readonly TierFigures[];
  readonly stamps: readonly StampFigures[];
  readonly liability: { readonly points: ThenNow; readonly people: ThenNow; readonly ends: readonly Ends[] };
  readonly impossible: Readonly<Record<'purchases' | 'exchanges' | 'reversals' | 'adjustments', Count>>;
  readonly members: readonly ChangedMember[];
  readonly membersChanged: number;
  /** Of the benefits that get another price. */
  readonly prices: readonly PriceFigures[];
}

export interface FiguresSoFar extends Listener {
  /** Begins to count a person. */
  begin(): void;
  /** Counts a person at the end of the range. */
  end(person: Person, ended: { readonly then: Ended; readonly now: Ended }): void;
  readonly purchasesRead: number;
  total(): Figures;
}

const MOST_MEMBERS = 10;

/**
 * @param before the rules in force, whose calendar the months follow
 * @param after the proposed rules
 */
export function createFigures(
  range: Range,
  before: Rules,
  after: Rules,
  prices: ReturnType<typeof createPrices>,
): FiguresSoFar {
  const months = createMonths(range, before.timeZone);
  const days = {
    from: localDay(range.from, before.timeZone),
    then: localDay(range.end, before.timeZone),
    now: localDay(range.end, after.timeZone),
  };
  const points = {
    earned: thenNow(),
    doubled: thenNow(),
    takenBack: thenNow(),
    given: thenNow(),
    spent: thenNow(),
    expired: thenNow(),
  };
  const tiers = new Map<string | null, { earned: ThenNow; members: ThenNow }>();
  const stamps = new Map<string, Pick<StampFigures, 'given' | 'full'>>();
  const ends = new Map<string, ThenNow>();
  const liability = { points: thenNow(), people: thenNow() };
  const impossible = { purchases: none(), exchanges: none(), reversals: none(), adjustments: none() };
  const members: ChangedMember[] = [];
  const sums = { purchases: 0, amount: 0, buyers: 0, membersChanged: 0, purchasesRead: 0 };
  let own = { bought: false, earned: thenNow() };

  const ofTier = (tierId: string | null) => {
    const kept = tiers.get(tierId) ?? { earned: thenNow(), members: thenNow() };
    tiers.set(tierId, kept);
    return kept;
  };

  const addStamps = (side: keyof ThenNow, snapshot: unknown) => {
    const { stamps: entries = [] } = (snapshot ?? {}) as {
      stamps?: readonly (GivenStamps | ChangedStamps)[];
    };
    for (const entry of entries) {
      const kept = stamps.get(entry.id) ?? { given: thenNow(), full: thenNow() };
      stamps.set(entry.id, kept);
      kept.given[side] += 'given' in entry ? entry.given : entry.stamps;
      kept.full[side] += (entry.full ?? 0) - ('taken' in entry ? (entry.taken?.length ?? 0) : 0);
    }
  };

  /** Adds a movement to one of the two sides. */
  const add = (
    side: keyof ThenNow,
    atMs: number,
    movement: Pick<NewMovement, 'type' | 'points' | 'pointsEarned'> & { readonly snapshot?: unknown },
    tierId: string | null,
  ) => {
    const { type } = movement;
    addStamps(side, movement.snapshot);
    // Points that wait count where they were earned.
    const isEarned = type === 'purchase' || type === 'correction';
    const { waited = 0 } = (type === 'reversal' ? movement.snapshot : {}) as { waited?: number };
    const change = isEarned ? movement.pointsEarned! : movement.points - waited;
    const month = months.at(atMs);
    switch (type) {
      case 'purchase':
        points.earned[side] += change;
        own.earned[side] += change;
        month.earned[side] += change;
        ofTier(tierId).earned[side] += change;
        if (isDoubled(movement.snapshot)) points.doubled[side] += change;
        return;
      case 'correction':
        points.earned[side] += change;
        own.earned[side] += change;
        month.earned[side] += change;
        return;
      case 'reversal':
        points.takenBack[side] -= change;
        own.earned[side] += change;
        month.takenBack[side] -= change;
        return;
      case 'exchange':
      case 'give_back':
        points.spent[side] -= change;
        return;
      case 'reward':
      case 'adjustment':
        points.given[side] += change;
        return;
      case 'expiry':
        points.expired[side] -= change;
        month.expired[side] -= change;
        return;
      default:
    }
  };

  const expire = (side: keyof ThenNow, day: Day, change: number) => {
    points.expired[side] += change;
    months.of(day).expired[side] += change;
  };

  const addLots = (side: keyof ThenNow, lots: readonly Lot[], today: Day) => {
    let held = 0;
    for (const lot of lots) {
      if (lot.points <= 0 || !isGood(lot, today)) continue;
      const month = lot.expiresOn === 'infinity' ? NEVER : lot.expiresOn.slice(0, 7);
      const kept = ends.get(month) ?? thenNow();
      kept[side] += lot.points;
      ends.set(month, kept);
      held += lot.points;
    }
    liability.points[side] += held;
    if (held > 0) liability.people[side]++;
  };

  const figuresOf = (side: keyof ThenNow, { lots, standing }: Ended, { tiers }: Rules): MemberFigures => ({
    points: balanceOn(lots, days[side]),
    earned: own.earned[side],
    tierId: tierThatCounts(standing, tiers)?.id ?? null,
    tierName: tierThatCounts(standing, tiers)?.name ?? null,
  });

  return {
    begin() {
      own = { bought: false, earned: thenNow() };
    },

    happened(row, tierId) {
      if (row.type === 'purchase') {
        sums.purchases++;
        sums.amount += row.amount!;
        months.at(row.atMs).purchases++;
        own.bought = true;
      }
      if (row.type === 'correction') sums.amount += row.amount!;
      add('then', row.atMs, row, tierId);
    },

    wouldHappen: (atMs, movement, tierId) => add('now', atMs, movement, tierId),

    impossible({ type, amount, points }) {
      const [kind, size] =
        type === 'purchase' || type === 'correction'
          ? (['purchases', amount!] as const)
          : type === 'exchange'
            ? (['exchanges', 0 - points] as const)
            : type === 'reversal'
              ? (['reversals', 0 - amount!] as const)
              : (['adjustments', Math.abs(points)] as const);
      impossible[kind].count++;
      impossible[kind].amount += size;
    },

    exchanging: (row, balance) => prices.bought(row, balance),

    debtPaidNow: (change) => addStamps('now', { stamps: [change] }),

    expiredNow: ({ at, points: change }: NewMovement) =>
      expire('now', localDay(at, after.timeZone), 0 - change),

    end(person, { then, now }) {
      if (own.bought) sums.buyers++;
      // Nobody need have written it off yet.
      for (const { expiresOn, points: left } of then.lots)
        if (expiresOn < days.then && expiresOn >= days.from) expire('then', expiresOn, left);
      addLots('then', then.lots, days.then);
      addLots('now', now.lots, days.now);
      const [was, is] = [figuresOf('then', then, before), figuresOf('now', now, after)];
      if (isActive(then.member)) {
        ofTier(was.tierId).members.then++;
        prices.held('then', was.points);
      }
      if (isActive(now.member)) {
        ofTier(is.tierId).members.now++;
        prices.held('now', is.points);
      }
      if (was.points === is.points && was.tierId === is.tierId) return;
      sums.membersChanged++;
      const { id: memberId, code, username } = person.member;
      keepLargest(members, { memberId, code, username, then: was, now: is });
    },

    get purchasesRead() {
      return sums.purchases;
    },

    total: () => ({
      ...sums,
      points,
      months: months.all,
      tiers: inOrder(tiers, before.tiers.ladder, after.tiers.ladder),
      stamps: kindsInOrder(stamps, [...after.stamps, ...before.stamps]),
      liability: { ...liability, ends: endsInOrder(ends) },
      impossible,
      members,
      prices: prices.all,
    }),
  };
}

const NEVER = 'never';

function thenNow(): ThenNow {
  return { then: 0, now: 0 };
}

function none(): Count {
  return { count: 0, amount: 0 };
}

function isDoubled(snapshot: unknown): boolean {
  const steps: readonly Step[] = factorsOf(snapshot as StoredFactors, null);
  return stepOf(steps, 'double') !== undefined;
}

/** The months of the range in a calendar. */
function createMonths({ from, end }: Range, timeZone: string) {
  const all: MonthFigures[] = [];
  const starts: number[] = [];
  const last = localDay(end, timeZone).slice(0, 7);
  for (
    let day = `${localDay(from, timeZone).slice(0, 7)}-01`;
    day.slice(0, 7) <= last;
    day = addMonths(day, 1)
  ) {
    const month = day.slice(0, 7);
    all.push({ month, purchases: 0, earned: thenNow(), takenBack: thenNow(), expired: thenNow() });
    starts.push(startOfDay(day, timeZone).getTime());
  }
  const byName = new Map(all.map((figures) => [figures.month, figures]));
  return {
    all,
    /** The month of an instant of the range. */
    at: (atMs: number) =>
      all[
        Math.max(
          0,
          starts.findLastIndex((start) => start <= atMs),
        )
      ]!,
    /** The month of a day of the range. A day of another calendar may lie just outside it. */
    of: (day: Day) => byName.get(day.slice(0, 7)) ?? (day < all[0]!.month ? all[0]! : all.at(-1)!),
  };
}

/** Returns the tiers of both ladders, lowest first. The old ones stand where their threshold would be. */
function inOrder(
  figures: ReadonlyMap<string | null, Pick<TierFigures, 'earned' | 'members'>>,
  before: readonly Tier[],
  after: readonly Tier[],
): TierFigures[] {
  const known = new Map([...before, ...after].map((tier) => [tier.id, tier]));
  const gone = [...figures.keys()].filter((id) => id !== null && !known.has(id));
  const ordered = [...known.values()].sort((a, b) => a.threshold - b.threshold || a.rank - b.rank);
  const line = (tierId: string | null, name: string | null): TierFigures => ({
    tierId,
    name,
    ...(figures.get(tierId) ?? { earned: thenNow(), members: thenNow() }),
  });
  return [
    ...ordered.map(({ id, name }) => line(id, name)),
    ...gone.map((id) => line(id, null)),
    line(null, null),
  ];
}

/** Returns the kinds that were stamped, in the order of the programs. */
function kindsInOrder(
  figures: ReadonlyMap<string, Pick<StampFigures, 'given' | 'full'>>,
  rules: readonly StampRule[],
): StampFigures[] {
  const known = new Set([...rules.map(({ id }) => id), ...figures.keys()]);
  return [...known].flatMap((stampId) => {
    const own = figures.get(stampId);
    const title = rules.find(({ id }) => id === stampId)?.title ?? null;
    return own === undefined ? [] : [{ stampId, title, ...own }];
  });
}

export function endsInOrder<Points>(
  ends: ReadonlyMap<string, Points>,
): { month: string | null; points: Points }[] {
  return [...ends]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, points]) => ({ month: month === NEVER ? null : month, points }));
}

/** Keeps the members whose balance changes most. */
function keepLargest(members: ChangedMember[], member: ChangedMember): void {
  const place = members.findIndex((other) => byChange(member, other) < 0);
  if (place === -1) members.push(member);
  else members.splice(place, 0, member);
  if (members.length > MOST_MEMBERS) members.pop();
}

function byChange(a: ChangedMember, b: ChangedMember): number {
  return (
    Math.abs(b.now.points - b.then.points) - Math.abs(a.now.points - a.then.points) ||
    Math.abs(b.now.earned - b.then.earned) - Math.abs(a.now.earned - a.then.earned) ||
    a.memberId - b.memberId
  );
}
