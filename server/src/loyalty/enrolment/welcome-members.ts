import type { Commerce } from '#commerces/commerce.ts';
import type { Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { enqueueMails } from '#mail/outbox.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { settled } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { isMessageOn } from '#program/messages.ts';
import type { Reward } from '#program/rules.ts';
import { giveRewards, type Given } from '#rewards/give-rewards.ts';
import { giveTierBenefits } from '#rewards/give-tier-benefits.ts';
import { giveFullCards } from '#stamps/give-full-cards.ts';
import { storeStandings } from '#tiers/store-standings.ts';
import { placeOnLadder, type OnLadder } from './place-on-ladder.ts';

export interface Welcomed {
  /** The rewards of each member, in order. */
  readonly given: readonly Given[];
  /** The number of codes that members got for the tiers they start in. */
  readonly tierCodes: number;
}

/** Places a new member on the ladder, and gives them the welcome reward and the benefits of the tiers they start in. */
export async function welcomeMember(tx: Tx, commerce: Commerce, entered: Member): Promise<Given> {
  const [member] = await withLots(tx, [entered]);
  const placed = placeOnLadder(settled(member!, commerce), commerce);
  const { given } = await welcomeMembers(tx, commerce, commerce.rules.rewards.welcome, [entered], [placed]);
  await tellNewMember(tx, commerce, given[0]!);
  return given[0]!;
}

/** Mails a new member, if the program asks for it. An import mails nobody. */
async function tellNewMember(
  tx: Tx,
  { program, today }: Commerce,
  { member, points, benefit }: Given,
): Promise<void> {
  const { commerceId, email, lots } = member;
  if (email === null || !isMessageOn(program, 'welcome')) return;
  const content = { points, benefit: benefit?.title ?? null, balance: balanceOn(lots, today) };
  await enqueueMails(tx, [{ commerceId, kind: 'welcome', recipient: email, content }]);
}

/**
 * Gives new members of a commerce the welcome reward, if there is one, and the benefits of the tiers they start in,
 * and stores them.
 * @param before the same members as they were when locked
 */
export async function welcomeMembers(
  tx: Tx,
  commerce: Commerce,
  reward: Reward | null,
  before: readonly Member[],
  placed: readonly OnLadder[],
): Promise<Welcomed> {
  const welcomed =
    reward === null
      ? placed.map(({ member }) => ({ member, points: null, benefit: null, reached: [] }))
      : await giveRewards(
          tx,
          commerce,
          reward,
          'welcome',
          placed.map(({ member }) => ({ member, period: '' })),
        );
  const after = welcomed.map(({ member }) => member);
  await storeMovements(tx, after);
  await storeStandings(tx, before, after, () => commerce);
  const codes = await giveTierBenefits(
    tx,
    welcomed.flatMap(({ member, reached }, i) =>
      [...placed[i]!.reached, ...reached].map((tierId) => ({ member, commerce, tierId })),
    ),
  );
  if (commerce.rules.stamps.length > 0)
    await giveFullCards(
      tx,
      after.map((member) => ({ member, commerce })),
    );
  return { given: welcomed, tierCodes: codes.length };
}
