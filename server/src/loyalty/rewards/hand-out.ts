import type { Commerce } from '#commerces/commerce.ts';
import { isMessageOn } from '#program/messages.ts';
import type { Reward } from '#program/rules.ts';
import type { Tx } from '#db/database.ts';
import { enqueueMails, type Mail } from '#mail/outbox.ts';
import type { Member } from '#members/member.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { giveRewards, type Given } from './give-rewards.ts';
import { giveTierBenefits } from './give-tier-benefits.ts';
import { tellOfTiers } from './tell-of-tiers.ts';

/**
 * Gives a reward to locked members and stores everything that follows: figures, tiers and tier benefits. Each member
 * gets it once for each event and period. Returns how many members had not got it before.
 */
export async function handOut(
  tx: Tx,
  members: readonly Member[],
  commerce: Commerce,
  reward: Reward,
  event: 'birthday' | 'monthly_top',
  periodOf: (member: Member) => string,
): Promise<number> {
  const due = (await withLots(tx, members)).map((member) => ({
    member: settled(member, commerce),
    period: periodOf(member),
  }));
  const given = await giveRewards(tx, commerce, reward, event, due);
  const after = given.map(({ member }) => member);
  await storeMovements(tx, after);
  await storeStandings(tx, members, after, () => commerce);
  const tierBenefits = await giveTierBenefits(
    tx,
    given.flatMap(({ member, reached }) => reached.map((tierId) => ({ member, commerce, tierId }))),
  );
  const got = given.filter(({ points, benefit }) => points !== null || benefit !== null);
  await tellOfRewards(tx, commerce, event, got, periodOf);
  await tellOfTiers(
    tx,
    after.map((member, i) => ({ before: members[i]!, after: member, commerce })),
    tierBenefits,
  );
  return got.length;
}

/** Mails the members who got a reward, if the program asks for it. */
async function tellOfRewards(
  tx: Tx,
  { program }: Commerce,
  event: 'birthday' | 'monthly_top',
  given: readonly Given[],
  periodOf: (member: Member) => string,
): Promise<void> {
  if (!isMessageOn(program, event === 'birthday' ? 'birthday' : 'reward')) return;
  const mails = given.flatMap(({ member, points, benefit }): Mail[] => {
    const { commerceId, email: recipient } = member;
    if (recipient === null) return [];
    const gift = { points, benefit: benefit?.title ?? null };
    if (event === 'birthday') return [{ commerceId, kind: 'birthday', recipient, content: gift }];
    return [{ commerceId, kind: 'reward', recipient, content: { ...gift, month: periodOf(member) } }];
  });
  await enqueueMails(tx, mails);
}
