import { sql, type Db, type Sql } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';
import { auditActor, type AuditActor } from './audit-actor.ts';

type Values = Readonly<Record<string, unknown>>;

/** One write of a person, a key of the back office, or the command line. */
export interface AuditRow {
  readonly id: number;
  readonly at: Date;
  readonly action: string;
  readonly actor: AuditActor;
  /** The client network; null for the command line. */
  readonly network: string | null;
  readonly memberId: number | null;
  /** The member's name, or else their address, as it is now. Null once the person is erased. */
  readonly memberName: string | null;
  readonly subject: string | null;
  readonly before: Values | null;
  readonly after: Values | null;
  readonly reason: string | null;
}

/** The conditions that rows have to meet, all of them. Null is no condition. */
export interface AuditFilter {
  readonly memberId: number | null;
  readonly action: string | null;
  readonly by: 'staff' | 'key' | 'command_line' | null;
  readonly staffId: number | null;
  readonly keyId: number | null;
  /** At or after this, and before that. */
  readonly from: Date | null;
  readonly before: Date | null;
}

export interface AuditPage {
  /** Newest first. */
  readonly rows: AuditRow[];
  /** Where the next page begins; null on the last page. */
  readonly next: Position | null;
}

/** Returns a page of the audit of a commerce, newest first. Each condition has an index in this order, apart from sales. */
export async function readAudit(
  db: Db,
  commerceId: number,
  filter: AuditFilter,
  position: Position | null,
  most: number,
): Promise<AuditPage> {
  const conditions: Sql[] = [sql`a.commerce_id = ${commerceId}`];
  const { memberId, action, by, staffId, keyId, from, before } = filter;
  if (memberId !== null) conditions.push(sql`a.member_id = ${memberId}`);
  if (action !== null) conditions.push(sql`a.action = ${action}`);
  if (by !== null) conditions.push(sql`a.actor = ${by}`);
  if (staffId !== null) conditions.push(sql`a.staff_id = ${staffId}`);
  if (keyId !== null) conditions.push(sql`a.key_id = ${keyId}`);
  if (from !== null) conditions.push(sql`a.at >= ${from}`);
  if (before !== null) conditions.push(sql`a.at < ${before}`);
  if (position !== null) conditions.push(sql`(a.at, a.id) < (${position.at}, ${position.id})`);
  const { rows } = await lines(commerceId, sql.join(conditions, sql` and `), most + 1).execute(db);
  const page = rows.slice(0, most);
  const last = page.at(-1);
  return {
    rows: page,
    next: rows.length > most && last !== undefined ? { direction: 'older', at: last.at, id: last.id } : null,
  };
}

/**
 * Personal values and what was typed are in a row of their own until the person is erased. The statement has no name, so that
 * each set of conditions gets a plan of its own.
 */
function lines(commerceId: number, condition: Sql, most: number) {
  return sql<AuditRow>`select a.id, a.at, a.action, ${auditActor} as actor,
           case when a.actor <> 'command_line' then a.source end as network,
           a.member_id as "memberId", coalesce(m.username, m.email) as "memberName", a.subject,
           case when t.before is null then a.before else coalesce(a.before, '{}') || t.before end as before,
           case when t.after is null then a.after else coalesce(a.after, '{}') || t.after end as after,
           t.reason
      from (select * from audit a where ${condition} order by a.at desc, a.id desc limit ${most}) a
      left join members m on m.commerce_id = ${commerceId} and m.id = a.member_id
      left join audit_texts t on t.commerce_id = ${commerceId} and t.audit_id = a.id
      left join staff s on s.commerce_id = ${commerceId} and s.id = a.staff_id
      left join staff_people w on w.id = s.person_id
      left join api_keys k on k.commerce_id = a.commerce_id and k.id = a.key_id
     order by a.at desc, a.id desc`;
}
