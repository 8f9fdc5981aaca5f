import { dateFormat, numberFormat } from '#text/formats.ts';
import type { Language } from '#text/language.ts';
import type { EarningRule } from '#program/earning-rules.ts';

/** What the words of a rule need of its program. */
export interface Told {
  readonly language: Language;
  readonly timeZone: string;
  readonly currency: string;
  /** The name of a tier by its id. */
  readonly nameOfLevel: (id: string) => string;
  /** Null if the program does not name it. */
  readonly nameOfBranch: (id: number) => string | null;
  readonly nameOfRegister: (id: number) => string | null;
}

/** Returns what a rule gives and asks, in words: `points × 2 on coffee, Monday, Tuesday, from 07:00 to 10:00`. */
export function tellRule({ when, gives, limit, to }: EarningRule, told: Told): string {
  const { language, timeZone, currency, nameOfLevel } = told;
  const t = words[language];
  const number = numberFormat(language, { maximumFractionDigits: 3 });
  const money = numberFormat(language, { style: 'currency', currency, maximumFractionDigits: 0 });
  const weekday = dateFormat(language, { weekday: 'long', timeZone: 'UTC' });
  const day = dateFormat(language, { dateStyle: 'long', timeZone });
  const gift =
    gives.kind === 'multiply'
      ? t.times(number.format(gives.thousandths / 1000))
      : t.added[gives.per](number.format(gives.points));
  const list = <T>(
    values: ReadonlySet<T> | null,
    write: (text: string) => string,
    name: (value: T) => string,
  ) => (values === null ? null : write(Array.from(values, name).join(', ')));
  const sold = [...(when.products ?? []), ...(when.categories ?? [])];
  const asked = [
    list(when.weekdays, String, (n) => weekday.format(new Date(Date.UTC(2024, 0, n)))), // 1 January 2024 is a Monday
    when.hours && t.hours(clock(when.hours.from), clock(when.hours.to)),
    list(when.channels, t.channels, String),
    list(when.branches, t.at, (id) => told.nameOfBranch(id) ?? t.branch(id)),
    list(when.registers, t.at, (id) => told.nameOfRegister(id) ?? t.register(id)),
    list(when.levels, t.levels, nameOfLevel),
    when.firstPurchase ? t.first : null,
    when.minAmount > 0 ? t.least(money.format(when.minAmount)) : null,
    when.joinedDays === null ? null : t.joined(number.format(when.joinedDays)),
    limit && t.limit(limit.times === 1 ? t.once : t.often(number.format(limit.times)), t.periods[limit.per]),
    // The instant itself is no longer part of it.
    to && t.until(day.format(to.getTime() - 1)),
  ].filter((part) => part !== null);
  return [sold.length === 0 ? gift : `${gift} ${t.on} ${sold.join(', ')}`, ...asked].join(', ');
}

function clock(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}

const english = {
  on: 'on',
  times: (by: string) => `points × ${by}`,
  added: {
    purchase: (points: string) => `${points} points more`,
    unit: (points: string) => `${points} points more for each unit`,
  },
  hours: (from: string, to: string) => `from ${from} to ${to}`,
  channels: (names: string) => `through ${names}`,
  at: (names: string) => `at ${names}`,
  branch: (id: number) => `branch ${id}`,
  register: (id: number) => `register ${id}`,
  levels: (names: string) => `for ${names}`,
  first: 'with the first purchase',
  least: (amount: string) => `from ${amount}`,
  joined: (days: string) => `in the first ${days} days`,
  once: 'once',
  often: (times: string) => `${times} times`,
  limit: (times: string, period: string) => `at most ${times} ${period}`,
  periods: { day: 'a day', week: 'a week', month: 'a month', ever: 'in all' },
  until: (day: string) => `until ${day}`,
};

const spanish: typeof english = {
  on: 'en',
  times: (by) => `puntos × ${by}`,
  added: {
    purchase: (points) => `${points} puntos más`,
    unit: (points) => `${points} puntos más por unidad`,
  },
  hours: (from, to) => `de ${from} a ${to}`,
  channels: (names) => `por ${names}`,
  at: (names) => `en ${names}`,
  branch: (id) => `la sucursal ${id}`,
  register: (id) => `la caja ${id}`,
  levels: (names) => `para ${names}`,
  first: 'con la primera compra',
  least: (amount) => `desde ${amount}`,
  joined: (days) => `en los primeros ${days} días`,
  once: 'una vez',
  often: (times) => `${times} veces`,
  limit: (times, period) => `como máximo ${times} ${period}`,
  periods: { day: 'al día', week: 'a la semana', month: 'al mes', ever: 'en total' },
  until: (day) => `hasta el ${day}`,
};

const words = { en: english, es: spanish };
