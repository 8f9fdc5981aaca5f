import { sql, type Db } from '#db/database.ts';
import type { Standing } from '#members/member.ts';

/** The tier that a member held at an instant, and whether it had expired. */
export type HeldTier = Pick<Standing, 'tierId' | 'expired'>;

interface Step {
  readonly at: Date;
  readonly levelId: string | null;
  readonly expired: boolean;
  readonly previousId: string | null;
}

/**
 * Returns the tier that a member held at an instant, by the events of their tiers; null if it has not changed since, so that the stored
 * standing says it. Nobody has written yet what ended by itself: settle the standing of an unchanged tier.
 */
export async function readHeldAt(
  db: Db,
  { commerceId, memberId }: { readonly commerceId: number; readonly memberId: number },
  at: Date,
): Promise<HeldTier | null> {
  const ofMember = sql`commerce_id = ${commerceId} and member_id = ${memberId} and type in ('tier.reached', 'tier.lost')`;
  const step = sql.raw(`at, facts ->> 'level_id' as "levelId", (facts ->> 'expired')::boolean as expired,
           facts ->> 'previous_level_id' as "previousId"`);
  const { rows } = await sql<Step>`-- read-held-at
    (select ${step} from happenings where ${ofMember} and at <= ${at} order by at desc, id desc limit 1)
     union all
    (select ${step} from happenings where ${ofMember} and at > ${at} order by at, id limit 1)`.execute(db);
  const [before, after] = [rows.find((row) => row.at <= at), rows.find((row) => row.at > at)];
  if (after === undefined) return null;
  if (before !== undefined) return { tierId: before.levelId, expired: before.expired };
  return { tierId: after.previousId, expired: false };
}
