import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Tx } from '#db/database.ts';
import { uncoverStanding } from '#members/cover-standing.ts';
import type { Member } from '#members/member.ts';

/** Stores the changed tiers of locked members. Unchanged ones cost nothing. */
export async function storeStandings(
  tx: Tx,
  before: readonly Member[],
  after: readonly Member[],
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
}
