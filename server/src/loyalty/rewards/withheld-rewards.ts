/** Rewards that were due but gave nothing, because their benefit had expired or was withdrawn. */
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database, type Tx } from '#db/database.ts';
import type { RewardClaim } from './claim-reward.ts';

export interface WithheldReward extends RewardClaim {
  readonly benefitId: string;
  readonly reason: 'expired' | 'withdrawn';
}

/** Records rewards that give nothing, each once. They are not claimed, so they can still be given later. */
export async function noteWithheld(tx: Tx, withheld: readonly WithheldReward[]): Promise<void> {
  if (withheld.length === 0) return;
  await sql`-- note-withheld
    insert into withheld_rewards (commerce_id, member_id, event, period, benefit_id, reason, at)
    select w.*
      from unnest(${withheld.map((w) => w.member.commerceId)}::bigint[], ${withheld.map((w) => w.member.id)}::bigint[],
                  ${withheld.map((w) => w.event)}::text[], ${withheld.map((w) => w.period)}::text[],
                  ${withheld.map((w) => w.benefitId)}::text[], ${withheld.map((w) => w.reason)}::text[],
                  ${withheld.map((w) => w.givenAt)}::timestamptz[])
             as w(commerce_id, member_id, event, period, benefit_id, reason, at)
      left join rewards r on r.commerce_id = w.commerce_id and r.member_id = w.member_id
                         and r.event = w.event and r.period = w.period
                         and r.commerce_id = any(${commercesOf(withheld.map(({ member }) => member))}::bigint[])
     where r.member_id is null
     order by w.commerce_id, w.member_id, w.event, w.period
        on conflict do nothing`.execute(tx);
}

/** The rewards withheld from the members of a commerce, as one line of the log. */
export interface Withheld {
  readonly commerce: string;
  readonly event: RewardClaim['event'];
  readonly benefit: string;
  readonly reason: WithheldReward['reason'];
  readonly members: number;
}

/**
 * Returns the withheld rewards that are not logged yet and marks them as logged. The caller must log them. Two
 * processes never get the same ones.
 */
export async function takeUnlogged(database: Database): Promise<Withheld[]> {
  const { rows } = await sql<Withheld>`-- take-unlogged-withheld
    with taken as (
      update withheld_rewards
         set logged_at = now()
       where logged_at is null
      returning commerce_id, member_id, event, benefit_id, reason
    )
    select c.slug as commerce, t.event, t.benefit_id as benefit, t.reason, count(distinct t.member_id) as members
      from taken t
      join commerces c on c.id = t.commerce_id
     group by c.slug, t.event, t.benefit_id, t.reason
     order by c.slug, t.event, t.benefit_id, t.reason`.execute(database);
  return rows;
}
