import { randomBytes } from 'node:crypto';
import { createHiddenIds } from '#batching/hidden-ids.ts';
import { readWireIds } from '#batching/wire-ids.ts';
import { sql, type Database, type Db } from '#db/database.ts';

/** The feed of one commerce. */
export interface Feed {
  /**
   * Cursors of another epoch are lost: the database was restored since, and events that were read may not exist here, or the commerce
   * comes from another installation.
   */
  readonly epoch: Buffer;
  readonly ids: EventIds;
}

/** Hides the ids in the events of a commerce: they count up over all shops, and a code can be redeemed. */
export interface EventIds {
  readonly event: Hide;
  /** Returns the id of a hidden one; null if `event` cannot have returned it. */
  readonly showEvent: (hidden: number) => number | null;
  readonly movement: Hide;
  readonly member: Hide;
  readonly voucher: Hide;
}

type Hide = (id: number) => number;

/** Returns the feed of a commerce. Its first reader begins it. */
export async function readFeed(database: Database, commerceId: number): Promise<Feed> {
  const { epoch, key } = (await findFeed(database, commerceId)) ?? (await beginFeed(database, commerceId));
  return { epoch, ids: await readEventIds(database, commerceId, key) };
}

/** Returns what hides the ids of a commerce, from the key of its feed. */
export async function readEventIds(db: Db, commerceId: number, key: Buffer): Promise<EventIds> {
  const hidden = createHiddenIds(key);
  const hide: Hide = (id) => hidden.hide(id);
  const movement = await readWireIds(db, commerceId, 'purchase');
  const member = await readWireIds(db, commerceId, 'member');
  return {
    event: hide,
    showEvent: (id) => hidden.show(id),
    movement: (id) => movement.toWire(id),
    member: (id) => member.toWire(id),
    voucher: hide,
  };
}

interface FeedRow {
  readonly epoch: Buffer;
  readonly key: Buffer;
}

async function findFeed(db: Db, commerceId: number): Promise<FeedRow | undefined> {
  const { rows } = await sql<FeedRow>`-- read-event-feed
    select epoch, key from event_feeds where commerce_id = ${commerceId}`.execute(db);
  return rows[0];
}

async function beginFeed(database: Database, commerceId: number): Promise<FeedRow> {
  await sql`-- begin-event-feed
    insert into event_feeds (commerce_id, epoch, key) values (${commerceId}, ${randomBytes(8)}, ${randomBytes(12)})
        on conflict do nothing`.execute(database);
  return (await findFeed(database, commerceId))!;
}
