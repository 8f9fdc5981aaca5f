import type { Program, ProgramReward } from '@loyalty/sdk/admin';
import { nameOfBranch, nameOfRegister } from '../branches.ts';
import { useFormat, type Format } from '../format.ts';
import { useEditing } from './editing.ts';
import { patternOf } from './paths.ts';
import { useProgramTexts, type ProgramTexts } from './texts.ts';

type Words = ProgramTexts;

/** Writes the value of a field of a program as people say it: `€2`, `6 months after they were earned`. */
export function useValueText(): (path: string, value: unknown) => string {
  const t = useProgramTexts();
  const f = useFormat();
  const { program } = useEditing();
  return (path, value) => tell(patternOf(path), value, program, t, f);
}

/** Writes the value of a field by the pattern of its path, such as `benefits[].cost`. */
export function tell(pattern: string, value: unknown, program: Program, t: Words, f: Format): string {
  if (/^mail\.words(?:\.|$)/.test(pattern)) return ownWordsIn(value).join(' · ') || t.none;
  if (/^mail\.(?:messages\.|reminders$)/.test(pattern)) return value === true ? t.sent : t.notSent;
  switch (pattern) {
    case 'points_expiration':
      return tellExpiration(value as Program['points_expiration'], t, f);
    case 'points_expiration.mode':
      return tellExpiration({ mode: value as 'none', months: program.points_expiration.months }, t, f);
    case 'earning.pending':
      return tellPending(value as Program['earning']['pending'], t, f);
    case 'earning.double_points[]': {
      const { from, to } = value as { from: string; to: string };
      return tellPeriod(from, to, t, f);
    }
    case 'rewards.welcome':
    case 'rewards.birthday':
    case 'rewards.monthly_top':
      return tellReward(value as ProgramReward | null, program, t, f);
    case 'levels.ladder[].benefit':
    case 'stamps[].then.benefit':
      return value === null ? t.none : titleOf(value as string, program);
    case 'levels.ladder[].threshold':
      return typeof value === 'number' && program.levels.threshold_type === 'amount'
        ? f.money(value)
        : tellNumber(value, (n) => t.points(n, f));
    case 'earning.money_per_point':
    case 'earning.max_amount':
      return tellNumber(value, f.money);
    case 'levels.valid_months':
      return value === null ? t.forEver : tellNumber(value, (n) => t.months(n, f));
    case 'points_expiration.months':
      return tellNumber(value, (n) => t.months(n, f));
    case 'benefits[].valid_days':
      return value === null ? t.forEver : tellNumber(value, (n) => t.days(n, f));
    case 'benefits[].buy_limit':
      return value === 0 ? t.noLimit : tellNumber(value, f.number);
    case 'benefits[].cost':
    case 'step_up_points':
      return tellNumber(value, (n) => t.points(n, f));
    case 'earning.returns':
      return t.returns[value as 'clamp'] ?? String(value);
    case 'earning.lines':
      return t.lines[value as 'optional'] ?? String(value);
    case 'earning.cap': {
      const cap = value as Program['earning']['cap'];
      return cap === null ? t.noLimit : `${t.points(cap.points, f)} ${t.limits[cap.per]}`;
    }
    case 'earning.exclude':
      return tellConditions(value as Program['earning']['exclude'], program, t, f) || t.none;
    case 'branches[].registers':
      return (value as Program['branches'][number]['registers']).map(({ name }) => name).join(', ') || t.none;
    case 'earning.rules[].when':
    case 'stamps[].when':
      return tellConditions(value as Conditions, program, t, f) || t.always;
    case 'earning.rules[].give':
      return tellGift(value as Rule['give'], t, f);
    case 'earning.rules[].limit': {
      const limit = value as Rule['limit'];
      return limit === null ? t.noLimit : `${t.times(limit.times, f)} ${t.limits[limit.per]}`;
    }
    case 'codes.with_return':
      return t.withReturn[value as 'keep'] ?? String(value);
    case 'stamps[].per':
      return t.stampedPer[value as 'unit'] ?? String(value);
    case 'stamps[].within_months':
      return value === null ? t.forEver : tellNumber(value, (n) => t.months(n, f));
    case 'stamps[].min_minutes_between':
      return value === null ? t.none : tellNumber(value, (n) => t.minutes(n, f));
    case 'codes.hold_minutes':
      return tellNumber(value, (n) => t.minutes(n, f));
    case 'codes.undo_days':
      return tellNumber(value, (n) => t.days(n, f));
    case 'levels.threshold_type':
      return t.thresholdTypes[value as 'points'] ?? String(value);
    case 'benefits[].benefit_type':
      return t.benefitKinds[value as 'normal'] ?? String(value);
    case 'benefits[].type':
      return t.discountKinds[value as 'free_product'] ?? String(value);
    case 'status':
      return t.statuses[value as 'active'] ?? String(value);
    default:
      return tellPlain(pattern, value, t, f);
  }
}

/** The shop's own words in its mails, each in quotation marks. */
function ownWordsIn(value: unknown): string[] {
  if (typeof value === 'string')
    return [`“${value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}”`];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(ownWordsIn) : [];
}

const LONGEST = 60;

type Rule = Program['earning']['rules'][number];
type Conditions = Rule['when'];

/** Writes conditions in the order of the program file; '' for none. */
function tellConditions(
  asked: Partial<Conditions> & Partial<Program['earning']['exclude']>,
  program: Program,
  t: Words,
  f: Format,
): string {
  const list = (values: readonly (string | number)[] | undefined, write: (text: string) => string) =>
    values === undefined || values.length === 0 ? null : write(values.join(', '));
  const { conditions: c } = t;
  const { hours = null, min_amount: least = null, joined_days: days = null } = asked;
  const nameOf = (id: string) => program.levels.ladder.find((tier) => tier.id === id)?.name ?? id;
  return [
    list(asked.products, c.products),
    list(asked.categories, c.categories),
    asked.discounted === true ? c.discounted : null,
    list(asked.channels, c.channels),
    list(
      asked.branches?.map((id) => nameOfBranch(program.branches, id) ?? id),
      c.branches,
    ),
    list(
      asked.registers?.map((id) => nameOfRegister(program.branches, id, null) ?? id),
      c.registers,
    ),
    list(
      asked.weekdays?.map((day) => t.weekdays[day]),
      c.weekdays,
    ),
    hours && c.hours(hours.from, hours.to),
    list(asked.levels?.map(nameOf), c.levels),
    asked.first_purchase === true ? c.first_purchase : null,
    least === null ? null : c.min_amount(f.money(least)),
    days === null ? null : c.joined_days(t.days(days, f)),
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

function tellGift({ multiply, points, per }: Rule['give'], t: Words, f: Format): string {
  if (multiply !== null) return `× ${f.number(multiply)}`;
  const added = t.points(points ?? 0, f);
  return per === 'unit' ? t.forEachUnit(added) : added;
}

/** Writes a value whatever its field is. */
export function tellPlain(pattern: string, value: unknown, t: Words, f: Format): string {
  if (pattern.endsWith('multiplier')) return tellNumber(value, (n) => `× ${f.number(n)}`);
  if (value === null || value === undefined || value === '') return t.none;
  if (typeof value === 'boolean') return value ? t.yes : t.no;
  if (typeof value === 'number') return f.number(value);
  if (Array.isArray(value)) return value.join(', ') || t.none;
  if (typeof value !== 'string') return t.otherText;
  if (isPictureAt(pattern)) return pictureName(value) || t.otherPicture;
  if (/\.(expiration|end_date|from|to)$/.test(pattern) && !Number.isNaN(Date.parse(value)))
    return f.dayAndTime(value);
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
}

/** An expiry in words, such as `6 months after they were earned`. */
export function tellExpiration(
  { mode, months }: { mode: string; months: unknown },
  t: Words,
  f: Format,
): string {
  if (mode !== 'rolling' && mode !== 'accumulated') return t.expiryMode.none;
  return t.expiryMode[mode](typeof months === 'number' ? t.months(months, f) : '…');
}

/** A period by its first and last day. The instant of its end is no longer part of it. */
export function tellPeriod(from: string, to: string, t: Words, f: Format): string {
  const end = Date.parse(to);
  if (Number.isNaN(Date.parse(from)) || Number.isNaN(end)) return '…';
  const last = new Date(end - 1).toISOString();
  return f.day(from) === f.day(last) ? f.day(from) : t.range(f.day(from), f.day(last));
}

export function tellReward(reward: ProgramReward | null, program: Program, t: Words, f: Format): string {
  if (reward === null) return t.none;
  return t.rewardOf(
    typeof reward.points === 'number' ? t.points(reward.points, f) : null,
    reward.benefit === null ? null : titleOf(reward.benefit, program),
  );
}

/** The name of a benefit, or its id if the program has none of that id. */
export const titleOf = (id: string, { benefits }: Program): string =>
  benefits.find((benefit) => benefit.id === id)?.title ?? id;

const tellNumber = (value: unknown, write: (n: number) => string): string =>
  typeof value === 'number' ? write(value) : typeof value === 'string' ? value : '…';

/** Whether the field holds the address of a picture. */
export const isPictureAt = (path: string): boolean => /^(cover|logo)$|\.(image|icon_url)$/.test(path);

/** `coffee.svg` of an address; nothing of one that says nothing, such as that of an uploaded picture. */
function pictureName(address: string): string {
  const name = address.split(/[?#]/)[0]!.split('/').at(-1) ?? '';
  return name.length <= 30 && !/^[\w-]{22}\.webp$/.test(name) ? name : '';
}

function tellPending(pending: Program['earning']['pending'], t: Words, f: Format): string {
  if (pending === null) return t.atOnce;
  const { days, cancel_after_days: cancelled } = pending;
  return days === null ? t.onceConfirmed(t.days(cancelled!, f)) : t.afterDays(t.days(days, f));
}
