import type { Tracing } from '#base/tracing.ts';
import { sqlState } from '#db/database.ts';
import { Conflict } from '#problems/problem.ts';
import type { HeldRows } from './held-rows.ts';
import { SetAside, type Waiting, type WaitFor } from './waiting.ts';

export interface RunOptions<Call, Outcome> {
  readonly run: (calls: Call[], waitFor: WaitFor) => Promise<(Outcome | SetAside)[]>;
  readonly name: string;
  readonly tracing: Tracing | null;
  readonly held: HeldRows;
  readonly onSetAside: (calls: Waiting<Call, Outcome>[]) => void;
}

/** A run is wrong in itself. Its results are stored, so it is never repeated. */
export class WrongOutcomes extends Error {}

/** Runs calls together and answers them, each once. While a call is not answered, what it works on is held. */
export class Runs<Call, Outcome> {
  readonly #options: RunOptions<Call, Outcome>;

  constructor(options: RunOptions<Call, Outcome>) {
    this.#options = options;
  }

  /** Runs calls in one transaction. Returns an outcome for each, in order. */
  async together(
    batch: readonly Waiting<Call, Outcome>[],
    waitFor: WaitFor,
  ): Promise<(Outcome | SetAside)[]> {
    const { run, name, tracing } = this.#options;
    const calls = batch.map(({ call }) => call);
    const places = batch.map(({ place }) => place);
    const outcomes = await (tracing === null
      ? run(calls, waitFor)
      : tracing.shared(name, { 'loyalty.calls': calls.length }, places, () => run(calls, waitFor)));
    if (outcomes.length !== batch.length)
      throw new WrongOutcomes(`${name} has ${outcomes.length} outcomes for ${batch.length} calls`);
    return outcomes;
  }

  /** The same, waiting for the row of the first call. If it stays locked, that call stays aside and the others run without it. */
  async waitingForFirst(batch: readonly Waiting<Call, Outcome>[]): Promise<(Outcome | SetAside)[]> {
    try {
      return await this.together(batch, 'first');
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      const [first, ...others] = batch;
      return [
        new SetAside(first!.rows[0]!),
        ...(others.length > 0 ? await this.together(others, 'none') : []),
      ];
    }
  }

  answer(batch: readonly Waiting<Call, Outcome>[], outcomes: readonly (Outcome | SetAside)[]): void {
    const { held, onSetAside } = this.#options;
    // Before the callers hear of it, because their next call may be about the same row.
    held.release(batch);
    const aside: Waiting<Call, Outcome>[] = [];
    batch.forEach((call, i) => {
      const outcome = outcomes[i]!;
      if (!(outcome instanceof SetAside)) return;
      call.rows = [outcome.row];
      aside.push(call);
    });
    held.hold(aside);
    batch.forEach(({ resolve }, i) => {
      const outcome = outcomes[i]!;
      if (!(outcome instanceof SetAside)) resolve(outcome);
    });
    if (aside.length > 0) onSetAside(aside);
  }

  /**
   * Others may work on the rows of this call while it waits for a lock, which may be that of a key: PostgreSQL keeps them apart. Its
   * names stay held.
   */
  letGoOfRows(call: Waiting<Call, Outcome>): void {
    const { held } = this.#options;
    held.release([call]);
    call.rows = [];
    held.hold([call]);
  }

  refuse(calls: readonly Waiting<Call, Outcome>[], error: unknown): void {
    this.#options.held.release(calls);
    for (const { reject } of calls) reject(error);
  }
}

/** Returns true if a lock was not free in time. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof Conflict || sqlState(error) === '55P03';
}
