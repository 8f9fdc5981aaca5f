import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql, type Database } from '#db/database.ts';
import type { StaffRole } from '#http/staff-roles.ts';
import { addStaff, AlreadyStaff } from '#staff/invite-staff.ts';

interface DemoColleague {
  readonly name: string;
  readonly email: string;
  readonly role: StaffRole;
}

/** The staff of the demo commerce. */
const demoStaff: readonly DemoColleague[] = [
  { name: 'Clara', email: 'clara@example.com', role: 'owner' },
  { name: 'Rui', email: 'rui@example.com', role: 'manager' },
  { name: 'Beatriz', email: 'beatriz@example.com', role: 'cashier' },
];

/** Gives the demo commerce its staff, unless somebody has ever worked there. A demo of an older release gets it too. */
export async function hireDemoStaff(database: Database, commerceId: number): Promise<void> {
  const actor = { kind: 'command_line', commerceId, user: 'demo' } as const;
  const { rows } = await sql`select from staff where commerce_id = ${commerceId} limit 1`.execute(database);
  if (rows.length > 0) return;
  for (const colleague of demoStaff)
    await auditedTransaction(database, actor, (tx) => addStaff(tx, commerceId, colleague)).catch(
      (error: unknown) => {
        // Another process that has started at the same moment was faster.
        if (!(error instanceof AlreadyStaff)) throw error;
      },
    );
}

/** Returns the addresses to sign in to the console with, one for each role that somebody still has. */
export async function readDemoStaff(
  database: Database,
  commerceId: number,
): Promise<readonly { readonly role: StaffRole; readonly email: string }[]> {
  const { rows } = await sql<{ role: StaffRole; email: string }>`
    select distinct on (s.role) s.role, p.email
      from staff s
      join staff_people p on p.id = s.person_id
     where s.commerce_id = ${commerceId} and s.removed_at is null
     order by s.role desc, s.id`.execute(database);
  return rows;
}
