import type { Commerce } from '#commerces/commerce.ts';
import { sql, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import type { Voucher } from '#vouchers/voucher.ts';
import { lastDayOf, type ChangedStamps } from './decide-stamps.ts';

interface Debt {
  readonly stampId: string;
  readonly ordinal: number;
  readonly need: number;
  readonly card: number;
  readonly have: number;
}

/**
 * The use of a code of a full card is undone. If a return has left the card in debt since, the code stays void and its stamps pay the debt.
 * The holder is locked. Returns what changed on the card, for the snapshot; null if there is no debt.
 */
export async function payDebt(
  tx: Tx,
  { commerceId, memberId, code, source }: Voucher,
  { rules, now, today }: Commerce,
): Promise<ChangedStamps | null> {
  if (source !== 'stamps') return null;
  const { rows } = await sql<Debt>`-- read-debt-of-card
    select f.stamp_id as "stampId", f.ordinal, f.need, c.card, c.have
      from full_cards f
      join stamp_cards c on c.commerce_id = ${commerceId} and c.member_id = f.member_id and c.stamp_id = f.stamp_id
     where f.commerce_id = ${commerceId} and f.member_id = ${memberId} and f.code = ${code} and f.taken_at is null
       and not c.ended and c.have < 0`.execute(tx);
  const debt = rows[0];
  if (debt === undefined) return null;
  const { stampId, ordinal, need, card } = debt;
  const have = debt.have + need;
  const months = rules.stamps.find(({ id }) => id === stampId)?.withinMonths ?? null;
  const endsOn = lastDayOf(have, months, today);
  await sql`-- pay-debt-of-card
    update stamp_cards set have = ${have}, ends_on = ${endsOn}
     where commerce_id = ${commerceId} and member_id = ${memberId} and stamp_id = ${stampId} and card = ${card}`.execute(
    tx,
  );
  await sql`-- take-card-of-undone-use
    update full_cards set taken_at = ${now}
     where commerce_id = ${commerceId} and member_id = ${memberId} and stamp_id = ${stampId} and ordinal = ${ordinal}`.execute(
    tx,
  );
  const facts = { stamp_id: stampId, stamps: need, have, full: 0 };
  await storeHappenings(tx, [{ type: 'stamp.given', commerceId, memberId, at: now, facts }]);
  return { id: stampId, stamps: 0, taken: [ordinal], have };
}
