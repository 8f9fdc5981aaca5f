/**
 * Benefits of tiers that were reached while purchases waited. A benefit is handed out once none of the purchases wait that did when its
 * tier was reached, because each of them may have counted.
 */
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { isActiveRow } from '#members/eligibility.ts';

interface TierOfMember {
  readonly commerceId: number;
  readonly memberId: number;
  readonly tierId: string;
}

/** Notes the benefits whose members have purchases that wait. Returns the names of these. */
export async function deferBenefits(tx: Tx, claims: readonly TierOfMember[]): Promise<ReadonlySet<string>> {
  if (claims.length === 0) return NONE;
  const { rows } = await sql<TierOfMember>`-- defer-benefits
    insert into pending_benefits (commerce_id, member_id, tier_id, purchase_id)
    select c.commerce_id, c.member_id, c.tier_id, p.purchase_id
      from unnest(${claims.map((one) => one.commerceId)}::bigint[], ${claims.map((one) => one.memberId)}::bigint[],
                  ${claims.map((one) => one.tierId)}::text[])
             as c(commerce_id, member_id, tier_id)
     cross join lateral (
           select max(w.purchase_id) as purchase_id
             from pending_points w
            where w.commerce_id = any(${commercesOf(claims)}::bigint[])
              and w.commerce_id = c.commerce_id and w.member_id = c.member_id) p
     where p.purchase_id is not null
        on conflict (commerce_id, member_id, tier_id) do update set purchase_id = excluded.purchase_id
    returning commerce_id as "commerceId", member_id as "memberId", tier_id as "tierId"`.execute(tx);
  return new Set(rows.map(nameOfBenefitClaim));
}

const NONE: ReadonlySet<string> = new Set();

export function nameOfBenefitClaim({ commerceId, memberId, tierId }: TierOfMember): string {
  return `${commerceId}/${memberId}/${tierId}`;
}

/** The condition that nothing waits any more of what `pending_benefits b` waits for. */
const isDue = (commerceId: number) => sql`not exists (select from pending_points w
                               where w.commerce_id = ${commerceId} and w.member_id = b.member_id and w.purchase_id <= b.purchase_id)`;

/** Takes the benefits of locked members that nothing holds back any more. Those of people who have left or are blocked stay. */
export async function takeDueBenefits(
  tx: Tx,
  commerceId: number,
  memberIds: readonly number[],
): Promise<TierOfMember[]> {
  const { rows } = await sql<TierOfMember>`-- take-due-benefits
    delete from pending_benefits b
     using members m
     where b.commerce_id = ${commerceId} and b.member_id = any(${memberIds}::bigint[])
       and m.commerce_id = ${commerceId} and m.id = b.member_id and ${isActiveRow} and ${isDue(commerceId)}
    returning b.commerce_id as "commerceId", b.member_id as "memberId", b.tier_id as "tierId"`.execute(tx);
  return rows;
}

/** Finds members with such benefits, in order, after one of them. */
export async function nextDueBenefits(
  db: Db,
  commerceId: number,
  after: number,
  limit: number,
): Promise<{ memberId: number }[]> {
  const { rows } = await sql<{ memberId: number }>`-- next-due-benefits
    select distinct b.member_id as "memberId"
      from pending_benefits b
      join members m on m.commerce_id = ${commerceId} and m.id = b.member_id
     where b.commerce_id = ${commerceId} and b.member_id > ${after} and ${isActiveRow} and ${isDue(commerceId)}
     order by b.member_id
     limit ${limit}`.execute(db);
  return rows;
}

/** Forgets the benefits of tiers that a locked member has lost; of all tiers, if none are named. */
export async function forgetPendingBenefits(
  tx: Tx,
  { commerceId, id }: { readonly commerceId: number; readonly id: number },
  tierIds?: readonly string[],
): Promise<void> {
  await sql`-- forget-pending-benefits
    delete from pending_benefits
     where commerce_id = ${commerceId} and member_id = ${id}
       and (${tierIds ?? null}::text[] is null or tier_id = any(${tierIds ?? null}::text[]))`.execute(tx);
}
