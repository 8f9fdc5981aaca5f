/**
 * A second, very simple implementation of the tiers: the tier of one person after purchases, returns, time, absences and
 * changes of the ladder. It shares no code with the service. It keeps no running figures: each is added up again from
 * everything that happened, and a running number gives the order.
 */
import { dayAt, endOfDayAt, plusMonths } from './days.ts';

export interface LadderRules {
  readonly zone: string;
  readonly measure: 'points' | 'amount';
  readonly validMonths: number | null;
  /** Lowest first. */
  readonly ladder: readonly Step[];
}

export interface Step {
  readonly id: string;
  readonly threshold: number;
  /** True if the tier has a benefit. */
  readonly gift: boolean;
}

interface Figures {
  readonly points: number;
  readonly amount: number;
}

/** Something earned, and the part of it that was taken back. */
export interface Earned {
  readonly order: number;
  readonly figures: Figures;
  readonly returned: { readonly order: number; readonly figures: Figures }[];
  /** The tiers that it reached and the place before it, on the ladder at that time. */
  climbed: {
    readonly reached: readonly string[];
    readonly before: Place;
    readonly ladder: LadderRules;
  } | null;
}

/** A place on the ladder. */
export interface Place {
  readonly tier: string | null;
  readonly reachedAt: number | null;
  readonly reachedBy: Earned | null;
  readonly firstDay: string | null;
  readonly endsOn: string | null;
  readonly expired: boolean;
  /** Events up to these numbers came before the period, and before the last move down. */
  readonly periodAfter: number;
  readonly climbsAfter: number;
}

/** A tier's benefit that the person holds. */
export interface Gift {
  readonly tier: string;
  readonly order: number;
  used: boolean;
}

const NOWHERE: Place = {
  tier: null,
  reachedAt: null,
  reachedBy: null,
  firstDay: null,
  endsOn: null,
  expired: false,
  periodAfter: 0,
  climbsAfter: 0,
};

export class Climber {
  place: Place = NOWHERE;
  gifts: Gift[] = [];
  joinedAt: number | null = null;
  leftAt: number | null = null;
  blockedAt: number | null = null;
  /** The tier that staff have pinned, and when. It is what everybody sees; `place` goes on beneath it. */
  pin: { readonly tier: string | null; readonly at: number } | null = null;
  private order = 0;
  private readonly earned: Earned[] = [];

  get isAway(): boolean {
    return this.leftAt !== null || this.blockedAt !== null;
  }

  /** Returns what any reader sees. */
  seen(rules: LadderRules, now: number): Place {
    const settled = this.settled(this.place, rules, now);
    const own = this.isAway ? settled : this.climbedFrom(settled, rules, now, null).place;
    if (this.pin === null) return own;
    return { ...own, tier: this.pin.tier, reachedAt: this.pin.at, endsOn: null, expired: false };
  }

  /** Returns false if the ladder has no such tier. */
  pinTo(tier: string | null, rules: LadderRules, now: number): boolean {
    if (tier !== null && !isOn(tier, rules)) return false;
    if (this.pin !== null && this.pin.tier === tier) return true;
    const height = heightOf(this.seen(rules, now), rules);
    this.look(rules, now);
    this.pin = { tier, at: now };
    this.give(
      rules.ladder.slice(height, rankOf(tier, rules)).map(({ id }) => id),
      rules,
    );
    return true;
  }

  unpin(rules: LadderRules, now: number): void {
    if (this.pin === null) return;
    this.pin = null;
    this.look(rules, now);
  }

  /** The job stores exactly what any reader sees. */
  look(rules: LadderRules, now: number): void {
    const settled = this.settled(this.place, rules, now);
    const climbed = this.isAway ? null : this.climbedFrom(settled, rules, now, null);
    this.place = climbed?.place ?? settled;
    this.give(climbed?.reached ?? [], rules);
  }

  earn(figures: Figures, rules: LadderRules, now: number): Earned {
    this.look(rules, now);
    const earned: Earned = { order: ++this.order, figures, returned: [], climbed: null };
    this.earned.push(earned);
    const { place, reached } = this.isAway
      ? { place: this.place, reached: [] }
      : this.climbedFrom(this.place, rules, now, earned);
    // The first purchase places a new person: it reaches every tier that is reached at that instant.
    const isPlaced = this.place.reachedAt === now && this.place.reachedBy === null;
    const before = isPlaced ? { ...this.place, reachedBy: earned } : this.place;
    if (reached.length > 0) earned.climbed = { reached, before, ladder: rules };
    this.place = place;
    this.give(reached, rules);
    return earned;
  }

  /** Returns the tiers that the return takes away. */
  takeBack(earned: Earned, figures: Figures, rules: LadderRules, now: number): string[] {
    this.place = this.settled(this.place, rules, now);
    earned.returned.push({ order: ++this.order, figures });
    const wasExpired = this.place.expired;
    const undone: Earned[] = [];
    let cause: Earned | null = earned;
    while (cause !== null && cause === this.place.reachedBy && this.stepDown(cause, rules, now)) {
      undone.push(cause);
      const next: Earned | null = this.place.reachedBy;
      cause = next !== null && next.returned.length > 0 && !undone.includes(next) ? next : null;
    }
    const height = wasExpired ? rankOf(this.place.tier, rules) : heightOf(this.place, rules);
    return undone.flatMap((cause) => {
      const { reached } = cause.climbed!;
      const kept = reached.findLastIndex((tier) => isOn(tier, rules) && rankOf(tier, rules) <= height);
      const lost = reached.slice(kept + 1);
      this.gifts = this.gifts.filter(
        ({ tier, order, used }) => !lost.includes(tier) || order < cause.order || used,
      );
      return lost;
    });
  }

  join(rules: LadderRules, now: number): void {
    if (this.leftAt !== null) {
      this.leftAt = null;
      this.look(rules, now);
    }
    if (this.joinedAt !== null) return;
    this.look(rules, now);
    this.joinedAt = now;
    const rank = rankOf(this.place.tier, rules);
    if (rules.ladder[rank - 1]?.threshold === 0 && !this.place.expired)
      this.place = { ...this.reachedNow(this.place, rules, now), reachedBy: null };
    this.order++;
    const height = Math.max(rank, rankOf(this.pin?.tier ?? null, rules));
    this.give(
      rules.ladder.slice(0, height).map(({ id }) => id),
      rules,
    );
  }

  /** The ladder changes. */
  change(before: LadderRules, after: LadderRules, now: number): void {
    const settled = this.settled(this.place, before, now);
    const held = remaining(settled, before, after);
    const climbed = this.isAway ? null : this.climbedFrom(held, after, now, null);
    const place = climbed?.place ?? held;
    this.place = before.validMonths === after.validMonths ? place : redated(place, after, now, this.order);
    const isFirst = after.ladder[rankOf(place.tier, after) - 1]?.threshold === 0;
    if (isFirst && place.tier !== settled.tier && this.joinedAt !== null)
      this.place = { ...this.place, reachedAt: this.joinedAt, reachedBy: null };
    this.order++;
    this.give(climbed?.reached ?? [], after);
    if (this.pin === null || this.pin.tier === null) return;
    const left = remaining({ ...NOWHERE, tier: this.pin.tier }, before, after).tier;
    this.pin = left === null ? null : { ...this.pin, tier: left };
  }

  /** Moves to the highest tier that the rest of the climb still meets, or to its start. Returns false if nothing moves. */
  private stepDown({ climbed }: Earned, rules: LadderRules, now: number): boolean {
    const from = this.place;
    const left = remaining(climbed!.before, climbed!.ladder, rules);
    const before =
      climbed!.ladder.validMonths === rules.validMonths ? left : redated(left, rules, now, this.order);
    const counted = this.figureSince(before.climbsAfter, rules);
    const steps = rules.ladder.slice(heightOf(before, rules), rankOf(from.tier, rules));
    const met = steps.findLast(({ threshold }) => threshold <= counted);
    if (steps.length === 0 || met?.id === from.tier) return false;
    // If the order of the ladder changed, the tier held may now be above all tiers that were reached. Then it stays.
    const { reached } = climbed!;
    const isAll = reached.every((tier) => isOn(tier, rules));
    if (isAll && reached.every((tier) => rankOf(tier, rules) < rankOf(from.tier, rules))) return false;
    this.place = met === undefined ? this.settled(before, rules, now) : { ...from, tier: met.id };
    return true;
  }

  private settled(from: Place, rules: LadderRules, now: number): Place {
    const last = Math.min(now, this.leftAt ?? Infinity, this.blockedAt ?? Infinity);
    const today = dayAt(last, rules.zone);
    const { validMonths } = rules;
    if (validMonths === null) return from;
    let place = from;
    while (place.endsOn !== null && !place.expired && place.endsOn < today)
      place = this.atPeriodEnd(place, place.endsOn, { ...rules, validMonths });
    return place;
  }

  private atPeriodEnd(place: Place, endsOn: string, rules: LadderRules & { validMonths: number }): Place {
    const figure = Math.max(0, this.figureInPeriod(place, rules));
    const steps = rules.ladder.slice(0, rankOf(place.tier, rules));
    const met = steps.findLast(({ threshold }) => threshold <= figure);
    const counted = { periodAfter: this.order, climbsAfter: this.order };
    if (met === undefined) return { ...place, ...counted, expired: true };
    if (met.id === place.tier) {
      let months = rules.validMonths;
      while (plusMonths(place.firstDay!, months) <= endsOn) months += rules.validMonths;
      return { ...place, endsOn: plusMonths(place.firstDay!, months), periodAfter: this.order };
    }
    const reachedAt = endOfDayAt(endsOn, rules.zone);
    const period = periodFrom(endsOn, rules);
    return { tier: met.id, reachedAt, reachedBy: null, expired: false, ...period, ...counted };
  }

  private climbedFrom(
    from: Place,
    rules: LadderRules,
    now: number,
    reachedBy: Earned | null,
  ): { place: Place; reached: readonly string[] } {
    const figure = this.figureSince(from.climbsAfter, rules);
    const reached = rules.ladder
      .slice(heightOf(from, rules))
      .filter(({ threshold }) => threshold <= figure)
      .map(({ id }) => id);
    const tier = reached.at(-1);
    if (tier === undefined) return { place: from, reached };
    return { place: { ...this.reachedNow({ ...from, tier }, rules, now), reachedBy }, reached };
  }

  private reachedNow(place: Place, rules: LadderRules, now: number): Place {
    const period = periodFrom(dayAt(now, rules.zone), rules);
    return { ...place, reachedAt: now, expired: false, periodAfter: this.order, ...period };
  }

  /** Only active members get benefits, once for each tier. */
  private give(tiers: readonly string[], rules: LadderRules): void {
    if (this.joinedAt === null || this.isAway) return;
    for (const { id, gift } of rules.ladder)
      if (gift && tiers.includes(id) && !this.gifts.some(({ tier }) => tier === id))
        this.gifts.push({ tier: id, order: this.order, used: false });
  }

  /** Returns the figure earned since then, less everything ever returned of it. */
  figureSince(order: number, { measure }: LadderRules): number {
    return this.earned
      .filter((earned) => earned.order > order)
      .reduce((sum, { figures, returned }) => sum + figures[measure] - total(returned, measure), 0);
  }

  /** Returns the figure earned in the period, less all returns in it of anything earned since the last move down. */
  private figureInPeriod({ periodAfter, climbsAfter }: Place, { measure }: LadderRules): number {
    return this.earned
      .filter((earned) => earned.order > climbsAfter)
      .reduce((sum, { order, figures, returned }) => {
        const own = order > periodAfter ? figures[measure] : 0;
        const back = returned.filter((one) => one.order > periodAfter);
        return sum + own - total(back, measure);
      }, 0);
  }
}

function rankOf(tier: string | null, { ladder }: LadderRules): number {
  return ladder.findIndex(({ id }) => id === tier) + 1;
}

function heightOf(place: Place, rules: LadderRules): number {
  return place.expired ? 0 : rankOf(place.tier, rules);
}

function isOn(tier: string, { ladder }: LadderRules): boolean {
  return ladder.some(({ id }) => id === tier);
}

/** Maps a place to another ladder. If its tier is gone, returns the highest remaining tier below it, or no place. */
function remaining(place: Place, then: LadderRules, rules: LadderRules): Place {
  if (place.tier === null || isOn(place.tier, rules)) return place;
  const below = then.ladder.slice(0, rankOf(place.tier, then) - 1);
  const left = below.findLast(({ id }) => isOn(id, rules));
  return left === undefined ? { ...NOWHERE, climbsAfter: place.climbsAfter } : { ...place, tier: left.id };
}

function periodFrom(firstDay: string, { validMonths }: LadderRules): Pick<Place, 'firstDay' | 'endsOn'> {
  return { firstDay, endsOn: validMonths === null ? null : plusMonths(firstDay, validMonths) };
}

/** A period starts when the tier was reached, or today and after all that has happened if it would already be over. */
function redated(place: Place, rules: LadderRules, now: number, order: number): Place {
  if (place.reachedAt === null || place.expired) return place;
  const today = dayAt(now, rules.zone);
  const period = periodFrom(dayAt(place.reachedAt, rules.zone), rules);
  const isOver = period.endsOn !== null && period.endsOn < today;
  return { ...place, ...(isOver ? { ...periodFrom(today, rules), periodAfter: order } : period) };
}

function total(returned: Earned['returned'], measure: LadderRules['measure']): number {
  return returned.reduce((sum, { figures }) => sum + figures[measure], 0);
}
