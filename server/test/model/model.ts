/**
 * The whole program again, as small as it goes, in memory and one thing after the other: what the service must come
 * to. It shares no code with the service; points are kept grant by grant, days are counted on the fingers.
 */
import { dayAt, plusDays, plusMonths } from './days.ts';
import { earningRule, pointsOf, type EarningRule, type EarningRules } from './earning.ts';

export interface Rules extends EarningRules {
  /** The highest amount of a purchase. */
  readonly ceiling: number;
  readonly returns: 'negative' | 'clamp' | 'refuse';
  readonly mode: 'none' | 'rolling' | 'accumulated';
  readonly months: number;
  readonly measure: 'points' | 'amount';
  readonly validMonths: number | null;
  readonly ladder: readonly { readonly threshold: number; readonly multiplier: number }[];
  readonly welcome: number | null;
}

export interface Offer {
  readonly id: string;
  readonly cost: number;
  readonly limit: number;
  readonly validDays: number | null;
}

const NEVER = 'never';

interface Grant {
  day: string;
  moves: boolean;
  left: number;
}

type Taken = { readonly day: string; readonly moves: boolean; readonly points: number };

interface Standing {
  rank: number;
  reachedOn: string | null;
  reachedBy: Purchase | null;
  endsOn: string | null;
  expired: boolean;
  periodBase: Figures;
  climbBase: Figures;
}

interface Figures {
  points: number;
  amount: number;
}

export interface Person {
  state: 'stranger' | 'invited' | 'member' | 'left';
  blocked: boolean;
  grants: Grant[];
  debt: number;
  figures: Figures;
  count: number;
  movedOn: string | null;
  standing: Standing;
  readonly gifts: Set<number>;
  readonly purchases: Purchase[];
  /** Points of an expired day that returns did not take back, by day and kind. */
  readonly forgiven: Map<string, number>;
}

export interface Purchase {
  readonly person: Person;
  readonly amount: number;
  readonly rule: EarningRule;
  /** Where its points went. */
  readonly brought: readonly Taken[];
  readonly grant: Grant;
  /** At most so many of its points can still lie where its grant lies. */
  bound: number;
  forgiven: number;
  reversed: number;
  readonly climbed: { readonly top: number; readonly before: Standing } | null;
}

export interface Voucher {
  readonly person: Person;
  readonly offer: Offer;
  readonly dueAt: number;
  readonly taken: readonly Taken[];
  used: boolean;
  givenBack: boolean;
}

export class Model {
  rules: Rules;
  now: number;
  readonly offers: readonly Offer[];
  readonly sold = new Map<string, number>();
  readonly people: Person[] = [];

  constructor(rules: Rules, offers: readonly Offer[], now: number) {
    this.rules = rules;
    this.offers = offers;
    this.now = now;
  }

  get today(): string {
    return dayAt(this.now, this.rules.zone);
  }

  stranger(): Person {
    const person: Person = {
      state: 'stranger',
      blocked: false,
      grants: [],
      debt: 0,
      figures: { points: 0, amount: 0 },
      count: 0,
      movedOn: null,
      standing: noStanding(),
      gifts: new Set(),
      purchases: [],
      forgiven: new Map(),
    };
    this.people.push(person);
    return person;
  }

  /** Undefined where the purchase is refused. */
  earn(person: Person, amount: number): Purchase | undefined {
    if (person.state === 'left' || person.blocked || amount > this.rules.ceiling) return undefined;
    if (person.state === 'stranger') person.state = 'invited';
    const { rules, today } = this;
    this.settle(person);
    this.climb(person, null);
    const before = { ...person.standing };
    const rule = earningRule(rules, this.now, this.multiplierOf(person));
    const points = pointsOf(amount, rule);

    const day = this.purchaseDay(person);
    const moves = rules.mode === 'accumulated';
    if (moves) this.move(person, day);
    const grant: Grant = { day, moves, left: 0 };
    const paid = this.grant(person, points, grant);
    person.movedOn = today;
    person.figures = { points: person.figures.points + points, amount: person.figures.amount + amount };
    person.count++;
    const brought = merge([
      { day, moves, points: points - paid },
      { day: NEVER, moves: false, points: paid },
    ]);
    const reached = this.reach(person);
    const climbed = reached.length > 0 ? { top: reached.at(-1)!, before } : null;
    const bound = grant.left;
    const purchase = {
      person,
      amount,
      rule,
      brought,
      grant,
      bound,
      forgiven: 0,
      reversed: 0,
      climbed,
    };
    person.purchases.push(purchase);
    this.climb(person, purchase);
    this.tighten(person);
    return purchase;
  }

  /** What leaves the balance; undefined where the return is refused. */
  reverse(purchase: Purchase, amount: number | undefined): number | undefined {
    const { person } = purchase;
    const left = purchase.amount - purchase.reversed;
    const returned = amount ?? left;
    if (left === 0 || returned <= 0 || returned > left) return undefined;
    const points = pointsOf(left, purchase.rule) - pointsOf(left - returned, purchase.rule);
    const forgiven = Math.min(points, this.expiredOf(purchase));
    const wanted = points - forgiven;
    const balance = this.balanceOf(person);
    if (this.rules.returns === 'refuse' && wanted > Math.max(0, balance)) return undefined;

    this.settle(person);
    const own = this.take(person, wanted, this.stillThere(purchase));
    const others = this.take(person, wanted - sum(own), this.pools(person));
    const missing = wanted - sum(own) - sum(others);
    const owed = this.rules.returns === 'negative' ? missing : 0;
    person.debt += owed;
    for (const { day, moves, points } of [...own, ...others])
      if (day === purchase.grant.day && moves === purchase.grant.moves)
        purchase.bound = Math.max(0, purchase.bound - points);
    if (forgiven > 0) {
      purchase.forgiven += forgiven;
      const key = keyOf(purchase.grant);
      person.forgiven.set(key, (person.forgiven.get(key) ?? 0) + forgiven);
    }
    purchase.reversed += returned;
    person.figures = { points: person.figures.points - points, amount: person.figures.amount - returned };
    if (purchase.reversed === purchase.amount) person.count--;
    this.fall(purchase);
    this.tighten(person);
    return sum(own) + sum(others) + owed;
  }

  exchange(person: Person, offer: Offer): Voucher | undefined {
    if (person.state !== 'member' || person.blocked) return undefined;
    const sold = this.sold.get(offer.id) ?? 0;
    if (offer.limit > 0 && sold >= offer.limit) return undefined;
    if (this.balanceOf(person) < offer.cost) return undefined;
    const taken = this.take(person, offer.cost, this.pools(person));
    if (this.rules.mode === 'accumulated') this.move(person, this.purchaseDay(person));
    person.movedOn = this.today;
    this.sold.set(offer.id, sold + 1);
    this.tighten(person);
    const dueAt = offer.validDays === null ? Infinity : this.now + offer.validDays * 86_400_000;
    return { person, offer, dueAt, taken, used: false, givenBack: false };
  }

  redeem(voucher: Voucher): boolean {
    if (voucher.used || voucher.givenBack || voucher.dueAt < this.now) return false;
    voucher.used = true;
    return true;
  }

  giveBack(voucher: Voucher): boolean {
    if (voucher.used || voucher.givenBack) return false;
    const { person, offer } = voucher;
    const { mode } = this.rules;
    if (mode === 'rolling')
      for (const row of merge(voucher.taken.map((row) => ({ ...row, moves: false })))) {
        const own = row.day === NEVER ? this.rewardDay(person) : row.day;
        const day = own < this.today ? plusDays(this.today, 30) : own;
        this.grant(person, row.points, { day, moves: false, left: 0 });
      }
    else this.grant(person, offer.cost, this.rewardGrant(person));
    voucher.givenBack = true;
    this.sold.set(offer.id, this.sold.get(offer.id)! - 1);
    this.tighten(person);
    return true;
  }

  /** What the welcome gave; null for nothing. */
  join(person: Person): number | null {
    if (person.state === 'member') return null;
    const returns = person.state === 'left';
    person.state = 'member';
    if (returns) return null;
    this.settle(person);
    this.climb(person, null);
    const { standing, figures } = person;
    const { ladder, welcome } = this.rules;
    if (this.tierOf(standing)?.threshold === 0 && !standing.expired)
      person.standing = {
        ...standing,
        reachedOn: this.today,
        reachedBy: null,
        endsOn: this.endOfPeriod(),
        periodBase: { ...figures },
      };
    ladder.forEach((_, i) => i < person.standing.rank && person.gifts.add(i + 1));
    if (welcome === null) return null;
    this.grant(person, welcome, this.rewardGrant(person));
    person.figures = { ...figures, points: figures.points + welcome };
    this.climb(person, null);
    this.tighten(person);
    return welcome;
  }

  leave(person: Person): void {
    if (person.state === 'member') person.state = 'left';
  }

  /** The program changes; nobody's points expire earlier and nobody's tier falls by it. */
  change(next: Rules): void {
    const before = this.rules;
    const expiry = before.mode !== next.mode || (next.mode !== 'none' && before.months !== next.months);
    const tiers = JSON.stringify(levelsOf(before)) !== JSON.stringify(levelsOf(next));
    for (const person of this.people) {
      const climbs = tiers && person.state !== 'stranger' && person.state !== 'left' && !person.blocked;
      this.rules = before;
      if (tiers) this.settle(person);
      this.rules = next;
      if (expiry) this.redate(person);
      if (climbs) this.onNewLadder(person);
      this.tighten(person);
    }
    this.rules = next;
  }

  balanceOf(person: Person): number {
    return sum(this.pools(person)) - person.debt;
  }

  /** What is good today, by day and kind, the earliest first. */
  pools(person: Person): Taken[] {
    return merge(
      person.grants
        .filter((grant) => grant.day >= this.today)
        .map(({ day, moves, left }) => ({ day, moves, points: left })),
    );
  }

  /** As somebody who looks sees it. */
  standingOf(person: Person): Standing {
    const copy = { ...person, gifts: new Set(person.gifts) };
    this.settle(copy);
    this.climb(copy, null);
    return copy.standing;
  }

  /** Gives how much of it paid a debt. */
  private grant(person: Person, points: number, grant: Grant): number {
    const paid = Math.min(points, person.debt);
    person.debt -= paid;
    grant.left = points - paid;
    person.grants.push(grant);
    return paid;
  }

  private take(person: Person, points: number, from: readonly Taken[]): Taken[] {
    const rows: Taken[] = [];
    let wanted = points;
    for (const pool of from) {
      const part = Math.min(wanted, pool.points);
      if (part === 0) continue;
      wanted -= part;
      rows.push({ ...pool, points: part });
      let rest = part;
      for (const grant of person.grants) {
        if (grant.day !== pool.day || grant.moves !== pool.moves) continue;
        const off = Math.min(rest, grant.left);
        grant.left -= off;
        rest -= off;
      }
    }
    return rows;
  }

  private move(person: Person, day: string): void {
    for (const grant of person.grants)
      if (grant.moves && grant.day >= this.today && grant.day < day) grant.day = day;
  }

  private redate(person: Person): void {
    const { mode, months } = this.rules;
    const day = mode === 'none' ? NEVER : plusMonths(this.today, months);
    const held = person.grants.filter((grant) => grant.day >= this.today);
    for (const grant of held) {
      grant.day = grant.day === NEVER ? day : grant.day > day ? grant.day : day;
      grant.moves = mode === 'accumulated';
    }
    if (mode !== 'accumulated') return;
    const latest = held
      .filter((grant) => grant.left > 0)
      .reduce((max, { day }) => (day > max ? day : max), day);
    for (const grant of held) grant.day = latest;
  }

  /** Where the whole balance has one date: that date; null where it has passed or never begun. */
  private commonDay({ grants, movedOn }: Person): string | null {
    const held = grants.find((grant) => grant.moves && grant.left > 0 && grant.day >= this.today);
    const day = held?.day ?? (movedOn === null ? '' : plusMonths(movedOn, this.rules.months));
    return day >= this.today ? day : null;
  }

  private rewardDay(person: Person): string {
    const { mode, months } = this.rules;
    if (mode === 'none') return NEVER;
    const common = mode === 'accumulated' ? this.commonDay(person) : null;
    return common ?? plusMonths(this.today, months);
  }

  private rewardGrant(person: Person): Grant {
    return { day: this.rewardDay(person), moves: this.rules.mode === 'accumulated', left: 0 };
  }

  /** A purchase or an exchange moves the common date on, and never back. */
  private purchaseDay(person: Person): string {
    const { mode, months } = this.rules;
    if (mode === 'none') return NEVER;
    const day = plusMonths(this.today, months);
    const common = mode === 'accumulated' ? this.commonDay(person) : null;
    return common !== null && common > day ? common : day;
  }

  /** A purchase's points cannot be more than all that lies where they lie. */
  private tighten(person: Person): void {
    for (const purchase of person.purchases) {
      const { grant } = purchase;
      if (grant.day < this.today) continue;
      purchase.bound = Math.min(purchase.bound, poolOf(person, grant));
    }
  }

  private expiredOf({ person, grant, bound, forgiven }: Purchase): number {
    if (grant.day >= this.today) return 0;
    const all = poolOf(person, grant) - (person.forgiven.get(keyOf(grant)) ?? 0);
    return Math.max(0, Math.min(bound - forgiven, all));
  }

  /** Of its points, those that lie where they went; what moves is followed. */
  private stillThere({ person, brought }: Purchase): Taken[] {
    let moving = sum(brought.filter((row) => row.moves));
    return this.pools(person).flatMap((pool) => {
      const here = brought.find((row) => !row.moves && !pool.moves && row.day === pool.day)?.points ?? 0;
      const points = Math.min(pool.points, pool.moves ? moving : here);
      if (pool.moves) moving -= points;
      return points > 0 ? [{ ...pool, points }] : [];
    });
  }

  private figure(figures: Figures): number {
    return figures[this.rules.measure];
  }

  private endOfPeriod(from: string = this.today): string | null {
    const { validMonths } = this.rules;
    return validMonths === null ? null : plusMonths(from, validMonths);
  }

  private tierOf({ rank }: Standing) {
    return this.rules.ladder[Math.min(rank, this.rules.ladder.length) - 1];
  }

  private multiplierOf({ standing }: Person): number {
    return standing.expired ? 1000 : (this.tierOf(standing)?.multiplier ?? 1000);
  }

  private settle(person: Person): void {
    const figures = { ...person.figures };
    for (;;) {
      const { standing } = person;
      const { endsOn } = standing;
      if (endsOn === null || standing.expired || this.rules.validMonths === null || endsOn >= this.today)
        return;
      const inPeriod = Math.max(0, this.figure(figures) - this.figure(standing.periodBase));
      const met = this.highest(0, standing.rank, inPeriod);
      if (met === 0)
        person.standing = { ...standing, expired: true, periodBase: figures, climbBase: figures };
      else if (met === standing.rank)
        person.standing = { ...standing, endsOn: this.endOfPeriod(endsOn), periodBase: figures };
      else
        person.standing = {
          rank: met,
          reachedOn: endsOn,
          reachedBy: null,
          endsOn: this.endOfPeriod(endsOn),
          expired: false,
          periodBase: figures,
          climbBase: figures,
        };
    }
  }

  /** The highest rank above `floor` and up to `top` whose threshold a figure meets; 0 for none. */
  private highest(floor: number, top: number, figure: number): number {
    let met = 0;
    this.rules.ladder.forEach(({ threshold }, i) => {
      if (i + 1 > floor && i + 1 <= top && threshold <= figure) met = i + 1;
    });
    return met;
  }

  /** The ranks that the figures reach from where the person stands. */
  private reach({ standing, figures }: Person): number[] {
    const figure = this.figure(figures) - this.figure(standing.climbBase);
    const floor = standing.expired ? 0 : standing.rank;
    return this.rules.ladder.flatMap(({ threshold }, i) =>
      i + 1 > floor && threshold <= figure ? [i + 1] : [],
    );
  }

  private climb(person: Person, reachedBy: Purchase | null): void {
    const reached = this.reach(person);
    const rank = reached.at(-1);
    if (rank === undefined) return;
    const endsOn = this.endOfPeriod();
    const periodBase = { ...person.figures };
    const at = { rank, reachedOn: this.today, reachedBy, endsOn, expired: false, periodBase };
    person.standing = { ...person.standing, ...at };
    if (person.state === 'member' && !person.blocked) for (const rank of reached) person.gifts.add(rank);
  }

  /** After a return: only what this purchase had reached may fall. */
  private fall(purchase: Purchase): void {
    const { person, climbed } = purchase;
    const { standing } = person;
    if (climbed === null || standing.reachedBy !== purchase) return;
    const { before, top } = climbed;
    if (standing.rank === before.rank || standing.rank > top) return;
    const figure = this.figure(person.figures) - this.figure(before.climbBase);
    const met = this.highest(before.expired ? 0 : before.rank, standing.rank, figure);
    if (met === standing.rank) return;
    person.standing = met === 0 ? { ...before } : { ...standing, rank: met };
    if (met === 0) this.settle(person);
  }

  private onNewLadder(person: Person): void {
    this.settle(person);
    this.climb(person, null);
    const { standing } = person;
    if (standing.reachedOn === null || standing.expired) return;
    const end = this.endOfPeriod(standing.reachedOn);
    const endsOn = end !== null && end < this.today ? this.endOfPeriod() : end;
    person.standing = { ...standing, endsOn };
  }
}

function noStanding(): Standing {
  const zero = { points: 0, amount: 0 };
  return {
    rank: 0,
    reachedOn: null,
    reachedBy: null,
    endsOn: null,
    expired: false,
    periodBase: zero,
    climbBase: zero,
  };
}

function levelsOf({ measure, validMonths, ladder }: Rules): unknown {
  return [measure, validMonths, ladder];
}

function keyOf({ day, moves }: { day: string; moves: boolean }): string {
  return `${day} ${moves}`;
}

function poolOf(person: Person, { day, moves }: Grant): number {
  return person.grants.reduce((all, grant) => {
    return grant.day === day && grant.moves === moves ? all + grant.left : all;
  }, 0);
}

function merge(rows: readonly Taken[]): Taken[] {
  const groups = Object.groupBy(rows, keyOf);
  return Object.keys(groups)
    .sort() // 'false' before 'true', and 'never' after every date
    .map((key) => ({ ...groups[key]![0]!, points: sum(groups[key]!) }))
    .filter((row) => row.points > 0);
}

function sum(rows: readonly { readonly points: number }[]): number {
  return rows.reduce((all, { points }) => all + points, 0);
}
