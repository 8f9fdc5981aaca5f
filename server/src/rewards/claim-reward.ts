import { sql, type Db } from '#db/database.ts';

/**
 * Notes that a reward is handed out: once for each member, event and period, whoever tries, on any number of
 * workers. False where it was handed out before.
 */
export async function claimReward(
  db: Db,
  member: { readonly commerceId: number; readonly id: number },
  event: 'welcome' | 'birthday' | 'monthly_top' | 'level',
  period: string,
  givenAt: Date,
): Promise<boolean> {
  const { rows } = await sql`-- claim-reward
    insert into rewards (commerce_id, member_id, event, period, given_at)
    values (${member.commerceId}, ${member.id}, ${event}, ${period}, ${givenAt})
        on conflict do nothing
    returning 1`.execute(db);
  return rows.length === 1;
}
