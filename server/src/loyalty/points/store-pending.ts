import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import type { MovementFacts } from './locked-member.ts';

/** What waits of a stored purchase from now on. */
type Change = Required<MovementFacts>['pending'] & {
  readonly commerceId: number;
  readonly memberId: number;
  readonly purchaseId: number;
};

/** Stores what waits of purchases, by members who are locked. A change that comes later replaces an earlier one. */
export async function storePending(tx: Tx, changes: readonly Change[]): Promise<void> {
  const last = [...new Map(changes.map((one) => [`${one.commerceId}/${one.purchaseId}`, one])).values()];
  const waiting = last.filter(({ points }) => points !== null);
  const ended = last.filter(({ points }) => points === null);
  if (waiting.length > 0)
    await sql`-- store-pending
      insert into pending_points (commerce_id, member_id, purchase_id, points, due_at, becomes)
      select *
        from unnest(${waiting.map((one) => one.commerceId)}::bigint[], ${waiting.map((one) => one.memberId)}::bigint[],
                    ${waiting.map((one) => one.purchaseId)}::bigint[], ${waiting.map((one) => one.points)}::bigint[],
                    ${waiting.map((one) => one.dueAt)}::timestamptz[], ${waiting.map((one) => one.becomes)}::text[])
          on conflict (commerce_id, member_id, purchase_id) do update set points = excluded.points`.execute(
      tx,
    );
  if (ended.length > 0)
    await sql`-- end-pending
      delete from pending_points p
       using unnest(${ended.map((one) => one.commerceId)}::bigint[], ${ended.map((one) => one.memberId)}::bigint[],
                    ${ended.map((one) => one.purchaseId)}::bigint[])
               as e(commerce_id, member_id, purchase_id)
       where p.commerce_id = any(${commercesOf(ended)}::bigint[])
         and p.commerce_id = e.commerce_id and p.member_id = e.member_id and p.purchase_id = e.purchase_id`.execute(
      tx,
    );
}

/** Deletes what waits of a locked member who is erased. */
export async function forgetPending(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
): Promise<void> {
  await sql`-- forget-pending
    delete from pending_points where commerce_id = ${commerceId} and member_id = ${id}`.execute(tx);
}
