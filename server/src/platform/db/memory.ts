/**
 * A database handle carries everything that the process remembers about the database. Transactions share it with the
 * pool. Two databases in one process therefore never mix.
 */
export interface Remembering {
  readonly memory: Map<symbol, unknown>;
}

/** Declares something to remember for each database. `make` runs at its first use with that database. */
export function remembered<T>(make: () => T): (db: Remembering) => T {
  const name = Symbol();
  return ({ memory }) => {
    if (!memory.has(name)) memory.set(name, make());
    return memory.get(name) as T;
  };
}
