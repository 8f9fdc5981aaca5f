import { whyEnded } from '#benefits/benefit.ts';
import { readBenefits } from '#benefits/read-benefits.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import { isActive, isActiveRow } from '#members/eligibility.ts';
import type { Member } from '#members/member.ts';
import { noteWithheld } from '#rewards/withheld-rewards.ts';
import { issueVouchers, newVoucher } from '#vouchers/issue-vouchers.ts';

/** A locked member, and the commerce as it is now. */
export interface Holder {
  readonly member: Member;
  readonly commerce: Commerce;
}

interface WaitingCard {
  readonly commerceId: number;
  readonly memberId: number;
  readonly stampId: string;
  readonly ordinal: number;
  readonly benefitId: string;
}

/** Nothing waits of the purchases behind a full card `f`. */
const isDue = (among: readonly number[]) => sql`f.code is null and f.taken_at is null
       and not exists (select from pending_points w
                        where w.commerce_id = any(${among}::bigint[]) and w.commerce_id = f.commerce_id
                          and w.member_id = f.member_id and w.purchase_id <= f.purchase_id)`;

/**
 * Gives the codes of full cards that wait for them, free of charge, once no purchase behind them waits. Whoever is only invited, has left or is blocked gets
 * theirs on joining or coming back. A benefit that has expired or was withdrawn gives nothing, which is recorded for staff, and the card
 * goes on waiting. The number of statements does not grow with the cards.
 */
export async function giveFullCards(tx: Tx, holders: readonly Holder[]): Promise<void> {
  const active = holders.filter(({ member }) => isActive(member));
  if (active.length === 0) return;
  const ids = active.map(({ member }) => member);
  const among = commercesOf(ids);
  const { rows } = await sql<WaitingCard>`-- read-waiting-cards
    select f.commerce_id as "commerceId", f.member_id as "memberId", f.stamp_id as "stampId", f.ordinal, f.benefit_id as "benefitId"
      from unnest(${ids.map((one) => one.commerceId)}::bigint[], ${ids.map((one) => one.id)}::bigint[]) as m(commerce_id, id)
      join full_cards f on f.commerce_id = m.commerce_id and f.member_id = m.id
     where f.commerce_id = any(${among}::bigint[]) and ${isDue(among)}
     order by f.commerce_id, f.member_id, f.stamp_id, f.ordinal`.execute(tx);
  if (rows.length === 0) return;
  const benefits = await readBenefits(
    tx,
    rows.map(({ commerceId, benefitId }) => ({ commerceId, id: benefitId })),
  );
  const waiting = rows.map((card) => {
    const { member, commerce } = active.find(
      (one) => one.member.commerceId === card.commerceId && one.member.id === card.memberId,
    )!;
    const benefit = benefits.find((one) => one.commerceId === card.commerceId && one.id === card.benefitId);
    return {
      ...card,
      member,
      givenAt: commerce.now,
      benefit,
      reason: benefit === undefined ? ('withdrawn' as const) : whyEnded(benefit, commerce.now),
    };
  });
  await noteWithheld(
    tx,
    waiting.flatMap(({ reason, stampId, ordinal, ...card }) =>
      reason === null ? [] : [{ ...card, event: 'stamps' as const, period: `${stampId}/${ordinal}`, reason }],
    ),
  );
  const given = waiting.flatMap(({ benefit, reason, ...card }) =>
    benefit === undefined || reason !== null
      ? []
      : [{ ...card, voucher: newVoucher(card.member, benefit, 'stamps', card.givenAt) }],
  );
  if (given.length === 0) return;
  await issueVouchers(
    tx,
    given.map(({ voucher }) => voucher),
  );
  await sql`-- give-full-cards
    update full_cards f
       set code = g.code
      from unnest(${given.map((one) => one.commerceId)}::bigint[], ${given.map((one) => one.memberId)}::bigint[],
                  ${given.map((one) => one.stampId)}::text[], ${given.map((one) => one.ordinal)}::integer[],
                  ${given.map(({ voucher }) => voucher.code)}::bigint[])
             as g(commerce_id, member_id, stamp_id, ordinal, code)
     where f.commerce_id = any(${among}::bigint[]) and f.commerce_id = g.commerce_id and f.member_id = g.member_id
       and f.stamp_id = g.stamp_id and f.ordinal = g.ordinal`.execute(tx);
  await storeHappenings(
    tx,
    given.map(({ commerceId, memberId, givenAt: at, voucher }) => ({
      type: 'voucher.issued' as const,
      commerceId,
      memberId,
      at,
      voucherCode: voucher.code,
    })),
  );
}

/** Finds members with full cards that nothing holds back, in order, after one of them. */
export async function nextWaitingCards(
  db: Db,
  commerceId: number,
  after: number,
  limit: number,
): Promise<{ memberId: number }[]> {
  const { rows } = await sql<{ memberId: number }>`-- next-waiting-cards
    select distinct f.member_id as "memberId"
      from full_cards f
      join members m on m.commerce_id = ${commerceId} and m.id = f.member_id
     where f.commerce_id = ${commerceId} and f.member_id > ${after} and ${isActiveRow} and ${isDue([commerceId])}
     order by f.member_id
     limit ${limit}`.execute(db);
  return rows;
}
