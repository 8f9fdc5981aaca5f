import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { settled } from '#points/pending.ts';
import { tierThatCounts } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';

/** The state of a person in the back office. An erased person stays in the books without a name. */
export type PersonState = 'invited' | 'member' | 'left' | 'blocked' | 'erased';

/** A person as lists of the back office show one. */
export interface FoundPerson {
  readonly member: LockedMember;
  readonly state: PersonState;
  /** The balance, without points that have expired. */
  readonly points: number;
  readonly levelId: string | null;
  readonly levelName: string | null;
}

/** Reads what lists show of these members, in their order. */
export async function describePeople(db: Db, members: readonly Member[]): Promise<FoundPerson[]> {
  if (members.length === 0) return [];
  const commerce = (await readCommerce(db, members[0]!.commerceId))!;
  const held = (await withLots(db, members)).map((member) => settled(member, commerce));
  return held.map((member) => ({
    member,
    state: personState(member),
    points: balanceOn(member.lots, commerce.today),
    ...levelOf(member, commerce),
  }));
}

export function personState({
  state,
  blockedAt,
  email,
}: Pick<Member, 'state' | 'blockedAt' | 'email'>): PersonState {
  if (email === null) return 'erased';
  return blockedAt === null ? state : 'blocked';
}

/** The tier that counts now, whether or not a job has settled it. */
function levelOf(member: Member, { rules, now }: Commerce): Pick<FoundPerson, 'levelId' | 'levelName'> {
  const tier = tierThatCounts(standingAt(member, rules, now).standing, rules.tiers);
  return { levelId: tier?.id ?? null, levelName: tier?.name ?? null };
}
