/** Compares types of the SDK with those of the routes, when the tests are compiled. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only this form tells optional and readonly apart
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The type as JSON has it. */
export type Plain<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? { [Field in keyof T]: Plain<T[Field]> }
      : T;
