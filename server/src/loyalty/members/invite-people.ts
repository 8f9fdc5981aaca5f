import { rowsIn } from '#db/cluster/rows-in.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';

/**
 * Adds a row in state `invited` for each e-mail address that is new to the commerce, so that points can wait for it.
 * The addresses must be normalised. Existing people are not changed.
 */
export async function invitePeople(
  tx: Tx,
  people: readonly { readonly commerceId: number; readonly email: string }[],
): Promise<void> {
  if (people.length === 0) return;
  const { rows } = await sql<{ commerceId: number; memberId: number }>`-- invite-people
    insert into members (commerce_id, state, email)
    select p.commerce_id, 'invited', p.email
      from unnest(${people.map((p) => p.commerceId)}::bigint[], ${people.map((p) => p.email)}::text[])
             as p(commerce_id, email)
      left join members m on m.commerce_id = p.commerce_id and m.email = p.email
                         and m.commerce_id = any(${commercesOf(people)}::bigint[])
     where m.id is null
     order by p.commerce_id, p.email
        on conflict do nothing
    returning commerce_id as "commerceId", id as "memberId"`.execute(tx);
  await storeHappenings(
    tx,
    rows.map((row) => ({ type: 'member.invited', ...row })),
  );
}

/** How many invitations a commerce may send on a day in UTC. */
export interface InvitationLimit {
  /** Null means no limit. */
  readonly perDay: number | null;
  /** Called for each invitation that the limit holds back. */
  readonly onHeldBack: () => void;
}

export const NO_INVITATION_LIMIT: InvitationLimit = { perDay: null, onHeldBack: () => {} };

/**
 * Marks the invited people who get an invitation now, at most once in 30 days of real time for each mailbox. Returns the
 * ids of the rows that may be sent one. The rows must be locked. If the day's limit is reached, the others are not
 * marked, and a later purchase invites them.
 */
export async function noteInvitations(
  tx: Tx,
  members: readonly { commerceId: number; id: number }[],
  limit: InvitationLimit,
): Promise<Set<number>> {
  if (members.length === 0) return new Set();
  // Mailboxes are locked before days, both in order, so that two batches never wait for each other.
  const noted = await noteMailboxes(tx, await findDue(tx, members));
  if (noted.length === 0) return new Set();
  const wanted = await countWanted(tx, noted);
  const ofCommerces = Map.groupBy(noted, ({ commerceId }) => commerceId);
  const judged = [...ofCommerces].flatMap(([commerceId, its]) =>
    its
      .toSorted((one, other) => one.id - other.id)
      .map((one, i) => ({
        ...one,
        isAllowed: limit.perDay === null || wanted.get(commerceId)! - its.length + i < limit.perDay,
      })),
  );
  const allowed = judged.filter(({ isAllowed }) => isAllowed);
  const heldBack = judged.filter(({ isAllowed }) => !isAllowed);
  await markInvited(tx, allowed);
  await holdBack(tx, heldBack);
  heldBack.forEach(() => limit.onHeldBack());
  return new Set(allowed.map(({ id }) => id));
}

/** A member whose mailbox may get an invitation. */
interface Due {
  readonly commerceId: number;
  readonly mailboxHash: Buffer;
  readonly id: number;
  /** Today in UTC. */
  readonly day: string;
}

/** Finds those who were not invited for 30 days: one for each mailbox, in the order of the mailboxes. */
async function findDue(
  tx: Tx,
  members: readonly { commerceId: number; id: number }[],
): Promise<readonly Due[]> {
  const { rows } = await sql<Due>`-- find-due-invitations
    select distinct on (m.commerce_id, mailbox_hash_of(m.email)) m.commerce_id as "commerceId",
           mailbox_hash_of(m.email) as "mailboxHash", m.id, (now() at time zone 'utc')::date::text as day
      from members m
      join unnest(${members.map((m) => m.commerceId)}::bigint[], ${members.map((m) => m.id)}::bigint[])
             as i(commerce_id, id) on m.commerce_id = i.commerce_id and m.id = i.id
     where m.commerce_id = any(${commercesOf(members)}::bigint[]) and m.state = 'invited' and m.email is not null
       and (m.invited_at is null or m.invited_at < now() - interval '30 days')
     order by m.commerce_id, mailbox_hash_of(m.email), m.id`.execute(tx);
  return rows;
}

/** Notes their mailboxes, and returns those that no invitation was noted for within 30 days, perhaps to another address of them. */
async function noteMailboxes(tx: Tx, due: readonly Due[]): Promise<readonly Due[]> {
  if (due.length === 0) return due;
  const { rows } = await sql<{ commerceId: number; mailboxHash: Buffer }>`
    insert into invitations as n (commerce_id, mailbox_hash)
    ${rowsIn([
      ['bigint', due.map((one) => one.commerceId)],
      ['bytea', due.map((one) => one.mailboxHash)],
    ])}
        on conflict (commerce_id, mailbox_hash) do update set sent_at = excluded.sent_at
     where excluded.sent_at - n.sent_at > interval '30 days'
    returning commerce_id as "commerceId", mailbox_hash as "mailboxHash"`.execute(tx);
  const keyOf = ({ commerceId, mailboxHash }: Pick<Due, 'commerceId' | 'mailboxHash'>) =>
    `${commerceId}/${mailboxHash.toString('base64')}`;
  const noted = new Set(rows.map(keyOf));
  return due.filter((one) => noted.has(keyOf(one)));
}

/** Counts invitations as wanted today, and returns how many each commerce has wanted so far. */
async function countWanted(tx: Tx, noted: readonly Due[]): Promise<ReadonlyMap<number, number>> {
  const ofCommerces = [...Map.groupBy(noted, ({ commerceId }) => commerceId)];
  const { rows } = await sql<{ commerceId: number; wanted: number }>`
    insert into invitation_days as d (commerce_id, day, wanted)
    ${rowsIn([
      ['bigint', ofCommerces.map(([commerceId]) => commerceId)],
      ['date', ofCommerces.map(([, its]) => its[0]!.day)],
      ['bigint', ofCommerces.map(([, its]) => its.length)],
    ])}
        on conflict (commerce_id, day) do update set wanted = d.wanted + excluded.wanted
    returning commerce_id as "commerceId", wanted`.execute(tx);
  return new Map(rows.map(({ commerceId, wanted }) => [commerceId, wanted]));
}

async function markInvited(tx: Tx, members: readonly Due[]): Promise<void> {
  if (members.length === 0) return;
  await sql`-- mark-invited
    update members m
       set invited_at = now()
      from unnest(${members.map((m) => m.commerceId)}::bigint[], ${members.map((m) => m.id)}::bigint[])
             as i(commerce_id, id)
     where m.commerce_id = any(${commercesOf(members)}::bigint[]) and m.commerce_id = i.commerce_id and m.id = i.id`.execute(
    tx,
  );
}

/** Forgets invitations that were noted but not sent. */
async function holdBack(
  tx: Tx,
  invitations: readonly { commerceId: number; mailboxHash: Buffer }[],
): Promise<void> {
  if (invitations.length === 0) return;
  await sql`-- hold-back-invitations
    delete from invitations n
     using unnest(${invitations.map((one) => one.commerceId)}::bigint[],
                  ${invitations.map((one) => one.mailboxHash)}::bytea[]) as h(commerce_id, mailbox_hash)
     where n.commerce_id = any(${commercesOf(invitations)}::bigint[])
       and n.commerce_id = h.commerce_id and n.mailbox_hash = h.mailbox_hash`.execute(tx);
}

/** The most mails that a mailbox gets in a day from all commerces, sign-in codes included, before a person invites it again. */
const MOST_MAILS_A_DAY = 20;

/**
 * Notes that a person of the shop sends an invitation once more: at most once in a day for each mailbox and commerce, and not
 * to a mailbox that was sent many mails today. The row must be locked. Returns false if nothing may be sent.
 */
export async function noteRepeatedInvitation(
  tx: Tx,
  { commerceId, id, email }: { readonly commerceId: number; readonly id: number; readonly email: string },
): Promise<boolean> {
  if ((await countMails(tx, email)) >= MOST_MAILS_A_DAY) return false;
  const { rows } = await sql`-- note-repeated-invitation
    with noted as (
      insert into invitations as n (commerce_id, mailbox_hash)
      values (${commerceId}, mailbox_hash_of(${email}))
          on conflict (commerce_id, mailbox_hash) do update set sent_at = excluded.sent_at
       where excluded.sent_at - n.sent_at > interval '1 day'
      returning commerce_id
    )
    update members m
       set invited_at = now()
      from noted
     where m.commerce_id = ${commerceId} and m.id = ${id}
    returning 1`.execute(tx);
  return rows.length === 1;
}

/** Counts the mails that a mailbox was sent within a day, by all commerces. */
async function countMails(db: Db, email: string): Promise<number> {
  const { rows } = await sql<{ mails: number }>`-- count-mails-of-mailbox
    select (select count(*) from invitations i
             where i.mailbox_hash = mailbox_hash_of(${email}) and i.sent_at > now() - interval '1 day')
           + (select count(*) from sign_in_sends s
               where mailbox_of(s.email) = mailbox_of(${email}) and s.sent_at > now() - interval '1 day') as mails`.execute(
    db,
  );
  return rows[0]!.mails;
}

/** Counts an invitation towards the day's limit of the commerce. Returns false, and counts nothing, if it is reached. */
export async function countInvitation(
  tx: Tx,
  commerceId: number,
  { perDay, onHeldBack }: InvitationLimit,
): Promise<boolean> {
  const counted = perDay !== null && perDay <= 0 ? [] : await countOneMore(tx, commerceId, perDay);
  if (counted.length === 0) onHeldBack();
  return counted.length === 1;
}

async function countOneMore(tx: Tx, commerceId: number, perDay: number | null): Promise<readonly unknown[]> {
  const { rows } = await sql`-- count-invitation
    insert into invitation_days as d (commerce_id, day, wanted)
    values (${commerceId}, (now() at time zone 'utc')::date, 1)
        on conflict (commerce_id, day) do update set wanted = d.wanted + 1
     where coalesce(d.wanted < ${perDay}::bigint, true)
    returning 1`.execute(tx);
  return rows;
}
