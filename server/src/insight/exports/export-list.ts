import type { Static } from 'typebox';
import type { Db } from '#db/database.ts';
import { searchMembers, type MemberFilter, type PlaceOfPage } from '#search/search-members.ts';
import type { Part } from './export-members.ts';
import type { ListedMemberSchema } from './wire.ts';

/** Measured as for `exportMembers`: the statements of a page cost little at this size. */
const PAGE = 500;

/**
 * Yields the people of a filtered list of the back office, in the order of the list. Anyone who is in the list from the beginning
 * to the end of the export is in it once.
 */
export async function* exportList(
  db: Db,
  commerceId: number,
  filter: MemberFilter,
): AsyncGenerator<Part, void> {
  let after: PlaceOfPage | null = null;
  do {
    const page = await searchMembers(db, commerceId, filter, { limit: PAGE, after, withTotal: false });
    const rows = page.people.map(({ member, state, points, levelName, lastPurchaseAt }) => {
      return {
        client_code: member.code,
        username: state === 'erased' ? null : member.username,
        email: member.email,
        state,
        level: levelName,
        points,
        enrolled_at: member.enrolledAt,
        last_purchase_at: lastPurchaseAt,
        amount_spent: member.figures.amount,
        purchases: member.purchases,
      } satisfies Static<typeof ListedMemberSchema>;
    });
    after = page.next;
    yield { rows, done: after === null ? 1 : 0 };
  } while (after !== null);
}
