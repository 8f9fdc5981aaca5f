import type { MessageKind, MessageLanguage, Program } from '@loyalty/sdk/admin';

/** Told as one thing, because its parts mean nothing alone. A part of the program that may be missing is either here or `ByField`. */
const WHOLE = {
  points_expiration: true,
  'earning.pending': true,
  'earning.exclude': true,
  'earning.cap': true,
  'branches[].registers': true,
  'earning.rules[].when': true,
  'earning.rules[].give': true,
  'earning.rules[].limit': true,
  'stamps[].when': true,
  'rewards.welcome': true,
  'rewards.birthday': true,
  'rewards.monthly_top': true,
  'benefits[].product': true,
  'benefits[].shop_coupon': true,
} as const satisfies Readonly<
  Record<WholeThough | Exclude<OptionalPartsIn<Program, ''>, ByField | Inside>, true>
>;
type Whole = keyof typeof WHOLE;

/** Told as one thing, though it is never missing. */
type WholeThough =
  | 'points_expiration'
  | 'earning.exclude'
  | 'earning.rules[].when'
  | 'earning.rules[].give'
  | 'stamps[].when'
  | 'branches[].registers';

/** Part of what is told as one thing. */
type Inside = 'earning.rules[].when.hours' | 'stamps[].when.hours';

/** Told field by field, though it may be missing. */
type ByField = 'mail.words';

/** Fields that are always the same in two programs of a shop, or that tell entries of a list apart. */
type Fixed =
  | 'slug'
  | 'sandbox'
  | 'levels.ladder[].id'
  | 'earning.rules[].id'
  | 'stamps[].id'
  | 'branches[].id'
  | `earning.double_points[].${string}`;

export const isWhole = (field: string): boolean => Object.hasOwn(WHOLE, field);

/** The path of each field that can differ between two programs, with `[]` for the entries of a list. */
export type Field = Exclude<FieldsIn<Program, ''>, Fixed>;

/** The label of each field. Forms have names for some parts of what is told as one thing, too. */
export type Labels = Readonly<Record<Field, string> & Record<string, string>>;

/** The path of each list of which each entry is compared with one of the other program, but has no id to find it by. */
export type ListWithoutId = ListsIn<Program, ''>;

type FieldsIn<T, Path extends string> = Path extends Whole
  ? Path
  : T extends readonly (infer Entry)[]
    ? Path | `${Path}[]` | FieldsIn<Entry, `${Path}[]`>
    : T extends object
      ? {
          [Name in keyof T & string]:
            | (null extends T[Name] ? Below<Path, Name> : never)
            | FieldsIn<NonNullable<T[Name]>, Below<Path, Name>>;
        }[keyof T & string]
      : Path;

type ListsIn<T, Path extends string> = Path extends Whole
  ? never
  : T extends readonly (infer Entry)[]
    ? (Entry extends { readonly id: string | number } ? never : Path) | ListsIn<Entry, `${Path}[]`>
    : T extends object
      ? { [Name in keyof T & string]: ListsIn<NonNullable<T[Name]>, Below<Path, Name>> }[keyof T & string]
      : never;

type OptionalPartsIn<T, Path extends string> = T extends readonly (infer Entry)[]
  ? OptionalPartsIn<Entry, `${Path}[]`>
  : T extends object
    ? {
        [Name in keyof T & string]: null extends T[Name]
          ? NonNullable<T[Name]> extends object
            ? Below<Path, Name>
            : never
          : OptionalPartsIn<T[Name], Below<Path, Name>>;
      }[keyof T & string]
    : never;

type Below<Path extends string, Name extends string> = Path extends '' ? Name : `${Path}.${Name}`;

type MailField =
  | `mail.messages.${MessageKind}`
  | `mail.words.${MessageKind}`
  | `mail.words.${MessageKind}.${MessageLanguage}`;

/** Returns the names of the fields of all mails, from the titles of the mails and what the shop's own words in one are called. */
export function mailLabels(
  titles: Readonly<Record<MessageKind, string>>,
  nameOfMail: (title: string) => string,
  nameOfWords: (title: string) => string,
): Readonly<Record<MailField, string>> {
  const entries = Object.entries(titles).flatMap(([kind, title]) => [
    [`mail.messages.${kind}`, nameOfMail(title)],
    ...['', '.en', '.es'].map((language) => [`mail.words.${kind}${language}`, nameOfWords(title)]),
  ]);
  return Object.fromEntries(entries) as Record<MailField, string>;
}
