/** Rules about what a member's state allows. Other code calls these and never compares states itself. */
import { sql } from '#db/database.ts';
import type { Member } from './member.ts';

type State = Pick<Member, 'state' | 'blockedAt'>;

/** Returns true if the member's purchases count and can reach tiers. Invited people earn too, and their points wait. */
export function canEarn({ state, blockedAt }: State): boolean {
  return state !== 'left' && blockedAt === null;
}

/** Returns true if the member can buy benefits and receive rewards. */
export function isActive({ state, blockedAt }: State): boolean {
  return state === 'member' && blockedAt === null;
}

/** The condition of `isActive` in SQL, for a row of `members m`. */
export const isActiveRow = sql.raw(`(m.state = 'member' and m.blocked_at is null)`);
