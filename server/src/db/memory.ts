/**
 * What a process remembers of a database hangs on the database's handle, and its transactions share it. So two
 * databases in one process never meet, and what is remembered goes when the handle does.
 */
export interface Remembering {
  readonly memory: Map<symbol, unknown>;
}

/** Declares something to remember of every database. `make` runs when a database is first asked for it. */
export function remembered<T>(make: () => T): (db: Remembering) => T {
  const name = Symbol();
  return ({ memory }) => {
    if (!memory.has(name)) memory.set(name, make());
    return memory.get(name) as T;
  };
}
