import { sql, type Db, type Tx } from '#db/database.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { NotFound, Problem } from '#problems/problem.ts';
import { isOpenSession } from './staff-session.ts';

/** A person who works at a commerce. */
export interface Colleague {
  readonly staffId: number;
  readonly personId: number;
  readonly email: string;
  readonly name: string;
  readonly role: StaffRole;
  readonly invitedAt: Date;
  /** The last call of any of the person's sessions. */
  readonly lastSeenAt: Date | null;
  /** On how many devices the person is signed in. */
  readonly devices: number;
}

/** Returns everybody who works at a commerce, owners first, then by name. */
export async function listStaff(db: Db, commerceId: number): Promise<Colleague[]> {
  const { rows: people } = await sql<Omit<Colleague, 'lastSeenAt' | 'devices'>>`-- list-staff
    select s.id as "staffId", p.id as "personId", p.email, p.name, s.role, s.invited_at as "invitedAt"
      from staff s
      join staff_people p on p.id = s.person_id
     where s.commerce_id = ${commerceId} and s.removed_at is null
     order by array_position(array['owner', 'manager', 'cashier'], s.role), p.name, s.id`.execute(db);
  // Sessions are no commerce's, so a cluster has them elsewhere.
  const { rows: sessions } = await sql<
    Pick<Colleague, 'personId' | 'lastSeenAt' | 'devices'>
  >`-- sessions-of-staff
    select e.person_id as "personId", max(e.seen_at) as "lastSeenAt", count(*) filter (where ${isOpenSession}) as devices
      from staff_sessions e
     where e.person_id = any(${people.map(({ personId }) => personId)}::bigint[])
     group by e.person_id`.execute(db);
  const seen = new Map(sessions.map((session) => [session.personId, session]));
  return people.map((person) => ({
    ...person,
    lastSeenAt: seen.get(person.personId)?.lastSeenAt ?? null,
    devices: seen.get(person.personId)?.devices ?? 0,
  }));
}

/** Nobody with this id works at the commerce. */
export class UnknownColleague extends NotFound {
  constructor() {
    super('nobody with this id works at the commerce');
  }
}

/** Without an owner, nobody could change the team any more. */
export class LastOwner extends Problem {
  constructor() {
    super(409, 'last_owner', 'this is the only owner: make somebody else an owner first');
  }
}

/** Nobody takes away their own role: the write would be one of somebody who has no such role, and is not allowed. */
export class OwnRole extends Problem {
  constructor() {
    super(409, 'own_role', 'you cannot do this to yourself: ask another owner, or sign out');
  }
}

/**
 * Locks the team of a commerce and returns one of it. Changes of a team run one after the other, so two owners cannot remove
 * each other. A write of anybody in the team that is running is waited for.
 * @throws UnknownColleague
 * @throws LastOwner if the person is the only owner, and does not stay one
 */
export async function lockColleague(
  tx: Tx,
  commerceId: number,
  staffId: number,
  { staysOwner }: { readonly staysOwner: boolean },
): Promise<{ readonly personId: number; readonly email: string; readonly role: StaffRole }> {
  const { rows } = await sql<{
    staffId: number;
    personId: number;
    email: string;
    role: StaffRole;
  }>`-- lock-team
    select s.id as "staffId", p.id as "personId", p.email, s.role
      from staff s
      join staff_people p on p.id = s.person_id
     where s.commerce_id = ${commerceId} and s.removed_at is null
     order by s.id
       for no key update of s`.execute(tx);
  const colleague = rows.find((row) => row.staffId === staffId);
  if (colleague === undefined) throw new UnknownColleague();
  const owners = rows.filter(({ role }) => role === 'owner');
  if (colleague.role === 'owner' && owners.length === 1 && !staysOwner) throw new LastOwner();
  return colleague;
}
