import { sql, type Db } from '#db/database.ts';
import type { Voucher } from '#vouchers/voucher.ts';

/**
 * Returns when a return took away the tier that a code came with, although the code had been used; null if none did. A code of
 * another source never depends on a tier.
 */
export async function whenTierWasLost(db: Db, voucher: Voucher): Promise<Date | null> {
  if (voucher.source !== 'level') return null;
  const { rows } = await sql<{ at: Date }>`-- read-when-tier-was-lost
    select m.at
      from movements m
     cross join lateral jsonb_array_elements(m.snapshot -> 'lost') as t(lost)
     where m.commerce_id = ${voucher.commerceId} and m.member_id = ${voucher.memberId} and m.type = 'reversal'
       and m.at > ${voucher.issuedAt} and t.lost ->> 'tierId' = ${voucher.tierId ?? null}
       and (t.lost ->> 'reachedAt')::timestamptz <= ${voucher.issuedAt}
     order by m.id
     limit 1`.execute(db);
  return rows[0]?.at ?? null;
}
