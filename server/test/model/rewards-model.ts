/**
 * A second, very small implementation of the automatic rewards, written from the text of the rules. It shares no code
 * with the service. It looks for birthdays day by day and adds up each month again.
 */
import { dayAt, plusDays, plusMonths } from './days.ts';

/** The program's settings for the two rewards that depend on the clock. */
export interface RewardRules {
  readonly birthday: 'points' | 'benefit' | 'expired benefit' | null;
  readonly monthlyTop: 'points' | 'benefit' | 'expired benefit' | null;
  readonly settleDays: number;
}

export interface Celebrant {
  code: number;
  active: boolean;
  birthDate: string | null;
  /** The local day on which the member gave the date. */
  toldOn: string;
}

export interface Sale {
  readonly who: Celebrant;
  readonly day: string;
  /** Counts up with every sale. */
  readonly number: number;
  kept: number;
}

/** A reward that was given or withheld. A month is written as `2027-04`. */
export interface Reward {
  readonly who: Celebrant;
  readonly event: 'birthday' | 'monthly_top';
  readonly period: string;
  readonly on: string;
}

export class RewardModel {
  readonly people: Celebrant[] = [];
  readonly sales: Sale[] = [];
  readonly given: Reward[] = [];
  readonly withheld: Reward[] = [];
  rules: RewardRules = { birthday: null, monthlyTop: null, settleDays: 0 };
  now: number;
  private readonly zone: string;
  private announced = { birthday: '', monthlyTop: '' };
  private readonly settledMonths = new Set<string>();
  private birthdaysFailSince: string | null = null;

  constructor(zone: string, now: number) {
    this.zone = zone;
    this.now = now;
  }

  get today(): string {
    return this.dayOf(this.now);
  }

  dayOf(at: number): string {
    return dayAt(at, this.zone);
  }

  change(next: RewardRules): void {
    for (const event of ['birthday', 'monthlyTop'] as const)
      if (this.rules[event] === null && next[event] !== null) this.announced[event] = this.today;
    this.rules = next;
  }

  tellBirthDate(who: Celebrant, birthDate: string | null): void {
    if (who.birthDate !== birthDate) who.toldOn = this.today;
    who.birthDate = birthDate;
  }

  /** A run of the birthday job that fails. */
  failBirthdays(): void {
    if (this.rules.birthday !== null) this.birthdaysFailSince ??= this.today;
  }

  runBirthdays(): void {
    const { today } = this;
    const back = this.birthdaysFailSince === null ? 7 : 7 + daysFrom(this.birthdaysFailSince, today);
    this.birthdaysFailSince = null;
    if (this.rules.birthday === null) return;
    for (const who of this.people) {
      for (let ago = 0; ago <= Math.min(back, 60); ago++) {
        const day = plusDays(today, -ago);
        if (day < this.announced.birthday || !isBirthday(day, who) || who.toldOn >= day || !who.active)
          continue;
        const before = this.given.filter((reward) => reward.who === who && reward.event === 'birthday');
        const isNew = before.every(
          ({ period, on }) => period !== day.slice(0, 4) && daysFrom(on, today) >= 300,
        );
        if (isNew)
          this.hand({ who, event: 'birthday', period: day.slice(0, 4), on: today }, this.rules.birthday);
      }
    }
  }

  runMonthlyTop(): void {
    const { today } = this;
    const { monthlyTop, settleDays } = this.rules;
    if (monthlyTop === null) return;
    const isOver = (first: string) => plusDays(plusMonths(first, 1), settleDays) <= today;
    let first = plusMonths(`${this.announced.monthlyTop.slice(0, 7)}-01`, 1);
    for (; isOver(first); first = plusMonths(first, 1)) {
      const period = first.slice(0, 7);
      if (this.settledMonths.has(period)) continue;
      const who = this.bestOf(period);
      const handed =
        who !== undefined && this.hand({ who, event: 'monthly_top', period, on: today }, monthlyTop);
      if (handed || isOver(plusMonths(first, 1))) this.settledMonths.add(period);
    }
  }

  private hand(reward: Reward, gives: 'points' | 'benefit' | 'expired benefit'): boolean {
    const list = gives === 'expired benefit' ? this.withheld : this.given;
    list.push(reward);
    return list === this.given;
  }

  private bestOf(month: string): Celebrant | undefined {
    const sums = this.people.map((who) => {
      const sales = this.sales.filter(
        (sale) => sale.who === who && sale.day.slice(0, 7) === month && sale.kept > 0,
      );
      const sum = sales.reduce((all, { kept }) => all + kept, 0);
      return { who, sum, last: sales.at(-1)?.number ?? 0 };
    });
    const best = sums
      .filter(({ who, sum }) => who.active && sum > 0)
      .sort((a, b) => b.sum - a.sum || a.last - b.last);
    return best[0]?.who;
  }
}

function isBirthday(day: string, { birthDate }: Celebrant): boolean {
  if (birthDate === null || day <= birthDate) return false;
  if (birthDate.slice(5) === '02-29') return day.slice(5) === (isLeap(day) ? '02-29' : '02-28');
  return day.slice(5) === birthDate.slice(5);
}

function isLeap(day: string): boolean {
  return plusDays(`${day.slice(0, 4)}-02-28`, 1).slice(5) === '02-29';
}

function daysFrom(day: string, to: string): number {
  return (Date.parse(to) - Date.parse(day)) / 86_400_000;
}
