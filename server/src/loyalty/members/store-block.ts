import { sql, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';

/** Stores that staff have blocked a locked person now. Returns the commerce's time. */
export async function storeBlock(
  tx: Tx,
  commerceId: number,
  memberId: number,
  reason: string,
): Promise<Date> {
  const { rows } = await sql<{ blockedAt: Date }>`-- block-member
    with clock as materialized (
      select program_now(clock_offset) as now from commerces where id = ${commerceId}
    )
    update members m
       set blocked_at = clock.now, block_reason = ${reason}
      from clock
     where m.commerce_id = ${commerceId} and m.id = ${memberId} and m.blocked_at is null
    returning m.blocked_at as "blockedAt"`.execute(tx);
  const { blockedAt } = rows[0]!;
  await storeHappenings(tx, [{ type: 'member.blocked', commerceId, memberId, at: blockedAt }]);
  return blockedAt;
}

/** Stores that a locked person is blocked no more. Returns the reason of the block. */
export async function storeUnblock(tx: Tx, commerceId: number, memberId: number): Promise<string | null> {
  const { rows } = await sql<{ reason: string | null }>`-- unblock-member
    with blocked as (
      select block_reason as reason from members where commerce_id = ${commerceId} and id = ${memberId}
    )
    update members m
       set blocked_at = null, block_reason = null
      from blocked
     where m.commerce_id = ${commerceId} and m.id = ${memberId} and m.blocked_at is not null
    returning blocked.reason`.execute(tx);
  await storeHappenings(tx, [{ type: 'member.unblocked', commerceId, memberId }]);
  return rows[0]!.reason;
}
