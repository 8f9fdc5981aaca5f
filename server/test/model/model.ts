/**
 * A second, very small implementation of the whole program, in memory and one step at a time. The service must get the
 * same results. It shares no code with the service. Points are stored grant by grant, and days are counted one by one.
 */
import type { Reported } from '#test/random-purchases.ts';
import { dayAt, firstInstantOf, plusDays, plusMonths } from './days.ts';
import { earningRule, pointsOf, remainderOf, type EarningRule, type EarningRules } from './earning.ts';
import { giveBack, type Rest } from './lines.ts';
import { Collector, type StampKind } from './stamps.ts';
import { Climber, type Earned, type LadderRules, type Place } from './ladder.ts';

export interface Rules extends EarningRules {
  /** The highest amount of a purchase. */
  readonly ceiling: number;
  readonly returns: 'negative' | 'clamp' | 'refuse';
  readonly mode: 'none' | 'rolling' | 'accumulated';
  readonly months: number;
  readonly measure: 'points' | 'amount';
  readonly validMonths: number | null;
  readonly ladder: readonly (LadderRules['ladder'][number] & { readonly multiplier: number })[];
  readonly welcome: number | null;
  /** For how many days the points of a purchase wait; null if they do not. */
  readonly waits: number | null;
  readonly stamps: readonly StampKind[];
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

interface Figures {
  points: number;
  amount: number;
}

export interface Person {
  state: 'stranger' | 'invited' | 'member' | 'left';
  grants: Grant[];
  debt: number;
  figures: Figures;
  count: number;
  /** When they joined for the first time. */
  firstJoinedAt: number | null;
  movedOn: string | null;
  /** Their place on the ladder, whether they are blocked, and the benefits of tiers. */
  readonly climber: Climber;
  readonly purchases: Purchase[];
  readonly collector: Collector;
  /** Points of an expired day that returns did not take back, by day and kind. */
  readonly forgiven: Map<string, number>;
  /** True if their mailbox has got the welcome reward, by an earlier row of theirs perhaps. */
  wasWelcomed: boolean;
  /** True if they joined while blocked, so they are not welcomed yet. */
  waitsForWelcome: boolean;
  isErased: boolean;
}

export interface Purchase {
  readonly person: Person;
  readonly amount: number;
  readonly at: number;
  /** What is left of its lines. */
  rests: readonly Rest[];
  readonly rule: EarningRule;
  /** Where its points went. */
  brought: readonly Taken[];
  grant: Grant;
  /** What waits of it until an instant; null if nothing does. */
  waiting: { points: number; readonly until: number } | null;
  /** The most of its points that can still be where its grant is. */
  bound: number;
  forgiven: number;
  reversed: number;
  readonly earned: Earned;
  readonly stamped: ReturnType<Collector['stamp']>;
}

export interface Voucher {
  readonly person: Person;
  readonly offer: Offer;
  dueAt: number;
  readonly taken: readonly Taken[];
  used: boolean;
  givenBack: boolean;
  /** When it was last used. */
  usedAt: number;
  /** Whether its date was moved because a use was undone after it. */
  isExtended: boolean;
}

/** For so long the programs of the model undo the use of a code. */
export const UNDO_DAYS = 20;

export class Model {
  rules: Rules;
  /** Whether points have ever waited, so benefits of tiers may still. */
  hasWaited = false;
  /** How often the program has stopped carrying remainders. */
  run = 0;
  now: number;
  readonly offers: readonly Offer[];
  readonly sold = new Map<string, number>();
  readonly people: Person[] = [];

  constructor(rules: Rules, offers: readonly Offer[], now: number) {
    this.rules = rules;
    this.offers = offers;
    this.now = now;
  }

  /** Goes on to an instant. What has waited becomes available on the way, each at its own. */
  passTo(instant: number): void {
    const due = this.people
      .flatMap(({ purchases }) => purchases)
      .filter(({ waiting }) => waiting !== null && waiting.until <= instant)
      .sort((a, b) => a.waiting!.until - b.waiting!.until);
    for (const purchase of due) {
      this.now = purchase.waiting!.until;
      this.release(purchase);
    }
    this.now = instant;
  }

  /** The points are a grant of this day, dated like a reward. */
  private release(purchase: Purchase): void {
    const { person, waiting } = purchase;
    const grant = this.rewardGrant(person);
    const { points } = waiting!;
    const paid = this.grant(person, points, grant);
    purchase.waiting = null;
    purchase.grant = grant;
    purchase.bound = grant.left;
    purchase.brought = this.broughtTo(grant, points, paid);
    this.tighten(person);
  }

  private broughtTo({ day, moves }: Grant, points: number, paid: number): Taken[] {
    return merge([
      { day, moves, points: points - paid },
      { day: NEVER, moves: false, points: paid },
    ]);
  }

  /** Returns what waits of a person's purchases. */
  waitingOf({ purchases }: Person): number {
    return purchases.reduce((all, { waiting }) => all + (waiting?.points ?? 0), 0);
  }

  /** Returns the money that waits for a person's next purchase, in thousandths. */
  remainderOf({ purchases, isErased }: Person): number {
    if (isErased || !this.rules.carries) return 0;
    return purchases
      .filter(({ rule }) => rule.carried?.run === this.run)
      .reduce((all, { rests, rule }) => all + remainderOf(rests, rule), 0);
  }

  get today(): string {
    return dayAt(this.now, this.rules.zone);
  }

  stranger(): Person {
    const person: Person = {
      state: 'stranger',
      grants: [],
      debt: 0,
      figures: { points: 0, amount: 0 },
      count: 0,
      firstJoinedAt: null,
      movedOn: null,
      climber: new Climber(),
      purchases: [],
      collector: new Collector(),
      forgiven: new Map(),
      wasWelcomed: false,
      waitsForWelcome: false,
      isErased: false,
    };
    this.people.push(person);
    return person;
  }

  /** Returns undefined if the purchase is refused. */
  earn(person: Person, what: Reported): Purchase | undefined {
    const { amount } = what;
    if (person.climber.isAway || amount > this.rules.ceiling) return undefined;
    if (person.state === 'stranger') person.state = 'invited';
    const { rules, today } = this;
    const rule = earningRule(rules, { ...what, now: this.now }, this.multiplierOf(person), {
      purchases: person.count,
      joinedAt: person.firstJoinedAt,
      remainder: this.remainderOf(person),
      run: this.run,
      earned: person.purchases.map((one) => ({
        day: dayAt(one.at, rules.zone),
        points: pointsOf(one.rests, one.rule),
      })),
      uses: person.purchases
        .filter((one) => one.reversed < one.amount)
        .flatMap((one) =>
          one.rule.ruled.used.map((used) => ({ rule: used, day: dayAt(one.at, rules.zone) })),
        ),
    });
    const points = pointsOf(rule.ruled.lines, rule);

    const day = this.purchaseDay(person);
    const moves = rules.mode === 'accumulated';
    if (moves) this.move(person, day);
    const grant: Grant = { day, moves, left: 0 };
    const waiting =
      rules.waits === null
        ? null
        : { points, until: firstInstantOf(plusDays(today, rules.waits), rules.zone) };
    this.hasWaited ||= waiting !== null;
    const had = waiting === null ? points : 0;
    const paid = this.grant(person, had, grant);
    person.movedOn = today;
    person.figures = { points: person.figures.points + points, amount: person.figures.amount + amount };
    person.count++;
    const brought = this.broughtTo(grant, had, paid);
    const earned = person.climber.earn({ points, amount }, rules, this.now);
    const bound = grant.left;
    const { now } = this;
    const stamped = person.collector.stamp(rules.stamps, { ...what, now, zone: rules.zone }, rule.ruled);
    const purchase = {
      person,
      amount,
      at: this.now,
      rests: rule.ruled.lines,
      rule,
      brought,
      grant,
      waiting,
      bound,
      forgiven: 0,
      reversed: 0,
      earned,
      stamped,
    };
    person.purchases.push(purchase);
    this.tighten(person);
    return purchase;
  }

  /** Returns the points that leave what waits and the balance, or undefined if the return is refused. */
  reverse(purchase: Purchase, amount: number | undefined): number | undefined {
    const { person } = purchase;
    const left = purchase.amount - purchase.reversed;
    const returned = amount ?? left;
    if (left === 0 || returned <= 0 || returned > left) return undefined;
    const rests = giveBack(purchase.rule.ruled, purchase.rests, returned);
    const points = pointsOf(purchase.rests, purchase.rule) - pointsOf(rests, purchase.rule);
    const waited = Math.min(points, purchase.waiting?.points ?? 0);
    const forgiven = Math.min(points - waited, this.expiredOf(purchase));
    const wanted = points - waited - forgiven;
    const balance = this.balanceOf(person);
    // Nobody is left who could owe points.
    const returns = person.isErased ? 'clamp' : this.rules.returns;
    if (returns === 'refuse' && wanted > Math.max(0, balance)) return undefined;

    const own = this.take(person, wanted, this.stillThere(purchase));
    const others = this.take(person, wanted - sum(own), this.pools(person));
    const missing = wanted - sum(own) - sum(others);
    const owed = returns === 'negative' ? missing : 0;
    person.debt += owed;
    for (const { day, moves, points } of [...own, ...others])
      if (day === purchase.grant.day && moves === purchase.grant.moves)
        purchase.bound = Math.max(0, purchase.bound - points);
    if (forgiven > 0) {
      purchase.forgiven += forgiven;
      const key = keyOf(purchase.grant);
      person.forgiven.set(key, (person.forgiven.get(key) ?? 0) + forgiven);
    }
    if (purchase.waiting !== null) purchase.waiting.points -= waited;
    purchase.reversed += returned;
    if (purchase.reversed === purchase.amount) purchase.waiting = null;
    if (!person.isErased) {
      const { rules, now } = this;
      const kept = [purchase.rests, rests] as const;
      const when = { at: purchase.at, now, zone: rules.zone };
      person.collector.takeBack(purchase.stamped, rules.stamps, kept, when);
    }
    purchase.rests = rests;
    person.figures = { points: person.figures.points - points, amount: person.figures.amount - returned };
    if (purchase.reversed === purchase.amount) person.count--;
    person.climber.takeBack(purchase.earned, { points, amount: returned }, this.rules, this.now);
    this.tighten(person);
    return waited + sum(own) + sum(others) + owed;
  }

  exchange(person: Person, offer: Offer): Voucher | undefined {
    if (person.state !== 'member' || person.climber.isAway) return undefined;
    const sold = this.sold.get(offer.id) ?? 0;
    if (offer.limit > 0 && sold >= offer.limit) return undefined;
    if (this.balanceOf(person) < offer.cost) return undefined;
    const taken = this.take(person, offer.cost, this.pools(person));
    if (this.rules.mode === 'accumulated') this.move(person, this.purchaseDay(person));
    person.movedOn = this.today;
    this.sold.set(offer.id, sold + 1);
    this.tighten(person);
    const dueAt = offer.validDays === null ? Infinity : this.now + offer.validDays * 86_400_000;
    return { person, offer, dueAt, taken, used: false, givenBack: false, usedAt: 0, isExtended: false };
  }

  redeem(voucher: Voucher): boolean {
    if (voucher.used || voucher.givenBack || voucher.dueAt < this.now) return false;
    voucher.used = true;
    voucher.usedAt = this.now;
    return true;
  }

  /** A shop undoes the last use. Returns false if it is refused; a repeat changes nothing. */
  undo(voucher: Voucher): boolean {
    if (!voucher.used) return true;
    if (this.now - voucher.usedAt > UNDO_DAYS * 86_400_000 || voucher.person.isErased) return false;
    voucher.used = false;
    if (voucher.dueAt < this.now && !voucher.isExtended) {
      voucher.dueAt = this.now + 30 * 86_400_000;
      voucher.isExtended = true;
    }
    return true;
  }

  giveBack(voucher: Voucher): boolean {
    const { person, offer } = voucher;
    if (voucher.used || voucher.givenBack || person.isErased) return false;
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

  /** Staff add or take points. Returns false if it is refused. */
  adjust(person: Person, points: number, day: string | null): boolean {
    if (day !== null && (points < 0 || this.rules.mode !== 'rolling' || day < this.today)) return false;
    if (points > 0) {
      const own = this.rewardGrant(person);
      this.grant(person, points, day === null ? own : { ...own, day });
    } else if (this.balanceOf(person) < -points) return false;
    else this.take(person, -points, this.pools(person));
    person.figures = { ...person.figures, points: person.figures.points + points };
    person.climber.earn({ points, amount: 0 }, this.rules, this.now);
    this.tighten(person);
    return true;
  }

  /** Returns the welcome reward, or null for none. */
  join(person: Person): number | null {
    if (person.state === 'member') return null;
    const returns = person.state === 'left';
    person.state = 'member';
    person.firstJoinedAt ??= this.now;
    if (!returns && person.climber.blockedAt !== null) {
      person.climber.joinedAt = this.now;
      person.waitsForWelcome = true;
      return null;
    }
    person.climber.join(this.rules, this.now);
    return returns ? null : this.welcome(person);
  }

  private welcome(person: Person): number | null {
    const { figures } = person;
    const { welcome } = this.rules;
    if (welcome === null || person.wasWelcomed) return null;
    person.wasWelcomed = true;
    this.grant(person, welcome, this.rewardGrant(person));
    person.figures = { ...figures, points: figures.points + welcome };
    person.climber.earn({ points: welcome, amount: 0 }, this.rules, this.now);
    this.tighten(person);
    return welcome;
  }

  leave(person: Person): void {
    if (person.state !== 'member') return;
    person.state = 'left';
    person.climber.leftAt = this.now;
  }

  /** Staff block a person, or let them in again. Returns the welcome reward, or null for none. */
  block(person: Person): number | null {
    const { climber } = person;
    if (climber.blockedAt === null) {
      if (person.state !== 'stranger') climber.blockedAt = this.now;
      return null;
    }
    climber.blockedAt = null;
    const isWelcome = person.waitsForWelcome && person.state === 'member';
    person.waitsForWelcome = false;
    if (!isWelcome) {
      climber.look(this.rules, this.now);
      return null;
    }
    // They are placed on the ladder now, but they joined on the day on which they joined.
    const { joinedAt } = climber;
    climber.joinedAt = null;
    climber.join(this.rules, this.now);
    climber.joinedAt = joinedAt;
    return this.welcome(person);
  }

  /**
   * Staff erase a person: what they hold ends, and their unused codes are void. Returns the points that ended, and a stranger
   * with the same address.
   */
  erase(person: Person, vouchers: readonly Voucher[]): { points: number; next: Person } {
    const points = this.balanceOf(person);
    for (const grant of person.grants) if (grant.day >= this.today) grant.left = 0;
    person.debt = 0;
    for (const purchase of person.purchases) purchase.waiting = null;
    for (const voucher of vouchers) {
      if (voucher.person !== person || voucher.used || voucher.givenBack || voucher.dueAt < this.now)
        continue;
      voucher.givenBack = true;
      this.sold.set(voucher.offer.id, this.sold.get(voucher.offer.id)! - 1);
    }
    person.climber.gifts = person.climber.gifts.filter(({ used }) => used);
    if (person.state === 'member') this.leave(person);
    person.isErased = true;
    this.tighten(person);
    const next = this.stranger();
    next.wasWelcomed = person.wasWelcomed;
    return { points, next };
  }

  /** Changes the program. Nobody's points expire earlier, and nobody's tier falls. */
  change(next: Rules): void {
    const before = this.rules;
    if (before.carries && !next.carries) this.run++;
    const expiry = before.mode !== next.mode || (next.mode !== 'none' && before.months !== next.months);
    for (const person of this.people) {
      this.rules = next;
      if (expiry) this.redate(person);
      if (person.state !== 'stranger') person.climber.change(before, next, this.now);
      this.tighten(person);
    }
    this.rules = next;
  }

  balanceOf(person: Person): number {
    return sum(this.pools(person)) - person.debt;
  }

  /** Returns the points that are valid today, by day and kind, the earliest first. */
  pools(person: Person): Taken[] {
    return merge(
      person.grants
        .filter((grant) => grant.day >= this.today)
        .map(({ day, moves, left }) => ({ day, moves, points: left })),
    );
  }

  /** As any reader sees it. */
  placeOf(person: Person): Place {
    return person.climber.seen(this.rules, this.now);
  }

  /** Returns how much of it paid a debt. */
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

  /** Returns the date that the whole balance shares; null if it has passed or never started. */
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

  private multiplierOf(person: Person): number {
    const { tier, expired } = this.placeOf(person);
    const held = this.rules.ladder.find(({ id }) => id === tier);
    return expired || held === undefined ? 1000 : held.multiplier;
  }
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
