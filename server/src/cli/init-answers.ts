/** The answers that `loyalty init` needs, typed as options or at its questions. */
import { Value } from 'typebox/value';
import type { TSchema } from 'typebox';
import { programFileSchema } from '#program/program.ts';
import type { Starter } from '#program/starter-file.ts';
import { slugOf } from '#program/tier-ids.ts';
import { roundSumIn, type Place } from '#set-up/guess-place.ts';

/** The facts known about a shop so far. */
export type Answers = Partial<Starter>;

/** The fields that people type. The program's own schema says what is right. */
const TYPED = {
  name: programFileSchema.properties.name,
  slug: programFileSchema.properties.slug,
  currency: programFileSchema.properties.currency,
  timeZone: programFileSchema.properties.time_zone,
  locale: programFileSchema.properties.locale,
  moneyPerPoint: programFileSchema.properties.earning.properties.money_per_point,
} as const satisfies Partial<Record<keyof Starter, TSchema>>;

/** A field whose answer is typed. The others are yes or no. */
export type TypedField = keyof typeof TYPED | 'welcomePoints';

/** Returns what is wrong with a text that was typed for a field, or null. */
export function whyWrong(field: TypedField, typed: string): string | null {
  if (field === 'welcomePoints') {
    const isRight = /^\d{1,9}$/.test(typed.trim());
    return isRight ? null : `must be a whole number from 0 to 999999999, not "${typed}"`;
  }
  const value = readTyped(field, typed);
  const { must } = TYPED[field] as unknown as { must: string };
  return Value.Check(TYPED[field], value) ? null : `must be ${must}, not "${typed}"`;
}

/** Reads what a person typed: amounts as numbers, and currencies in any case. */
function readTyped(field: keyof typeof TYPED, typed: string): string | number {
  const text = typed.trim();
  if (field === 'moneyPerPoint') return text === '' ? Number.NaN : Number(text);
  return field === 'currency' ? text.toUpperCase() : text;
}

/** Returns the answers that texts give. Each text has been checked by `whyWrong`. */
export function readAnswers(texts: Readonly<Partial<Record<TypedField, string>>>): Answers {
  const { welcomePoints, ...others } = texts;
  const read = Object.entries(others).map(([field, typed]) => [
    field,
    readTyped(field as keyof typeof TYPED, typed),
  ]);
  return {
    ...(Object.fromEntries(read) as Answers),
    ...(welcomePoints !== undefined && { welcomePoints: Number(welcomePoints) }),
  };
}

/** Returns the whole answers: the defaults fill what was neither given nor asked. */
export function withDefaults(answers: Answers, place: Place): Starter {
  const { name = 'My Shop', currency = place.currency } = answers;
  return {
    slug: slugOf(name) || 'my-shop',
    timeZone: place.timeZone,
    locale: place.locale,
    moneyPerPoint: roundSumIn(currency),
    welcomePoints: 50,
    tiers: true,
    sandbox: true,
    ...answers,
    name,
    currency,
  };
}
