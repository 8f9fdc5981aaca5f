import { Overloaded } from '#problems/problem.ts';
import { isLockedOut, type Runs } from './runs.ts';
import type { Waiting, WaitFor } from './waiting.ts';

export interface ApartOptions<Call, Outcome> {
  readonly runs: Runs<Call, Outcome>;
  readonly isWorthRepeating: (error: unknown) => boolean;
  readonly longestMs: number;
  /** Rows are free again. */
  readonly onPart: () => void;
}

/**
 * Finds the call that made the batch fail, and answers all of them. Runs the commerces separately, two at a time so that one that fails
 * slowly does not hold up the rest, and then the calls of a failed commerce one by one. Calls that need a lock that
 * somebody else holds wait for it at the end. A statement can take seconds to fail, so there is a time limit.
 */
export async function runApart<Call, Outcome>(
  batch: readonly Waiting<Call, Outcome>[],
  { runs, isWorthRepeating, longestMs, onPart }: ApartOptions<Call, Outcome>,
): Promise<void> {
  type Calls = readonly Waiting<Call, Outcome>[];
  const until = performance.now() + longestMs;
  const lockedOut: Waiting<Call, Outcome>[] = [];
  const byCommerce = [...Map.groupBy(batch, ({ commerceId }) => commerceId).values()];
  if (byCommerce.length === 1) await runEach(batch);
  else await Promise.all([runCommerces(), runCommerces()]);
  for (const waiting of lockedOut) await runPart([waiting], 'all', (error) => runs.refuse([waiting], error));

  async function runCommerces(): Promise<void> {
    for (let part = byCommerce.shift(); part !== undefined; part = byCommerce.shift()) {
      const calls = part;
      await runPart(calls, 'none', (error) =>
        isWorthRepeating(error) ? runEach(calls) : runs.refuse(calls, error),
      );
    }
  }

  async function runEach(calls: Calls): Promise<void> {
    for (const waiting of calls)
      await runPart([waiting], 'none', (error) => {
        if (!isLockedOut(error)) return runs.refuse([waiting], error);
        runs.letGoOfRows(waiting);
        lockedOut.push(waiting);
      });
  }

  async function runPart(
    part: Calls,
    waitFor: WaitFor,
    onError: (error: unknown) => Promise<void> | void,
  ): Promise<void> {
    if (performance.now() >= until) return runs.refuse(part, new Overloaded('the database is busy'));
    const outcomes = await runs.together(part, waitFor).catch(onError);
    if (outcomes) runs.answer(part, outcomes);
    onPart();
  }
}
