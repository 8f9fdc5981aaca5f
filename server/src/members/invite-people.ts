import { sql, type Tx } from '#db/database.ts';

/**
 * Adds a row in state `invited` for each e-mail address that is new to the commerce, so that points can wait for it.
 * The addresses must be normalised. Existing people are not changed.
 */
export async function invitePeople(
  tx: Tx,
  people: readonly { readonly commerceId: number; readonly email: string }[],
): Promise<void> {
  if (people.length === 0) return;
  await sql`-- invite-people
    insert into members (commerce_id, state, email)
    select p.commerce_id, 'invited', p.email
      from unnest(${people.map((p) => p.commerceId)}::bigint[], ${people.map((p) => p.email)}::text[])
             as p(commerce_id, email)
     where not exists (select from members m where m.commerce_id = p.commerce_id and m.email = p.email)
     order by p.commerce_id, p.email
        on conflict do nothing`.execute(tx);
}

/**
 * Marks the invited people who get an invitation now, at most once in 30 days of real time. Returns the ids of the
 * rows that may be sent one. The rows must be locked.
 */
export async function noteInvitations(
  tx: Tx,
  members: readonly { commerceId: number; id: number }[],
): Promise<Set<number>> {
  if (members.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`-- note-invitations
    update members m
       set invited_at = now()
      from unnest(${members.map((m) => m.commerceId)}::bigint[], ${members.map((m) => m.id)}::bigint[])
             as i(commerce_id, id)
     where m.commerce_id = i.commerce_id and m.id = i.id
       and m.state = 'invited'
       and (m.invited_at is null or m.invited_at < now() - interval '30 days')
    returning m.id`.execute(tx);
  return new Set(rows.map((row) => row.id));
}
