import type { Member } from './member.ts';

/**
 * Since when a person takes no part: they left, or staff blocked them; null while they take part. Their tier stands
 * still from that moment.
 */
export function awaySince({
  state,
  leftAt,
  blockedAt,
}: Pick<Member, 'state' | 'leftAt' | 'blockedAt'>): Date | null {
  const left = state === 'left' ? (leftAt ?? new Date(0)) : null;
  if (left === null || blockedAt === null) return left ?? blockedAt;
  return left < blockedAt ? left : blockedAt;
}
