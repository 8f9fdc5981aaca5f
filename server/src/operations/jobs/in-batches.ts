import { isDatabaseAway, isWithoutConnection } from '#db/database-errors.ts';
import { BATCH, PartlyFailed, type Broken, type RunOptions } from './job.ts';

/** Something that is due to a member. */
export interface Due {
  readonly memberId: number;
}

/** Returns what is due next at a commerce, after the last item found: at most `limit` items. */
export type NextDue<Item extends Due> = (after: Item | undefined, limit: number) => Promise<Item[]>;

/** Does what is due, in one transaction. Returns how many members it changed, or null to end the run. */
export type Settle<Item extends Due> = (items: readonly Item[]) => Promise<number | null>;

/** If this many members fail in a row, the commerce itself is at fault, and the next members would fail too. */
const BROKEN_IN_A_ROW = 50;

/**
 * Does what is due at a commerce, batch by batch, until nothing is left, the signal aborts or `settle` returns null.
 * A batch that fails is split in halves, again and again, until only the failing members remain. They are due again
 * in the next run. Returns how many members were changed.
 * @throws PartlyFailed once everything else is done
 */
export async function inBatches<Item extends Due>(
  next: NextDue<Item>,
  settle: Settle<Item>,
  { batch = BATCH, signal }: RunOptions = {},
): Promise<number> {
  const run: Run = { touched: 0, broken: [], inARow: 0 };
  let after: Item | undefined;
  for (;;) {
    if (signal?.aborted === true) break;
    const items = await next(after, batch);
    if (items.length === 0 || !(await settleApart(items, settle, run))) break;
    after = items.at(-1);
  }
  if (run.broken.length > 0) throw new PartlyFailed(run.touched, run.broken);
  return run.touched;
}

/**
 * Does several kinds of work at a commerce one after the other, each also if one before it has failed. Returns how many members they changed
 * together.
 * @throws PartlyFailed once all of it is done. It names each member once: somebody for whom one kind fails often fails the others, too
 */
export async function inTurn(works: readonly (() => Promise<number>)[]): Promise<number> {
  let done = 0;
  const broken = new Map<number | null, Broken>();
  for (const work of works) {
    try {
      done += await work();
    } catch (error) {
      // The rest would only wait for one, too.
      if (isWithoutConnection(error)) throw error;
      const failed = error instanceof PartlyFailed ? error : new PartlyFailed(0, [{ memberId: null, error }]);
      done += failed.done;
      for (const one of failed.broken) if (!broken.has(one.memberId)) broken.set(one.memberId, one);
    }
  }
  if (broken.size > 0) throw new PartlyFailed(done, [...broken.values()]);
  return done;
}

interface Run {
  touched: number;
  readonly broken: Broken[];
  inARow: number;
}

/** Returns whether the run goes on. */
async function settleApart<Item extends Due>(
  items: readonly Item[],
  settle: Settle<Item>,
  run: Run,
): Promise<boolean> {
  try {
    const touched = await settle(items);
    run.touched += touched ?? 0;
    run.inARow = 0;
    return touched !== null;
  } catch (error) {
    // The members are not at fault. Smaller batches would only repeat the call to a database that is unavailable.
    if (isDatabaseAway(error))
      throw new PartlyFailed(run.touched, [...run.broken, { memberId: null, error }]);
    const members = [...new Set(items.map(({ memberId }) => memberId))];
    if (members.length > 1) {
      const first = new Set(members.slice(0, members.length / 2));
      return (
        (await settleApart(
          items.filter(({ memberId }) => first.has(memberId)),
          settle,
          run,
        )) &&
        (await settleApart(
          items.filter(({ memberId }) => !first.has(memberId)),
          settle,
          run,
        ))
      );
    }
    run.broken.push({ memberId: members[0]!, error });
    run.inARow++;
    if (run.inARow < BROKEN_IN_A_ROW) return true;
    run.broken.push({
      memberId: null,
      error: new Error(`${BROKEN_IN_A_ROW} members failed in a row; the others wait for the next run`),
    });
    return false;
  }
}
