import { sql, type Db } from '#db/database.ts';
import type { StaffRole } from '#http/staff-roles.ts';

/** A commerce where a person has a role. */
export interface Office {
  readonly commerceId: number;
  readonly role: StaffRole;
}

/** Returns the open commerces where a person has a role. */
export async function readOffices(db: Db, personId: number): Promise<Office[]> {
  const { rows } = await sql<Office>`-- read-offices
    select s.commerce_id as "commerceId", s.role
      from staff s
      join commerces c on c.id = s.commerce_id
     where s.person_id = ${personId} and s.removed_at is null and c.status <> 'closed'
     order by s.commerce_id`.execute(db);
  return rows;
}
