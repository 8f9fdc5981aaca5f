import { sql, together, type Sql, type Tx } from '#db/database.ts';
import { rolesFrom, type StaffRole } from '#http/staff-roles.ts';
import { Problem } from '#problems/problem.ts';
import type { Actor, AuditEntry } from './audited.ts';
import { isWorkingKey } from './working-key.ts';

/** The person was removed or got a lower role, or the key was revoked, while the call was running. Nothing was done. */
export class LostOffice extends Problem {
  constructor() {
    super(403, 'role_needed', 'your role at this commerce was changed meanwhile: nothing was done');
  }
}

/**
 * Stores one row of the audit, and its personal values in a row of their own. Locks the actor's row, so a change of the
 * role waits for the end of this write, or this write sees it.
 * @throws LostOffice
 */
export async function storeAuditEntry(tx: Tx, actor: Actor, entry: AuditEntry): Promise<void> {
  // A session is no commerce's, so it has a statement of its own. It is read behind the lock, and sent together with it.
  const [writer, session] = await together(storeRows(tx, actor, entry), readSession(tx, actor));
  if (writer === undefined || session?.personId !== writer.personId) throw new LostOffice();
}

/** A person, or null for an actor who is none. */
interface Writer {
  readonly personId: number | null;
}

/** Returns undefined, and stores nothing, if the actor may not write any more. */
async function storeRows(tx: Tx, actor: Actor, entry: AuditEntry): Promise<Writer | undefined> {
  const { personal = {} } = entry;
  const hasTexts = [personal.before, personal.after, personal.reason].some((value) => value != null);
  const { rows } = await sql<Writer>`-- store-audit-of-${sql.raw(nameOf(actor))}
    with office as (
      ${officeOf(actor)}
    ), stored as (
      insert into audit (commerce_id, action, actor, staff_id, session_id, key_id, source,
                         member_id, movement_id, subject, before, after)
      select ${actor.commerceId}::bigint, ${entry.action}::text, ${actor.kind}::text, staff_id, session_id, key_id,
             ${actor.kind === 'command_line' ? actor.user : actor.network}::text,
             ${entry.memberId ?? null}::bigint, ${entry.movementId ?? null}::bigint, ${entry.subject ?? null}::text,
             ${toJson(entry.before)}::jsonb, ${toJson(entry.after)}::jsonb
        from office
      returning commerce_id, id, member_id
    ), texts as (
      insert into audit_texts (commerce_id, audit_id, member_id, before, after, reason)
      select commerce_id, id, member_id, ${toJson(personal.before)}::jsonb, ${toJson(personal.after)}::jsonb,
             ${personal.reason ?? null}::text
        from stored
       where ${hasTexts}::boolean
    )
    select office.person_id as "personId" from stored, office`.execute(tx);
  return rows[0];
}

/** Returns the person of a session that has not ended. */
async function readSession(tx: Tx, actor: Actor): Promise<Writer | undefined> {
  if (actor.kind !== 'staff') return { personId: null };
  const { rows } = await sql<Writer>`-- read-session-of-writer
    select person_id as "personId" from staff_sessions where id = ${actor.sessionId} and ended_at is null`.execute(
    tx,
  );
  return rows[0];
}

/** A statement name per kind, because each kind has a text of its own. */
function nameOf(actor: Actor): string {
  if (actor.kind === 'key' && typeof actor.needed === 'object') return 'key-of-the-contract';
  return { staff: 'staff', key: 'key', command_line: 'command-line' }[actor.kind];
}

/** Returns the row of the actor, if it may still write. */
function officeOf(actor: Actor): Sql {
  if (actor.kind === 'command_line')
    return sql`select null::bigint as staff_id, null::bigint as session_id, null::bigint as key_id, null::bigint as person_id`;
  if (actor.kind === 'key' && typeof actor.needed === 'object')
    return sql`select null::bigint as staff_id, null::bigint as session_id, k.id as key_id, null::bigint as person_id
        from api_keys k
       where k.commerce_id = ${actor.commerceId} and k.id = ${actor.keyId}
         and ${isWorkingKey} and k.role is null and ${actor.needed.scope}::text = any(k.scopes)
         for share of k`;
  const roles = rolesFrom(actor.needed as StaffRole);
  if (actor.kind === 'key')
    return sql`select null::bigint as staff_id, null::bigint as session_id, k.id as key_id, null::bigint as person_id
        from api_keys k
       where k.commerce_id = ${actor.commerceId} and k.id = ${actor.keyId}
         and ${isWorkingKey} and k.role = any(${roles}::text[])
         for share of k`;
  return sql`select s.id as staff_id, ${actor.sessionId}::bigint as session_id, null::bigint as key_id, s.person_id
        from staff s
       where s.commerce_id = ${actor.commerceId} and s.id = ${actor.staffId}
         and s.removed_at is null and s.role = any(${roles}::text[])
         for share of s`;
}

function toJson(value: object | null | undefined): string | null {
  return value == null ? null : JSON.stringify(value);
}
