import { sql, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';

/** A tier that a member lost, and since when codes of its benefit were issued on the strength of what was taken back. */
export interface LostBenefit {
  readonly tierId: string;
  readonly since: Date;
}

/**
 * Makes the unused codes void that a member was issued as benefits of lost tiers. A redemption takes no lock on the
 * member: one that is under way is waited for, and then the code is used and stays so. Returns the ids of the tiers
 * whose code is void.
 */
export async function voidVouchers(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
  lost: readonly LostBenefit[],
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ tierId: string; code: number }>`-- void-vouchers
    update vouchers v
       set given_back_at = ${at}
      from unnest(${lost.map((l) => l.tierId)}::text[], ${lost.map((l) => l.since)}::timestamptz[]) as l(tier_id, since)
     where v.commerce_id = ${commerceId} and v.member_id = ${id} and v.source = 'level'
       and v.tier_id = l.tier_id and v.issued_at >= l.since
       and v.used_at is null and v.given_back_at is null
    returning v.tier_id as "tierId", v.code`.execute(tx);
  await storeVoided(tx, { commerceId, memberId: id, at }, rows);
  return rows.map((row) => row.tierId);
}

/**
 * Makes all codes void that a locked person could still use, because they are erased. A redemption that is under way is waited
 * for, and then the code is used and stays so. Returns the ids of the benefits of the codes that were bought.
 */
export async function voidCodesOfErased(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
  at: Date,
): Promise<{ codes: number; bought: string[] }> {
  const { rows } = await sql<{ benefitId: string; source: string; code: number }>`-- void-codes-of-erased
    update vouchers
       set given_back_at = ${at}
     where commerce_id = ${commerceId} and member_id = ${id} and used_at is null and given_back_at is null
       and (due_at is null or due_at >= ${at})
    returning benefit_id as "benefitId", source, code`.execute(tx);
  await storeVoided(tx, { commerceId, memberId: id, at }, rows);
  const bought = rows.filter(({ source }) => source === 'exchange').map(({ benefitId }) => benefitId);
  return { codes: rows.length, bought };
}

/** Makes codes of a member void that this transaction has locked while nobody had used them. */
export async function voidLockedCodes(tx: Tx, of: VoidedOf, codes: readonly number[]): Promise<void> {
  if (codes.length === 0) return;
  await sql`-- void-locked-codes
    update vouchers set given_back_at = ${of.at}
     where commerce_id = ${of.commerceId} and code = any(${codes}::bigint[])`.execute(tx);
  await storeVoided(
    tx,
    of,
    codes.map((code) => ({ code })),
  );
}

interface VoidedOf {
  readonly commerceId: number;
  readonly memberId: number;
  readonly at: Date;
}

function storeVoided(tx: Tx, of: VoidedOf, vouchers: readonly { readonly code: number }[]): Promise<void> {
  return storeHappenings(
    tx,
    vouchers.map(({ code }) => ({ type: 'voucher.voided', ...of, voucherCode: code })),
  );
}
