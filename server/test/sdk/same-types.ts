/** Compares types of the SDK with those of the routes, when the tests are compiled. */
import type { Static, TSchema } from 'typebox';

/** The type of a schema's value after it was sent as JSON. */
type Sent<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : T extends object
      ? { [Field in keyof T]: Sent<T[Field]> }
      : T;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only this form tells optional and readonly apart
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Field in keyof T]: Plain<T[Field]> }
    : T;

/** Does not compile if the SDK's type differs from the schema's. */
export function holds<Type, Schema extends TSchema>(
  schema: Schema,
  ..._proof: Same<Plain<Type>, Plain<Sent<Static<Schema>>>> extends true ? [] : ['the types differ']
): string {
  return (schema as { title?: string }).title ?? '';
}
