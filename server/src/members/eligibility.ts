/** What a member's state allows. Every rule that depends on the state asks one of these. */
import { sql } from '#db/database.ts';
import type { Member } from './member.ts';

type State = Pick<Member, 'state' | 'blockedAt'>;

/** Whether purchases count and tiers are climbed. Invited people earn too: their points wait. */
export function canEarn({ state, blockedAt }: State): boolean {
  return state !== 'left' && blockedAt === null;
}

/** Whether the member takes part now: buys benefits, and is given rewards and the benefits of tiers. */
export function isActive({ state, blockedAt }: State): boolean {
  return state === 'member' && blockedAt === null;
}

/** `isActive`, asked of `members m` in SQL. */
export const isActiveRow = sql.raw(`(m.state = 'member' and m.blocked_at is null)`);
