/** Places in a program, written as the service names them in problems: `levels.ladder[1].threshold`. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function partsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) =>
    index === undefined ? name : Number(index),
  );
}

/** Returns the value at a path, or undefined if there is none. */
export function valueAt(whole: unknown, path: string): unknown {
  return partsOf(path).reduce<unknown>(
    (value, part) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[part],
    whole,
  );
}

/** Returns a copy in which the value at a path is another. Undefined removes an entry of a list. */
export function withValueAt<T>(whole: T, path: string, next: unknown): T {
  return place(whole, partsOf(path), next) as T;
}

function place(whole: unknown, [part, ...rest]: readonly (string | number)[], next: unknown): unknown {
  if (part === undefined) return next;
  const inner = (whole as Readonly<Record<string, unknown>> | null | undefined)?.[part];
  const value = place(inner, rest, next);
  if (!Array.isArray(whole)) return { ...(whole as object), [part]: value };
  if (value === undefined) return whole.filter((_, index) => index !== part);
  return whole.toSpliced(Number(part), 1, value);
}

/** `benefits[3].cost` becomes `benefits[].cost`: the field, whichever entry of the list it is in. */
export const patternOf = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]');

/** True if the path is the place or lies in it. */
export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

/** True if two values of a program say the same. The order of the keys of an object does not count. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, at) => isSame(value, b[at]))
    );
  const keys = Object.keys({ ...a, ...b });
  return keys.every((key) =>
    isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
