import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { storeHappenings, type Happening } from '#happenings/store-happenings.ts';
import { uncoverStanding } from '#members/cover-standing.ts';
import type { Member, Standing } from '#members/member.ts';
import { stepBetween } from './step-between.ts';

/** Stores the changed tiers of locked members, and that they reached or lost one. Unchanged ones cost nothing. */
export async function storeStandings(
  tx: Tx,
  before: readonly Member[],
  after: readonly Member[],
  commerceOf: (member: Member) => Pick<Commerce, 'rules' | 'now'>,
): Promise<void> {
  const changed = after.filter((member, i) => member.standing !== before[i]?.standing);
  if (changed.length === 0) return;
  const standings = changed.map((member) => member.standing);
  const byTheRules = standings.map(uncoverStanding);
  const pins = standings.map(({ beneath, reachedAt }) => (beneath === null ? null : reachedAt));
  await sql`-- store-standings
    update members m
       set tier_id = s.tier_id, tier_reached_at = s.reached_at, tier_period_from = s.period_from,
           tier_expires_on = s.expires_on, tier_expired = s.expired,
           tier_pinned = s.pinned, tier_pinned_at = s.pinned_at, tier_beneath = s.beneath,
           tier_period_base_points = s.period_base_points, tier_period_base_amount = s.period_base_amount,
           tier_climb_base_points = s.climb_base_points, tier_climb_base_amount = s.climb_base_amount,
           tier_climb_from = s.climb_from
      from unnest(${changed.map((m) => m.commerceId)}::bigint[], ${changed.map((m) => m.id)}::bigint[],
                  ${standings.map((s) => s.tierId)}::text[], ${byTheRules.map((s) => s.reachedAt)}::timestamptz[],
                  ${byTheRules.map((s) => s.periodFrom)}::date[], ${byTheRules.map((s) => s.expiresOn)}::date[],
                  ${byTheRules.map((s) => s.expired)}::boolean[], ${standings.map((s) => s.beneath !== null)}::boolean[],
                  ${pins}::timestamptz[],
                  ${standings.map((s) => s.beneath?.tierId ?? null)}::text[],
                  ${byTheRules.map((s) => s.periodBase.points)}::bigint[], ${byTheRules.map((s) => s.periodBase.amount)}::bigint[],
                  ${byTheRules.map((s) => s.climbBase.points)}::bigint[], ${byTheRules.map((s) => s.climbBase.amount)}::bigint[],
                  ${byTheRules.map((s) => s.climbFrom)}::timestamptz[])
             as s(commerce_id, id, tier_id, reached_at, period_from, expires_on, expired, pinned, pinned_at, beneath,
                  period_base_points, period_base_amount, climb_base_points, climb_base_amount, climb_from)
     where m.commerce_id = any(${commercesOf(changed)}::bigint[])
       and m.commerce_id = s.commerce_id and m.id = s.id`.execute(tx);
  await storeHappenings(
    tx,
    after.flatMap((member, i) => stepOf(member, before[i]?.standing ?? member.standing, commerceOf(member))),
  );
}

/** Returns what happened if a member's tier is another one than before, or has expired. */
function stepOf(
  { commerceId, id: memberId, standing }: Member,
  before: Standing,
  commerce: Pick<Commerce, 'rules' | 'now'>,
): Happening[] {
  const step = stepBetween(before, standing, commerce);
  if (step === null) return [];
  return [
    {
      type: step.isUp ? 'tier.reached' : 'tier.lost',
      commerceId,
      memberId,
      at: step.at,
      facts: {
        level_id: standing.tierId,
        expired: standing.expired,
        previous_level_id: before.tierId,
      },
    },
  ];
}
