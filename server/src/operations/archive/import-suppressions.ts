import { ALL } from '#mail/mail-stops.ts';
import { sql, type Sql, type Tx } from '#db/database.ts';
import { ArchiveRefused } from './read-archive.ts';

/** Keeps the mailboxes of an archive for `storeSuppressions`, and returns their number. */
export async function listSuppressions(tx: Tx, json: string): Promise<number> {
  const { rows } = await sql`
    insert into archived_suppressions (mailbox_hash, reason, since)
    select mailbox_hash, reason, since from json_populate_recordset(null::mail_suppressions, ${json}::json)
    returning 1`.execute(tx);
  return rows.length;
}

/**
 * A suppression stops the mails of all shops, so an archive suppresses only mailboxes of its own members that nobody else here has. Of
 * the others, who has complained gets no more mails from this shop; a bounce counts no more, because this installation knows better.
 * Must come after the rows of the members.
 * @throws ArchiveRefused if it has a mailbox that is no member's
 */
export async function storeSuppressions(tx: Tx, commerceId: number): Promise<void> {
  for (let last = ''; ;) {
    const { rows } = await sql<Suppression>`
      select encode(mailbox_hash, 'hex') as mailbox, reason, since
        from archived_suppressions
       where mailbox_hash > decode(${last}, 'hex')
       order by mailbox_hash
       limit ${AT_ONCE}`.execute(tx);
    if (rows.length === 0) return;
    await storeSome(tx, commerceId, rows);
    last = rows.at(-1)!.mailbox;
  }
}

/** Each time, the addresses of the whole installation are read once. */
const AT_ONCE = 50_000;

async function storeSome(tx: Tx, commerceId: number, archived: readonly Suppression[]): Promise<void> {
  const mailboxes = archived.map(({ mailbox }) => mailbox);
  const own = await readOwn(tx, commerceId, mailboxes);
  if (mailboxes.some((mailbox) => !own.has(mailbox)))
    throw new ArchiveRefused('The archive stops the mails to a mailbox that none of its members has.');
  const elsewhere = await readElsewhere(tx, commerceId, mailboxes);
  const suppressed = archived.filter(({ mailbox }) => !elsewhere.has(mailbox));
  await sql`
    insert into mail_suppressions (mailbox_hash, reason, since)
    select decode(s.mailbox, 'hex'), s.reason, least(s.since, now())
      from unnest(${suppressed.map(({ mailbox }) => mailbox)}::text[], ${suppressed.map(({ reason }) => reason)}::text[],
                  ${suppressed.map(({ since }) => since)}::timestamptz[]) as s(mailbox, reason, since)
        on conflict (mailbox_hash) do nothing`.execute(tx);
  const stopped = archived
    .filter(({ mailbox, reason }) => reason === 'complaint' && elsewhere.has(mailbox))
    .flatMap(({ mailbox }) => own.get(mailbox)!);
  await sql`
    insert into mail_stops (commerce_id, member_id, kind)
    select ${commerceId}::bigint, m, ${ALL} from unnest(${stopped}::bigint[]) as m
        on conflict do nothing`.execute(tx);
}

interface Suppression {
  /** The hash of the mailbox, in hexadecimal digits. */
  readonly mailbox: string;
  readonly reason: string;
  readonly since: Date;
}

/** For `in`: the mailboxes as hashes. Unlike an array they are looked up by their own hash, however many there are. */
function anyOf(mailboxes: readonly string[]): Sql {
  return sql`(select decode(mailbox, 'hex') from unnest(${mailboxes}::text[]) as mailbox)`;
}

/** Returns the members of the commerce that have these mailboxes, by mailbox. */
async function readOwn(
  tx: Tx,
  commerceId: number,
  mailboxes: readonly string[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await sql<{ mailbox: string; members: readonly number[] }>`
    select encode(mailbox_hash_of(email), 'hex') as mailbox, array_agg(id) as members
      from members
     where commerce_id = ${commerceId} and email is not null and mailbox_hash_of(email) in ${anyOf(mailboxes)}
     group by 1`.execute(tx);
  return new Map(rows.map(({ mailbox, members }) => [mailbox, members]));
}

/** Returns those of the mailboxes that another shop’s member or staff has, or an account that is not of the archive. */
async function readElsewhere(
  tx: Tx,
  commerceId: number,
  mailboxes: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows: shared } = await sql<{ mailbox: string }>`
    select encode(mailbox_hash_of(m.email), 'hex') as mailbox
      from members m
     where m.commerce_id <> ${commerceId} and m.email is not null
       and mailbox_hash_of(m.email) in ${anyOf(mailboxes)}
     union
    select encode(mailbox_hash_of(p.email), 'hex')
      from staff_people p
      join staff s on s.person_id = p.id and s.commerce_id <> ${commerceId} and s.removed_at is null
     where mailbox_hash_of(p.email) in ${anyOf(mailboxes)}`.execute(tx);
  const { rows: accounts } = await sql<{ id: number; mailbox: string }>`
    select u.id, encode(mailbox_hash_of(u.email), 'hex') as mailbox
      from users u
     where u.email is not null and mailbox_hash_of(u.email) in ${anyOf(mailboxes)}`.execute(tx);
  const { rows: archived } = await sql<{ here: number }>`
    select here from archived_users where here = any(${accounts.map(({ id }) => id)}::bigint[])`.execute(tx);
  const known = new Set(archived.map(({ here }) => here));
  const others = accounts.filter(({ id }) => !known.has(id));
  return new Set([...shared, ...others].map(({ mailbox }) => mailbox));
}
