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
  readonly subject: string | null;
  readonly before: Values | null;
  readonly after: Values | null;
  readonly reason: string | null;
}

export interface AuditPage {
  /** Newest first. */
  readonly rows: AuditRow[];
  /** Where the next page begins; null on the last page. */
  readonly next: Position | null;
}

const PAGE = 20;

/** Returns a page of the audit of a commerce, or of one member there, newest first. */
export async function readAudit(
  db: Db,
  commerceId: number,
  memberId: number | null,
  position: Position | null,
): Promise<AuditPage> {
  const behind = sql`a.id < coalesce(${position?.id ?? null}::bigint, ${Number.MAX_SAFE_INTEGER})`;
  const statement =
    memberId === null
      ? sql<AuditRow>`-- read-audit
    ${lines(sql`a.commerce_id = ${commerceId} and ${behind}`)}`
      : sql<AuditRow>`-- read-audit-of-member
    ${lines(sql`a.commerce_id = ${commerceId} and a.member_id = ${memberId} and ${behind}`)}`;
  const { rows } = await statement.execute(db);
  const page = rows.slice(0, PAGE);
  const last = page.at(-1);
  return {
    rows: page,
    next: rows.length > PAGE && last !== undefined ? { direction: 'older', at: last.at, id: last.id } : null,
  };
}

/** Personal values and what was typed are in a row of their own until the person is erased. */
function lines(condition: Sql): Sql {
  return sql`select a.id, a.at, a.action, ${auditActor} as actor,
           case when a.actor <> 'command_line' then a.source end as network,
           a.member_id as "memberId", a.subject,
           case when t.before is null then a.before else coalesce(a.before, '{}') || t.before end as before,
           case when t.after is null then a.after else coalesce(a.after, '{}') || t.after end as after,
           t.reason
      from (select * from audit a where ${condition} order by a.id desc limit ${PAGE + 1}) a
      left join audit_texts t on t.commerce_id = a.commerce_id and t.audit_id = a.id
      left join staff s on s.commerce_id = a.commerce_id and s.id = a.staff_id
      left join staff_people w on w.id = s.person_id
      left join api_keys k on k.commerce_id = a.commerce_id and k.id = a.key_id
     order by a.id desc`;
}
