/** Values that are remembered for some time, at most so many: the one that was made longest ago is forgotten first. */
export interface Remembered<Value> {
  /** Returns the value of a key, made if it is not there or too old. Callers that ask at the same time share one making. */
  get(key: string, make: () => Promise<{ value: Value; forMs: number }>): Promise<Value>;
  forget(key: string): void;
}

/** @param most how many values are kept */
export function remember<Value>(most: number, now: () => number = Date.now): Remembered<Value> {
  const kept = new Map<string, { value: Promise<Value>; until: number }>();
  return {
    get(key, make) {
      const known = kept.get(key);
      if (known !== undefined && known.until > now()) return known.value;
      const entry = { value: made(), until: Infinity };
      kept.delete(key);
      kept.set(key, entry);
      if (kept.size > most) kept.delete(kept.keys().next().value!);
      return entry.value;

      async function made(): Promise<Value> {
        try {
          const { value, forMs } = await make();
          entry.until = now() + forMs;
          return value;
        } catch (error) {
          if (kept.get(key) === entry) kept.delete(key);
          throw error;
        }
      }
    },
    forget: (key) => void kept.delete(key),
  };
}
