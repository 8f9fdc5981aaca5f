import { sql, type Tx } from '#db/database.ts';

/** A reward that is about to be given. */
export interface RewardClaim {
  readonly member: { readonly commerceId: number; readonly id: number };
  readonly event: 'welcome' | 'birthday' | 'monthly_top' | 'level' | 'stamps';
  /** '' for welcome, the year for birthday, the month for monthly_top, the id of the tier for level, a full card for stamps. */
  readonly period: string;
  readonly givenAt: Date;
}

/**
 * Records that rewards are given: once for each member, event and period, even with several workers. Returns the
 * claims that are new.
 */
export async function claimRewards<Claim extends RewardClaim>(
  tx: Tx,
  claims: readonly Claim[],
): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const { rows } = await sql<{ memberId: number; event: string; period: string }>`-- claim-rewards
    insert into rewards (commerce_id, member_id, event, period, given_at)
    select *
      from unnest(${claims.map((c) => c.member.commerceId)}::bigint[], ${claims.map((c) => c.member.id)}::bigint[],
                  ${claims.map((c) => c.event)}::text[], ${claims.map((c) => c.period)}::text[],
                  ${claims.map((c) => c.givenAt)}::timestamptz[])
             as c(commerce_id, member_id, event, period, given_at)
     order by commerce_id, member_id, event, period
        on conflict do nothing
    returning member_id as "memberId", event, period`.execute(tx);
  const noted = new Set(rows.map((row) => `${row.memberId}/${row.event}/${row.period}`));
  // If two claims are for the same reward, the first one gets it.
  return claims.filter((claim) => noted.delete(`${claim.member.id}/${claim.event}/${claim.period}`));
}
