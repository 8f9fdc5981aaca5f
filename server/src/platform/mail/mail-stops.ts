/** The mails that members have stopped. */
import { sql, type Db, type Tx } from '#db/database.ts';
import { canStop, MESSAGE_KINDS, type MessageKind } from '#program/messages.ts';
import type { MailReader } from './settings-links.ts';

/** Stands for all kinds, also for those of later releases. */
export const ALL = 'all';

/** Returns the kinds that a member has stopped. */
export async function readStoppedKinds(db: Db, { commerceId, memberId }: MailReader): Promise<MessageKind[]> {
  const { rows } = await sql<{ kind: string }>`-- read-mail-stops
    select kind from mail_stops where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(db);
  const kinds = new Set(rows.map(({ kind }) => kind));
  return MESSAGE_KINDS.filter((kind) => canStop(kind) && (kinds.has(ALL) || kinds.has(kind)));
}

/**
 * Stores which mails a member has stopped, instead of what they stopped before. Those of all kinds that can be stopped mean
 * all mails for ever. Changes nothing for an erased person.
 */
export async function storeStoppedKinds(
  tx: Tx,
  { commerceId, memberId }: MailReader,
  kinds: readonly MessageKind[],
): Promise<void> {
  const stored = MESSAGE_KINDS.every((kind) => !canStop(kind) || kinds.includes(kind)) ? [ALL] : kinds;
  await sql`-- forget-mail-stops
    delete from mail_stops
     where commerce_id = ${commerceId} and member_id = ${memberId} and kind <> all(${stored}::text[])`.execute(
    tx,
  );
  await sql`-- store-mail-stops
    insert into mail_stops (commerce_id, member_id, kind)
    select m.commerce_id, m.id, kind
      from members m, unnest(${stored}::text[]) as kind
     where m.commerce_id = ${commerceId} and m.id = ${memberId} and m.erased_at is null
        on conflict do nothing`.execute(tx);
}

/** Deletes what a person has chosen, who is being erased. */
export async function eraseMailStops(tx: Tx, commerceId: number, memberId: number): Promise<void> {
  await sql`-- erase-mail-stops
    delete from mail_stops where commerce_id = ${commerceId} and member_id = ${memberId}`.execute(tx);
}
