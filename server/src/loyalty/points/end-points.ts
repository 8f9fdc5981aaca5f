import { languageOf } from '#text/language.ts';
import type { Commerce } from '#commerces/commerce.ts';
import { isCountable } from './countable.ts';
import { withoutExpired } from './expired-days.ts';
import { withMovement, type LockedMember } from './locked-member.ts';

/**
 * Ends all points and the debt of a person who is erased, so that nobody is owed them. Lifetime figures stay. Leaves figures
 * alone that are not exact: `ledger verify` reports those.
 */
export function withoutPoints(member: LockedMember, { rules, now, today, program }: Commerce): LockedMember {
  if (!isCountable(member, today)) return member;
  const written = withoutExpired(member, today, rules.timeZone);
  if (written.lots.length === 0) return written;
  return withMovement(
    written,
    {
      type: 'adjustment',
      at: now,
      note: languageOf(program.locale) === 'es' ? 'Cuenta borrada' : 'Account erased',
      snapshot: { rule: rules.version, erased: true },
    },
    { lots: [], today },
  );
}
