import { sql, type Db } from '#db/database.ts';

/** The actors who can stand behind a line of the audit. */
export interface AuditActorsRead {
  /** People who work or have worked at the commerce. */
  readonly staff: {
    readonly id: number;
    readonly name: string;
    readonly email: string;
    readonly isRemoved: boolean;
  }[];
  /** The keys of the back office. */
  readonly keys: { readonly id: number; readonly name: string; readonly prefix: string }[];
}

/** Anyone who was removed and invited again is in the list once for each time: their lines are those of that time. */
export async function readAuditActors(db: Db, commerceId: number): Promise<AuditActorsRead> {
  const staff = await sql<AuditActorsRead['staff'][number]>`-- read-audit-staff
    select s.id, p.name, p.email, s.removed_at is not null as "isRemoved"
      from staff s
      join staff_people p on p.id = s.person_id
     where s.commerce_id = ${commerceId}
     order by s.removed_at is not null, p.name, s.id`.execute(db);
  const keys = await sql<AuditActorsRead['keys'][number]>`-- read-audit-keys
    select k.id, k.name, k.prefix
      from api_keys k
     where k.commerce_id = ${commerceId} and k.role is not null
     order by k.id`.execute(db);
  return { staff: staff.rows, keys: keys.rows };
}
