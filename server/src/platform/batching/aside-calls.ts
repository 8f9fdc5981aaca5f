import { Overloaded } from '#problems/problem.ts';
import type { Waiting } from './waiting.ts';

export interface AsideOptions<Call, Outcome> {
  /** Runs calls together, waiting for the row of the first one only. Those whose row is still locked come back by `add`. */
  readonly run: (calls: Waiting<Call, Outcome>[]) => Promise<void>;
  readonly refuse: (calls: readonly Waiting<Call, Outcome>[], error: unknown) => void;
  readonly longestMs: number;
  /** Rows are free again. */
  readonly onRun: () => void;
  readonly onEmpty: () => void;
}

/**
 * The calls whose row is locked elsewhere. They run again beside the batches, all together and one batch at a time, until none is left.
 * Each run waits for the row of another call, so that a row that stays locked holds up nobody else.
 */
export class AsideCalls<Call, Outcome> {
  readonly #options: AsideOptions<Call, Outcome>;
  #calls: Waiting<Call, Outcome>[] = [];
  #isRunning = false;

  constructor(options: AsideOptions<Call, Outcome>) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.length;
  }

  isIdle(): boolean {
    return !this.#isRunning;
  }

  add(calls: readonly Waiting<Call, Outcome>[]): void {
    for (const call of calls) call.asideSince ??= performance.now();
    this.#calls.push(...calls);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#runUntilNoneIsLeft().finally(this.#options.onEmpty);
  }

  async #runUntilNoneIsLeft(): Promise<void> {
    const { run, refuse, longestMs, onRun } = this.#options;
    while (this.#calls.length > 0) {
      const longAgo = performance.now() - longestMs;
      const late = this.#calls.filter(({ asideSince }) => asideSince! < longAgo);
      const calls = this.#calls.filter(({ asideSince }) => asideSince! >= longAgo);
      this.#calls = [];
      if (late.length > 0) refuse(late, new Overloaded('what the call is about is busy elsewhere'));
      if (calls.length > 0) await run(calls);
      onRun();
      // The next run waits for another row.
      const [first, ...others] = this.#calls;
      if (first !== undefined) this.#calls = [...others, first];
    }
    // Not a moment later: a call that is set aside in between would never run.
    this.#isRunning = false;
  }
}
