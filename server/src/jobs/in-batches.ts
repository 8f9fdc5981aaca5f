import { isDatabaseAway } from '#db/database-errors.ts';
import { BATCH, PartlyFailed, type Broken, type RunOptions } from './job.ts';

/** Something that is due to a member. */
export interface Due {
  readonly memberId: number;
}

/** What is due next at a commerce, after what was found last: at most `limit` of it. */
export type NextDue<Item extends Due> = (after: Item | undefined, limit: number) => Promise<Item[]>;

/** Does what is due, in one transaction; gives how many members it touched, null to end the run. */
export type Settle<Item extends Due> = (items: readonly Item[]) => Promise<number | null>;

/** So many broken members one after the other are a fault of the commerce: the next ones would be broken too. */
const BROKEN_IN_A_ROW = 50;

/**
 * Does what is due at a commerce batch by batch until nothing is left, the signal says so or `settle` does. A batch
 * that fails is done in halves, and these again, until the members it fails for are alone; they are due again in the
 * next run. Gives how many members were touched.
 * @throws PartlyFailed once it has done the rest
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

interface Run {
  touched: number;
  readonly broken: Broken[];
  inARow: number;
}

/** Gives whether the run goes on. */
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
    // No fault of the members: halving would only ask a database that is away again and again.
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
      error: new Error(`${BROKEN_IN_A_ROW} members failed in a row; the rest waits`),
    });
    return false;
  }
}
