/** What the portal keeps in this browser. Where site data is blocked, it is kept in memory until the page is closed. */
export const local = open(() => localStorage);
export const session = open(() => sessionStorage);

function open(storageOf: () => Storage): Storage {
  try {
    return storageOf();
  } catch {
    return inMemory();
  }
}

function inMemory(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (at) => [...values.keys()][at] ?? null,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
    clear: () => values.clear(),
  };
}
