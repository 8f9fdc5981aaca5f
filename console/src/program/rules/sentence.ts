import type { Program } from '@loyalty/sdk/admin';
import { nameOfBranch } from '../../branches.ts';
import type { Format } from '../../format.ts';
import { localTimeOf } from '../zone.ts';
import { registersOf } from './registers.ts';
import type { RuleTexts } from './texts.ts';

export type Rule = Program['earning']['rules'][number];

/** Words of a sentence, with what the owner chose between them. */
export type Piece = readonly [before: string, chosen: string, after?: string];

/** Says a rule in one sentence: **Double** points on **coffee** from **7 to 10** on **weekdays** until **30 June**. */
export function sayRule(rule: Rule, program: Program, t: RuleTexts['said'], f: Format): readonly Piece[] {
  const { when, give, limit } = rule;
  const number = numberIn(f);
  const zone = program.time_zone;
  return [
    give.multiply === null
      ? t.points(number(give.points), give.per === 'unit')
      : t.multiply(give.multiply, number(give.multiply)),
    ...sayConditions(when, program, t, f),
    rule.from === null ? null : t.from(sayInstant(rule.from, zone, f, false)),
    rule.to === null ? null : t.until(sayInstant(rule.to, zone, f, true)),
    limit && t.limit(limit.times, number(limit.times), limit.per),
  ].filter((piece) => piece !== null);
}

/** Says which purchases are meant, and which of their lines. */
export function sayConditions(
  when: Rule['when'],
  program: Program,
  t: RuleTexts['said'],
  f: Format,
): readonly Piece[] {
  const list = (values: readonly (string | number)[]) =>
    new Intl.ListFormat(f.locale, { type: 'conjunction' }).format(values.map(String));
  const of = (values: readonly (string | number)[], say: (names: string) => Piece) =>
    values.length === 0 ? null : say(list(values));
  const tierOf = (id: string) => program.levels.ladder.find((tier) => tier.id === id)?.name ?? id;
  const registers = new Map(registersOf(program.branches, when.branches));
  return [
    of(when.products, t.on),
    of(when.categories, t.on),
    when.min_amount === null
      ? null
      : t.least(typeof when.min_amount === 'number' ? f.money(when.min_amount) : '…'),
    when.first_purchase ? t.first : null,
    when.hours && t.hours(shortTime(when.hours.from), shortTime(when.hours.to)),
    sayWeekdays(when.weekdays, t, list),
    of(when.channels, t.through),
    of(
      when.branches.map((id) => nameOfBranch(program.branches, id) ?? t.branch(id)),
      t.at,
    ),
    of(
      when.registers.map((id) => registers.get(id) ?? t.register(id)),
      t.at,
    ),
    of(when.levels.map(tierOf), t.levels),
    when.joined_days === null ? null : t.joined(numberIn(f)(when.joined_days)),
  ].filter((piece) => piece !== null);
}

/** Writes a number; what was typed and is none becomes a gap. */
export const numberIn =
  (f: Format) =>
  (value: unknown): string =>
    typeof value === 'number' ? f.number(value) : '…';

const WORKING = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const;
const FREE = ['saturday', 'sunday'] as const;

function sayWeekdays(
  days: Rule['when']['weekdays'],
  t: RuleTexts['said'],
  list: (names: readonly string[]) => string,
): Piece | null {
  const are = (others: readonly string[]) =>
    days.length === others.length && others.every((day) => days.some((one) => one === day));
  if (days.length === 0) return null;
  if (are(WORKING)) return t.workingDays;
  if (are(FREE)) return t.freeDays;
  return t.days(list(days.map((day) => t.weekdays[day])));
}

/** `07:00` is 7, `07:30` stays 7:30. */
const shortTime = (time: string): string => time.replace(/^0(?=\d)/, '').replace(/:00$/, '') || '…';

/** A day or, within one, the time too. An end is no longer part of the rule, so whole days end with the day before it. */
function sayInstant(instant: string, zone: string, f: Format, isEnd: boolean): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return '…';
  if (!localTimeOf(instant, zone).endsWith('T00:00')) return f.dayAndTime(instant);
  return f.day(new Date(isEnd ? at - 1 : at).toISOString());
}
