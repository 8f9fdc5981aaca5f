import type { Commerce } from '#commerces/commerce.ts';
import { isCountable } from './countable.ts';
import { withoutExpired } from './expired-days.ts';
import { withMovement, type LockedMember } from './locked-member.ts';
import type { NoteFacts } from './note.ts';

/**
 * Ends all points and the debt of a person who is erased, and what waits, so that nobody is owed them. Lifetime figures stay. Leaves figures
 * alone that are not exact: `ledger verify` reports those.
 */
export function withoutPoints(member: LockedMember, { rules, now, today }: Commerce): LockedMember {
  if (!isCountable(member, today)) return member;
  const written = withoutExpired(member, today, rules.timeZone);
  if (written.lots.length === 0 && written.pending.length === 0) return written;
  const ended = withMovement(
    written,
    {
      type: 'adjustment',
      at: now,
      snapshot: { rule: rules.version, erased: true, note: { of: 'erasure' } satisfies NoteFacts },
    },
    { lots: [], today },
  );
  return { ...ended, pending: [] };
}
