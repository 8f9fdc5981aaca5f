import { applyIn, lockProgram } from '#apply/apply-program.ts';
import type { Actor, AuditEntry } from '#audit/audited.ts';
import { storeAuditEntry } from '#audit/store-audit-entry.ts';
import { sql, type Tx } from '#db/database.ts';
import { addStaff } from '#staff/invite-staff.ts';
import { openSessionSince } from '#staff/staff-session.ts';
import { firstProgram } from './first-program.ts';
import { LinkRefused } from './set-up-link.ts';
import { lockSetUp, SetUpUnknown, type SetUp } from './set-up.ts';
import { findSlug, SlugTaken } from './shop-slug.ts';

/** The shop, and the token for the cookie with which its owner is signed in. */
export interface OpenedShop {
  readonly commerceId: number;
  readonly slug: string;
  readonly token: string;
}

/**
 * The answers become a shop, and the person its owner, signed in. Repeating the call within a few minutes, because an answer
 * got lost, makes no second shop and signs in again.
 * @throws SetUpUnknown, LinkRefused, InvalidRequest, SlugTaken
 */
export async function openShop(tx: Tx, token: string | null, network: string): Promise<OpenedShop> {
  const setUp = await lockSetUp(tx, token);
  if (setUp.commerceId !== null) return reopenShop(tx, setUp);
  if (setUp.forFirst) await refuseSecond(tx);

  const program = firstProgram(setUp.answers, await findSlug(tx, setUp.answers));
  if ((await lockProgram(tx, program.slug)) !== undefined) throw new SlugTaken();
  let owner: Owner | undefined;
  const created = await applyIn(tx, program, {
    authorAt: async (commerceId) => (owner = await hireOwner(tx, commerceId, setUp)),
  });
  const { commerceId } = created.answer;
  const { staffId, sessionId, token: session, invitation } = owner!;
  const actor: Actor = { kind: 'staff', commerceId, staffId, sessionId, needed: 'owner', network };
  for (const entry of [created.entry, invitation])
    if (entry !== null) await storeAuditEntry(tx, actor, entry);
  await sql`-- finish-set-up
    update set_ups set commerce_id = ${commerceId}, finished_at = now() where id = ${setUp.id}`.execute(tx);
  return { commerceId, slug: program.slug, token: session };
}

/** The author of the shop's first version, who is signed in. */
interface Owner {
  readonly kind: 'staff';
  readonly staffId: number;
  readonly sessionId: number;
  readonly token: string;
  /** The audit entry of the new role. */
  readonly invitation: AuditEntry | null;
}

async function hireOwner(tx: Tx, commerceId: number, { email, provedAt }: SetUp): Promise<Owner> {
  const { answer, entry } = await addStaff(tx, commerceId, { email, role: 'owner' });
  const personId = await readPersonId(tx, commerceId, answer.staffId);
  const session = await openSessionSince(tx, personId, provedAt);
  return { kind: 'staff', staffId: answer.staffId, ...session, invitation: entry };
}

/** Links for a first shop make one shop, whichever of them comes first. */
async function refuseSecond(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('first commerce', 0))`.execute(tx);
  const { rows } = await sql`select from commerces limit 1`.execute(tx);
  if (rows.length > 0) throw new LinkRefused();
}

async function readPersonId(tx: Tx, commerceId: number, staffId: number): Promise<number> {
  const { rows } = await sql<{ personId: number }>`
    select person_id as "personId" from staff where commerce_id = ${commerceId} and id = ${staffId}`.execute(
    tx,
  );
  return rows[0]!.personId;
}

/** After a few minutes, the person signs in like everybody else. */
async function reopenShop(tx: Tx, { id, commerceId, provedAt }: SetUp): Promise<OpenedShop> {
  const { rows } = await sql<{ slug: string; personId: number }>`
    select c.slug, s.person_id as "personId"
      from set_ups u
      join commerces c on c.id = u.commerce_id
      join staff s on s.commerce_id = c.id and s.removed_at is null
      join staff_people p on p.id = s.person_id and p.email = u.email
     where u.id = ${id} and u.finished_at > now() - interval '5 minutes'`.execute(tx);
  const [row] = rows;
  if (row === undefined || commerceId === null) throw new SetUpUnknown();
  const { token } = await openSessionSince(tx, row.personId, provedAt);
  return { commerceId, slug: row.slug, token };
}
