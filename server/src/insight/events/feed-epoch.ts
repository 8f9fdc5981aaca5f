import { randomBytes } from 'node:crypto';
import { sql, type Database, type Db, type Tx } from '#db/database.ts';

/**
 * Returns the epoch of a commerce's feed. Cursors of another one are lost: the database was restored since, and events that were read
 * may not exist here, or the commerce comes from another installation. The first reader begins it.
 */
export async function readEpoch(database: Database, commerceId: number): Promise<Buffer> {
  const found = await findEpoch(database, commerceId);
  if (found !== undefined) return found;
  await sql`-- begin-event-feed
    insert into event_feeds (commerce_id, epoch) values (${commerceId}, ${randomBytes(8)})
        on conflict do nothing`.execute(database);
  return (await findEpoch(database, commerceId))!;
}

async function findEpoch(db: Db, commerceId: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ epoch: Buffer }>`-- read-event-epoch
    select epoch from event_feeds where commerce_id = ${commerceId}`.execute(db);
  return rows[0]?.epoch;
}

/** Ends the epochs of all feeds, because the database is another one than its readers have read. */
export async function endEpochs(db: Database | Tx): Promise<void> {
  await sql`-- end-event-epochs
    delete from event_feeds`.execute(db);
}
