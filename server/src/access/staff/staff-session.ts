import { createHash, randomBytes } from 'node:crypto';
import { createBatch } from '#batching/batch.ts';
import { sql, type Database, type Tx } from '#db/database.ts';
import type { StaffSession } from '#http/credentials.ts';
import type { StaffRole } from '#http/staff-roles.ts';

/** How long a person counts as having just proved that the mailbox is theirs. */
const FRESH_MINUTES = 15;
export const IDLE_HOURS = 12;

/** Selects the sessions `staff_sessions e` that have not ended. */
export const isOpenSession = sql.raw(
  `e.ended_at is null and e.ends_at > now() and e.seen_at > now() - interval '${IDLE_HOURS} hours'`,
);

/** Opens a session for a person. Returns the token for the cookie; only its hash is stored. */
export async function openStaffSession(tx: Tx, personId: number): Promise<string> {
  const { token, hash } = newToken();
  await sql`-- open-staff-session
    insert into staff_sessions (hash, person_id) values (${hash}, ${personId})`.execute(tx);
  return token;
}

/** Does the same for a person who has proved the mailbox at an earlier time. Returns the session's id too. */
export async function openSessionSince(
  tx: Tx,
  personId: number,
  provedAt: Date,
): Promise<{ readonly sessionId: number; readonly token: string }> {
  const { token, hash } = newToken();
  const { rows } = await sql<{ sessionId: number }>`-- open-staff-session-since
    insert into staff_sessions (hash, person_id, proved_at) values (${hash}, ${personId}, ${provedAt})
    returning id as "sessionId"`.execute(tx);
  return { sessionId: rows[0]!.sessionId, token };
}

/** Looks sessions up for all requests of this process. See `readStaffSessions`. */
export type StaffSessionReader = (token: string, commerceId: number | null) => Promise<StaffSession | null>;

/** Creates a reader that looks up all sessions asked for while a statement runs in the next statement. It remembers nothing. */
export function createStaffSessionReader(database: Database): StaffSessionReader {
  const batch = createBatch<Wanted, StaffSession | null>({
    name: 'read-staff-sessions',
    tracing: database.tracing,
    run: (wanted) => readStaffSessions(database, wanted),
    commerceOf: () => 0,
    mayRepeat: () => true,
    longestQueuedMs: database.patience.queuedMs,
  });
  return (token, commerceId) => batch.submit({ hash: hashOf(token), commerceId });
}

interface Wanted {
  readonly hash: Buffer;
  readonly commerceId: number | null;
}

interface SessionRow {
  readonly nth: number;
  readonly sessionId: number;
  readonly personId: number;
  readonly email: string;
  readonly name: string;
  readonly freshUntil: Date | null;
  readonly staffId: number | null;
  readonly role: StaffRole | null;
  readonly isStale: boolean;
}

/**
 * Reads sessions with the person's role at the commerce of the call. A session is null if it has ended, was idle for 12
 * hours, is 30 days old, or belongs to a person without any role.
 */
async function readStaffSessions(
  database: Database,
  wanted: readonly Wanted[],
): Promise<(StaffSession | null)[]> {
  const { rows } = await sql<SessionRow>`-- find-staff-sessions
    with open as materialized (
      select w.nth, w.commerce_id, e.id, e.person_id, p.email, p.name,
             e.proved_at + make_interval(mins => ${FRESH_MINUTES}::integer) as fresh_until,
             e.seen_at < now() - interval '1 minute' as is_stale
        from unnest(${wanted.map(({ hash }) => hash)}::bytea[], ${wanted.map(({ commerceId }) => commerceId)}::bigint[])
             with ordinality as w(hash, commerce_id, nth)
        join staff_sessions e on e.hash = w.hash
        join staff_people p on p.id = e.person_id
       where ${isOpenSession}
    )
    select distinct on (o.nth) o.nth, o.id as "sessionId", o.person_id as "personId", o.email, o.name,
           case when o.fresh_until > now() then o.fresh_until end as "freshUntil",
           case when s.commerce_id = o.commerce_id and c.status <> 'closed' then s.id end as "staffId",
           case when s.commerce_id = o.commerce_id and c.status <> 'closed' then s.role end as role,
           o.is_stale as "isStale"
      from open o
      join staff s on s.person_id = o.person_id and s.removed_at is null
      join commerces c on c.id = s.commerce_id
     order by o.nth, (s.commerce_id = o.commerce_id) desc nulls last`.execute(database);
  const stale = rows.filter(({ isStale }) => isStale).map(({ sessionId }) => sessionId);
  if (stale.length > 0) await noteSeen(database, stale);
  const found = new Map(rows.map((row) => [row.nth, row]));
  return wanted.map((_, i) => {
    const row = found.get(i + 1);
    if (row === undefined) return null;
    const { sessionId, personId, email, name, freshUntil, staffId, role } = row;
    const office = staffId === null || role === null ? null : { staffId, role };
    return { sessionId, personId, email, name, freshUntil, office };
  });
}

/** Notes that the sessions are in use, at most once a minute. A row that is locked was noted by somebody else. */
async function noteSeen(database: Database, sessionIds: readonly number[]): Promise<void> {
  await sql`-- note-staff-seen
    update staff_sessions
       set seen_at = now()
     where id in (select id from staff_sessions
                   where id = any(${sessionIds}::bigint[]) and ended_at is null
                   order by id for update skip locked)`.execute(database);
}

/**
 * The person has typed a fresh code: gives the session a new token, so that a copy of the old cookie is worth nothing from
 * here on. Returns null if the session has ended.
 */
export async function renewStaffSession(tx: Tx, sessionId: number): Promise<string | null> {
  const { token, hash } = newToken();
  const { rows } = await sql`-- renew-staff-session
    update staff_sessions
       set hash = ${hash}, proved_at = now(), seen_at = now()
     where id = ${sessionId} and ended_at is null
    returning id`.execute(tx);
  return rows.length === 1 ? token : null;
}

/** Ends one session. */
export async function endStaffSession(tx: Tx, sessionId: number): Promise<void> {
  await sql`-- end-staff-session
    update staff_sessions set ended_at = now() where id = ${sessionId} and ended_at is null`.execute(tx);
}

/** Ends all sessions of a person, on every device. */
export async function endStaffSessionsOf(tx: Tx, personId: number): Promise<void> {
  await sql`-- end-staff-sessions
    update staff_sessions set ended_at = now() where person_id = ${personId} and ended_at is null`.execute(
    tx,
  );
}

function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOf(token) };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
