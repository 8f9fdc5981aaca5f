/**
 * Checks what a caller passes before anything is sent. TypeScript finds most mistakes, but not in a JavaScript program, and not
 * an id that is missing at run time: a filter without its value would match the whole shop, and a path with `../` in it would
 * be another call.
 */

/** The demands on an argument or a field. */
export interface Kind {
  /** Ends the sentence "… must be". */
  readonly name: string;
  readonly fits: (value: unknown) => boolean;
  readonly isOptional?: boolean;
}

type AnyKey<T> = T extends unknown ? keyof T : never;

/** A kind for each field of an object that a caller passes. */
export type Kinds<T> = { readonly [Name in AnyKey<T>]-?: Kind };

export const number: Kind = { name: 'a number', fits: Number.isFinite };
export const text: Kind = {
  name: 'a text that is not empty',
  fits: (value) => typeof value === 'string' && value.trim() !== '',
};
export const texts: Kind = {
  name: 'a list of texts that is not empty',
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => text.fits(one)),
};
/** It may be empty. */
export const codes: Kind = {
  name: 'a list of codes',
  fits: (value) => Array.isArray(value) && value.every((one) => digits.fits(one)),
};
/** A list of texts that may be empty. */
export const list: Kind = {
  name: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every((one) => text.fits(one)),
};
export const yesOrNo: Kind = { name: 'true or false', fits: (value) => typeof value === 'boolean' };
export const object: Kind = {
  name: 'an object with fields',
  fits: (value) => isObject(value) && Object.keys(value).length > 0,
};
export const objects: Kind = {
  name: 'a list of objects with fields that is not empty',
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every((one) => object.fits(one)),
};
/** A client's code, the code of a benefit that was bought, or the id of anything else but a benefit. */
export const digits: Kind = {
  name: 'a whole number above 0',
  fits: (value) =>
    Number.isSafeInteger(value)
      ? (value as number) > 0
      : typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value),
};
/** The id of a benefit, or another word that shops choose. A path with a dot segment would be another one. */
const pathWord: Kind = {
  name: 'an id, without a slash, a backslash or a percent sign',
  fits: (value) => text.fits(value) && !/[/\\%]|^\.\.?$/.test(value as string),
};

/** The shop's own id of a cart or a redemption, which is encoded where it stands in a path. */
export const cartId: Kind = {
  name: 'an id of 1 to 255 printable ASCII characters, but not "." or ".."',
  fits: (value) => text.fits(value) && /^(?!\.{1,2}$)[ -~]{1,255}$/.test(value as string),
};

/** It may be left out. If it is there, it must not be undefined. */
export function optional(kind: Kind): Kind {
  return { ...kind, isOptional: true };
}

/** It must be there, and null means something. */
export function nullable(kind: Kind): Kind {
  return { name: `${kind.name}, or null`, fits: (value) => value === null || kind.fits(value) };
}

/** It may be left out, and null says the same or clears it. */
export const orNull = (kind: Kind): Kind => optional(nullable(kind));

/** Returns an id for a path. @throws TypeError */
export function id(value: number | string): string {
  return String(check(digits, value, 'the id or code'));
}

/** Returns a word for a path. @throws TypeError */
export function word(value: string): string {
  return encodeURIComponent(check(pathWord, value, 'the id'));
}

/**
 * Returns the object that was passed.
 * @throws TypeError if a field is missing, has the wrong kind, or is not one of `kinds`: a misspelled one would be ignored
 */
export function fields<T extends object>(given: T, kinds: Kinds<T>): T {
  if (!isObject(given)) return check(object, given, 'the argument');
  const known = kinds as Readonly<Record<string, Kind>>;
  const names = Object.keys(known);
  for (const name of Object.keys(given))
    if (!names.includes(name))
      throw new TypeError(`there is no field ${quote(name)}: this call takes ${names.join(', ')}`);
  for (const name of names)
    if (Object.hasOwn(given, name) || !known[name]!.isOptional)
      check(known[name]!, (given as Record<string, unknown>)[name], name);
  return given;
}

/** Returns the changes that were passed. @throws TypeError as `fields` does, and if nothing is to change */
export function changes<T extends object>(given: T, kinds: Kinds<T>): T {
  return fields(check(object, given, 'the argument'), kinds);
}

/** Returns the part of an address after the path. Null says the same as no field. @throws TypeError as `fields` does */
export function queryOf<T extends object>(given: T, kinds: Kinds<T>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields(given, kinds)))
    if (value !== null) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

/** Without the key that a program has stored, a call that it repeats would count again. @throws TypeError */
export function checkKey(options: { idempotencyKey?: string }): void {
  if (!isObject(options)) check(object, options, 'options');
  if ('idempotencyKey' in options) check(text, options.idempotencyKey, 'idempotencyKey');
}

/** Returns the value. @throws TypeError if it is not of its kind */
export function check<T>(kind: Kind, value: T, name: string): T {
  if (kind.fits(value)) return value;
  throw new TypeError(
    `${name} must be ${kind.name}, but is ${describe(value)}${kind.isOptional ? ': leave it out if there is none' : ''}`,
  );
}

function describe(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}

const quote = (value: string): string => JSON.stringify(value.slice(0, 40));

function isObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}
