/**
 * The answers of a person on the way to a shop of their own. They are checked by the program's own schema, so a program takes every answer
 * that is accepted here.
 */
import type { Static, TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { line, oneOf, wholeNumber } from '#program/fields.ts';
import { programSchema } from '#program/program.ts';
import { InvalidRequest, type Issue } from '#problems/invalid-request.ts';
import { guessPlace, roundSumIn } from './guess-place.ts';

/** The steps after the address is proved, in order. */
export const SET_UP_STEPS = ['shop', 'place', 'points', 'benefit', 'open'] as const;

/** The kinds of a first benefit that are suggested. */
export const FIRST_BENEFITS = ['product', 'percentage', 'amount', 'none'] as const;
export type FirstBenefit = (typeof FIRST_BENEFITS)[number];

const program = programSchema.properties;

/** Each answer as the program takes it. */
const FIELDS = {
  step: oneOf(SET_UP_STEPS, 'The step to go on with.'),
  name: program.name,
  slug: program.slug,
  color: inner(program.color),
  currency: program.currency,
  time_zone: program.time_zone,
  locale: program.locale,
  money_per_point: program.earning.properties.money_per_point,
  benefit: oneOf(FIRST_BENEFITS, 'The kind of the first benefit.'),
  title: line(80, 'What the first benefit is called.'),
  cost: wholeNumber(1, 1_000_000_000, 'What it costs, in points.'),
} as const;

type Answer = keyof typeof FIELDS;

/** Null: not answered. */
export type SetUpAnswers = { readonly [Key in Answer]: Static<(typeof FIELDS)[Key]> | null };

const NOTHING = Object.fromEntries(Object.keys(FIELDS).map((key) => [key, null])) as unknown as SetUpAnswers;

/** The color of a shop that has chosen none yet. */
const FIRST_COLOR = '#0f5c6e';

/** Returns the answers to begin with, from what the browser says about where it is. */
export function guessAnswers(timeZone: string | undefined, locale: string | undefined): SetUpAnswers {
  const isZone = timeZone !== undefined && Value.Check(FIELDS.time_zone, timeZone);
  const place = guessPlace({ LANG: locale ?? '' }, isZone ? timeZone : 'UTC');
  return {
    ...NOTHING,
    color: FIRST_COLOR,
    currency: place.currency,
    time_zone: place.timeZone,
    locale: place.locale,
    money_per_point: roundSumIn(place.currency),
  };
}

/** Reads stored answers. Answers that another release has stored under another name are left out. */
export function readStoredAnswers(stored: object): SetUpAnswers {
  const known = Object.entries(stored).filter(
    ([key, value]) => Object.hasOwn(FIELDS, key) && Value.Check(FIELDS[key as Answer] as TSchema, value),
  );
  return { ...NOTHING, ...Object.fromEntries(known) };
}

/**
 * Checks what was typed. Null takes an answer back.
 * @throws InvalidRequest which names every answer that no program takes
 */
export function checkAnswers(typed: Partial<SetUpAnswers>): Partial<SetUpAnswers> {
  const issues = Object.entries(typed).flatMap(([key, value]): Issue[] => {
    const field: TSchema = FIELDS[key as Answer];
    if (value === null || Value.Check(field, value)) return [];
    const { must } = field as unknown as { readonly must: string };
    return [{ loc: ['body', key], msg: `Value error, must be ${must}`, type: 'value_error' }];
  });
  if (issues.length > 0) throw new InvalidRequest(issues);
  return typed;
}

/** The schema in a union with null. */
function inner<Inner extends TSchema>(field: Type.TUnion<[Inner, Type.TNull]>): Inner {
  return field.anyOf[0];
}
