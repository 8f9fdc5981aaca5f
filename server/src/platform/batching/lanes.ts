/** A batch that runs. */
interface Running {
  readonly since: number;
  /** The commerce that made more than half of its calls. */
  readonly filledBy: number | undefined;
}

/** Which batches run now, and whether another one may start beside them. */
export class Lanes {
  readonly #most: number;
  readonly #aloneMs: number;
  readonly #running = new Set<Running>();
  #hasExtra = false;

  /** @param aloneMs how long a batch runs alone before the next one starts beside it */
  constructor({ most, aloneMs }: { readonly most: number; readonly aloneMs: number }) {
    this.#most = most;
    this.#aloneMs = aloneMs;
  }

  /**
   * A second batch would share the processors and the callers, and two halves cost almost as much as two whole ones. So the next one
   * starts beside it only if a batch is held up, by the disk or by a connection that fell silent.
   */
  hasRoom(): boolean {
    if (this.#running.size >= this.#most) return false;
    const longAgo = performance.now() - this.#aloneMs;
    for (const { since } of this.#running) if (since > longAgo) return false;
    return true;
  }

  hasRoomForExtra(): boolean {
    return !this.#hasExtra;
  }

  /**
   * Returns the commerce that fills every running batch; undefined if there is none. The others get one extra batch, so that they do not
   * wait for it.
   */
  filledBy(): number | undefined {
    const [filling, ...others] = new Set(Array.from(this.#running, ({ filledBy }) => filledBy));
    return others.length > 0 ? undefined : filling;
  }

  /** Returns what ends the batch's place. */
  enter(batch: readonly { readonly commerceId: number }[]): () => void {
    const running = { since: performance.now(), filledBy: fillingCommerce(batch) };
    this.#running.add(running);
    return () => this.#running.delete(running);
  }

  enterExtra(): () => void {
    this.#hasExtra = true;
    return () => {
      this.#hasExtra = false;
    };
  }

  isEmpty(): boolean {
    return this.#running.size === 0 && !this.#hasExtra;
  }
}

function fillingCommerce(batch: readonly { readonly commerceId: number }[]): number | undefined {
  const calls = Map.groupBy(batch, ({ commerceId }) => commerceId);
  for (const [commerceId, its] of calls) if (its.length * 2 > batch.length) return commerceId;
  return undefined;
}
