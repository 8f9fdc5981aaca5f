/**
 * The kinds of field in a program. `must` describes a correct value and is quoted in error messages. `default` is the
 * value of a field that is omitted or null.
 */
import { Type } from 'typebox';
import type { TSchema } from 'typebox';
import { isOneLine } from '#text/plain-text.ts';
import { isPictureAddress, isWebAddress } from '#text/web-address.ts';
import { readUploadedPicture, servicePictures } from './service-pictures.ts';
import { isColor, isInstant, isThousandths } from './values.ts';

export function section<Fields extends Record<string, TSchema>>(description: string, fields: Fields) {
  return Type.Object(fields, { description, additionalProperties: false });
}

export function listOf<Item extends TSchema>(item: Item, maxItems: number, description: string) {
  return Type.Array(item, { maxItems, description, default: [] });
}

export function nullable<Inner extends TSchema>(inner: Inner) {
  const { description = '' } = inner as { description?: string };
  return Type.Union([inner, Type.Null()], { description, default: null });
}

export function otherwise<Inner extends TSchema>(inner: Inner, value: unknown): Inner {
  return Object.assign(inner, { default: value });
}

export function oneOf<const Words extends string[]>(words: readonly [...Words], description: string) {
  return Type.Enum(words, { description, must: words.join(', ').replace(/, (?=\w+$)/, ' or ') });
}

export function yesOrNo(description: string) {
  return Type.Boolean({ description, must: 'true or false' });
}

export function wholeNumber(minimum: number, maximum: number, description: string) {
  const range =
    maximum < Number.MAX_SAFE_INTEGER ? ` from ${minimum} to ${maximum}` : ` of at least ${minimum}`;
  return Type.Refine(
    Type.Integer({ minimum, maximum, description, must: `a whole number${minimum < 0 ? '' : range}` }),
    Number.isSafeInteger,
  );
}

export function decimal(minimum: number, maximum: number, description: string) {
  const must = `a number from ${minimum} to ${maximum} with at most three decimals`;
  return Type.Refine(Type.Number({ minimum, maximum, description, must }), isThousandths);
}

export function line(maxLength: number, description: string) {
  return Type.Refine(
    Type.String({
      minLength: 1,
      maxLength,
      description,
      must: `one line of text of 1 to ${maxLength} characters without control characters`,
    }),
    (text) => isOneLine(text, maxLength),
  );
}

export function color(description: string) {
  const must = 'a color such as "#7a3e9d", in quotes';
  return Type.Refine(Type.String({ maxLength: 7, pattern: '^#[0-9a-fA-F]{6}$', description, must }), isColor);
}

export function webAddress(description: string) {
  const must = 'an https address of at most 2048 characters (http only for localhost)';
  return Type.Refine(Type.String({ maxLength: 2048, description, must }), isWebAddress);
}

export function picture(description: string) {
  const must =
    'an https address of at most 2048 characters, without a user name, a drawing of the service, such as /pictures/coffee.svg, or an uploaded picture';
  return Type.Refine(
    Type.String({ maxLength: 2048, description, must }),
    (text) => isPictureAddress(text) || servicePictures.includes(text) || readUploadedPicture(text) !== null,
  );
}

/** A time of the day in whole minutes. */
export function clockTime(description: string) {
  const must = 'a time of the day from 00:00 to 24:00, such as "07:30"';
  return Type.String({
    maxLength: 5,
    pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$|^24:00$',
    description,
    must,
  });
}

export function instant(description: string) {
  const must = 'an instant with its time zone, such as 2026-11-27T00:00:00-03:00';
  return Type.Refine(Type.String({ instant: true, maxLength: 40, description, must }), isInstant);
}
