import { readCommerce } from '#commerces/commerce.ts';
import type { Db } from '#db/database.ts';
import { listMembers } from '#members/list-members.ts';
import type { Member } from '#members/member.ts';
import { withLots } from '#points/locked-member.ts';
import { balanceOn } from '#points/lots.ts';
import { settled } from '#points/pending.ts';
import { tierHeld } from '#tiers/ladder.ts';
import { standingAt } from '#tiers/standing.ts';
import type { Static } from 'typebox';
import type { ExportedMemberSchema } from './wire.ts';
import type { ExportedRow } from './write-rows.ts';

/** A part of an export, and how much of the whole it completes, from 0 to 1. */
export interface Part {
  readonly rows: readonly ExportedRow[];
  readonly done: number;
}

/**
 * Yields all clients of a commerce, in the order of enrolment, with what each holds when their part is read. Everyone who was a
 * client when the export began is in it once. People whose points only wait for them are not in it.
 */
export async function* exportMembers(db: Db, commerceId: number): AsyncGenerator<Part, void> {
  for (let offset = 0; ; offset += PAGE) {
    const { members, total } = await listMembers(db, commerceId, { limit: PAGE, offset });
    const commerce = await readCommerce(db, commerceId);
    if (commerce === undefined || members.length === 0) return;
    const held = (await withLots(db, members)).map((member) => settled(member, commerce));
    const { now, today, rules } = commerce;
    const rows = held.map((member) => {
      const { standing } = standingAt(member, rules, now);
      return {
        client_code: member.code,
        email: member.email,
        username: member.username,
        birth_date: member.birthDate,
        phone: member.phone,
        points: balanceOn(member.lots, today),
        state: stateOf(member),
        enrolled_at: member.enrolledAt,
        lifetime_points: member.figures.points,
        lifetime_amount: member.figures.amount,
        purchases: member.purchases,
        level: tierHeld(standing, rules.tiers)?.name ?? null,
      } satisfies Static<typeof ExportedMemberSchema>;
    });
    yield { rows, done: Math.min(1, (offset + members.length) / Math.max(1, total)) };
  }
}

/** Measured: the statements of a page cost little at this size, and a page is written in a few milliseconds. */
const PAGE = 500;

/** An erased person stays in the books without a name. */
function stateOf({ state, blockedAt, email }: Member): 'member' | 'left' | 'blocked' | 'erased' {
  if (email === null) return 'erased';
  if (blockedAt !== null) return 'blocked';
  return state === 'left' ? 'left' : 'member';
}
