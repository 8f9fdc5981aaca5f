import type { MessageKind, MessageLanguage, Program } from '@loyalty/sdk/admin';

/** Told as one thing, because its parts mean nothing alone. */
const WHOLE = [
  'points_expiration',
  'rewards.welcome',
  'rewards.birthday',
  'rewards.monthly_top',
  'benefits[].product',
  'benefits[].shop_coupon',
] as const;

/** Fields that are always the same in two programs of a shop, or that tell entries of a list apart. */
type Fixed = 'slug' | 'sandbox' | 'levels.ladder[].id' | `earning.double_points[].${string}`;

export const isWhole = (field: string): boolean => (WHOLE as readonly string[]).includes(field);

/** The path of each field that can differ between two programs, with `[]` for the entries of a list. */
export type Field = Exclude<FieldsIn<Program, ''>, Fixed>;

/** The label of each field. Forms have names for some parts of what is told as one thing, too. */
export type Labels = Readonly<Record<Field, string> & Record<string, string>>;

/** The path of each list whose entries are compared one by one. */
export type List = ListsIn<Program, ''>;

type FieldsIn<T, Path extends string> = Path extends (typeof WHOLE)[number]
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

type ListsIn<T, Path extends string> = Path extends (typeof WHOLE)[number]
  ? never
  : T extends readonly (infer Entry)[]
    ? Path | ListsIn<Entry, `${Path}[]`>
    : T extends object
      ? { [Name in keyof T & string]: ListsIn<NonNullable<T[Name]>, Below<Path, Name>> }[keyof T & string]
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
