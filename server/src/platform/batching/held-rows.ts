interface Holder {
  readonly rows: readonly string[];
  readonly names: readonly string[];
}

/**
 * The rows and names of the calls that are running or set aside. A row held by one batch is not free for another. Two calls of one batch
 * may hold the same row; it is free when both are done.
 */
export class HeldRows {
  readonly #holders = new Map<string, number>();

  isHeld(name: string): boolean {
    return this.#holders.has(name);
  }

  hold(calls: readonly Holder[]): void {
    for (const { rows, names } of calls) for (const name of [...rows, ...names]) this.#count(name, 1);
  }

  release(calls: readonly Holder[]): void {
    for (const { rows, names } of calls) for (const name of [...rows, ...names]) this.#count(name, -1);
  }

  #count(name: string, by: 1 | -1): void {
    const holders = (this.#holders.get(name) ?? 0) + by;
    if (holders < 0) throw new Error(`${name} was released by somebody who does not hold it`);
    if (holders === 0) this.#holders.delete(name);
    else this.#holders.set(name, holders);
  }
}
