import { sql, type Db } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from './member.ts';

/**
 * Returns a page of the members in order of enrolment, and the total number. The places in this order have no gaps,
 * so every offset costs the same as the first page.
 */
export async function listMembers(
  db: Db,
  commerceId: number,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ members: Member[]; total: number }> {
  const { rows } = await sql<MemberRow>`-- list-members
    select ${memberColumns}
      from members m
     where m.commerce_id = ${commerceId} and m.ordinal > ${page.offset} and m.ordinal <= ${page.offset + page.limit}
     order by m.ordinal`.execute(db);
  const enrolled = await sql<{ total: number }>`-- count-members
    select total from enrolments where commerce_id = ${commerceId}`.execute(db);
  return { members: rows.map(memberOf), total: enrolled.rows[0]?.total ?? 0 };
}
