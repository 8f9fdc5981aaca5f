import type { Db } from '#db/database.ts';
import { readLastId } from '#points/settled-id.ts';
import { Problem } from '#problems/problem.ts';
import type { EventCursor, EventCursors, IdRange } from './event-cursor.ts';
import type { EventTypeName } from './event-types.ts';
import { readEvents, type StoredEvent } from './read-events.ts';

/** The cursor is of another feed, of a time before a restore, or too old: which of them is not said. */
export class CursorLost extends Problem {
  constructor() {
    super(
      409,
      'cursor_lost',
      'the cursor is lost: start again with GET /v1/events/snapshot, and follow the cursor at its end',
    );
  }
}

/** A cursor that nobody has used for so long is lost. */
const CURSOR_DAYS = 90;
const DAY_MS = 86_400_000;

/** So many rows are read in one piece, because a piece keeps all other calls waiting. */
const SLICE = 250;
/** A page goes through so many slices at most, also where only some types are wanted. */
const MOST_SLICES = 4;

/** Where a reader is. */
export type Place = Pick<EventCursor, 'through' | 'missing'>;

export interface Page {
  readonly events: readonly StoredEvent[];
  readonly place: Place;
  readonly hasMore: boolean;
}

export interface Wanted {
  readonly limit: number;
  /** Null for all of them. */
  readonly types: ReadonlySet<EventTypeName> | null;
}

/** Returns where a reader begins: at the first event, or behind the cursor. @throws CursorLost */
export async function openCursor(
  db: Db,
  epoch: Buffer,
  cursors: EventCursors,
  after: string | undefined,
): Promise<EventCursor> {
  if (after === undefined) return { epoch, through: 0, missing: [], givenAt: new Date() };
  const cursor = cursors.open(after);
  if (
    cursor === null ||
    !cursor.epoch.equals(epoch) ||
    cursor.givenAt.getTime() < Date.now() - CURSOR_DAYS * DAY_MS ||
    // A database that was taken back by other means than ours has not given out this id yet.
    cursor.through > (await readLastId(db))
  )
    throw new CursorLost();
  return cursor;
}

/** Returns the next page of a feed that is complete up to `settled`: at most `limit` events of the wanted types. */
export async function readPage(
  db: Db,
  commerceId: number,
  from: Place,
  settled: number,
  { limit, types }: Wanted,
): Promise<Page> {
  const events: StoredEvent[] = [];
  let page: Page = { events, place: from, hasMore: true };
  for (let slice = 0; slice < MOST_SLICES && page.hasMore && events.length < limit; slice++) {
    page = await readSlice(db, commerceId, page.place, settled, { limit: limit - events.length, types });
    events.push(...page.events);
  }
  return { ...page, events };
}

async function readSlice(
  db: Db,
  commerceId: number,
  { through, missing }: Place,
  settled: number,
  { limit, types }: Wanted,
): Promise<Page> {
  const [gap, ...gaps] = missing;
  if (gap !== undefined) {
    const { events, reached } = await look(db, commerceId, gap, { limit, types });
    const left = reached < gap.to ? [{ from: reached + 1, to: gap.to }, ...gaps] : gaps;
    return { events, place: { through, missing: left }, hasMore: true };
  }
  if (settled <= through) return { events: [], place: { through, missing }, hasMore: false };
  const { events, reached } = await look(
    db,
    commerceId,
    { from: through + 1, to: settled },
    { limit, types },
  );
  return { events, place: { through: reached, missing }, hasMore: reached < settled };
}

/** Returns the wanted events of a range from its beginning, and the id up to which they are all of them. */
async function look(
  db: Db,
  commerceId: number,
  { from, to }: IdRange,
  { limit, types }: Wanted,
): Promise<{ events: StoredEvent[]; reached: number }> {
  const most = types === null ? Math.min(limit, SLICE) + 1 : SLICE + 1;
  const found = await readEvents(db, commerceId, { after: from - 1, through: to, most });
  const isWhole = found.length < most;
  const seen = isWhole ? found : found.slice(0, -1);
  const wanted = types === null ? seen : seen.filter(({ type }) => types.has(type));
  if (wanted.length > limit) return { events: wanted.slice(0, limit), reached: wanted[limit - 1]!.id };
  return { events: wanted, reached: isWhole ? to : seen.at(-1)!.id };
}
