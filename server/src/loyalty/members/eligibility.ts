/** The acts that each state allows a member. Every rule that depends on the state uses one of these functions. */
import { sql } from '#db/database.ts';
import type { Member } from './member.ts';

type State = Pick<Member, 'state' | 'blockedAt'>;

/** Returns true if purchases earn points and tiers. Invited people earn too: their points wait until they join. */
export function canEarn({ state, blockedAt }: State): boolean {
  return state !== 'left' && blockedAt === null;
}

/** Returns true if the member takes part now, so they can buy benefits and get rewards and tier benefits. */
export function isActive({ state, blockedAt }: State): boolean {
  return state === 'member' && blockedAt === null;
}

/** Returns true if the person was erased. Their movements stay in the books without a name. */
export function isErased({ email }: Pick<Member, 'email'>): boolean {
  return email === null;
}

/** Returns `isActive` as SQL on `members m`. */
export const isActiveRow = sql.raw(`(m.state = 'member' and m.blocked_at is null)`);
