import { sql, type Db } from '#db/database.ts';
import { memberColumns, memberOf, type Member, type MemberRow } from './member.ts';

/**
 * A page of the members in the order of their enrolment, and how many there are in all. Places in that order are
 * dense, so that any offset costs what the first page costs.
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
