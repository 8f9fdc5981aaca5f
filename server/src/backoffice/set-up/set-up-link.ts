import { createHash, randomBytes } from 'node:crypto';
import { sql, type Database, type Db } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';

/** How long a link can be opened. Once somebody has proved an address with it, there is a week to finish. */
export const LINK_HOURS = 24;

/** The link is wrong, too old, used up, or printed for a first shop that exists by now. The caller must not learn which. */
export class LinkRefused extends Problem {
  constructor() {
    super(
      404,
      'set_up_link_refused',
      'this set-up link is not valid any more: make a new one with `loyalty setup-link`',
    );
  }
}

/** Makes a link, and forgets those that ended 30 days ago. Returns the token that stands in it; only its hash is stored. */
export async function makeSetUpLink(
  database: Database,
  { forFirst = false, hours = LINK_HOURS }: { readonly forFirst?: boolean; readonly hours?: number } = {},
): Promise<string> {
  const { token, hash } = newSecret();
  await sql`-- make-set-up-link
    insert into set_ups (token_hash, for_first, expires_at)
    values (${hash}, ${forFirst}, now() + make_interval(hours => ${hours}::integer))`.execute(database);
  return token;
}

/** Ends all links with which no shop was opened, and what was answered with them. Returns how many could still be used. */
export async function endOpenLinks(database: Database): Promise<number> {
  const { rows } = await sql`-- end-set-up-links
    update set_ups set expires_at = now() where expires_at > now() and finished_at is null
    returning id`.execute(database);
  return rows.length;
}

/** Makes the link for the first shop. It is worth nothing once there is a commerce. */
export function makeFirstLink(database: Database): Promise<string> {
  return makeSetUpLink(database, { forFirst: true });
}

/** Returns true if nobody has set up a shop yet, or applied one. */
export async function isWithoutShop(db: Db): Promise<boolean> {
  const { rows } = await sql`select from commerces limit 1`.execute(db);
  return rows.length === 0;
}

/**
 * Returns whether somebody has proved an address with the link.
 * @throws LinkRefused
 */
export async function readSetUpLink(
  db: Db,
  token: string,
): Promise<{ readonly email: string | null; readonly expiresAt: Date }> {
  const { rows } = await sql<{ email: string | null; expiresAt: Date }>`-- read-set-up-link
    select s.email, s.expires_at as "expiresAt" from set_ups s
     where s.token_hash = ${hashOfSecret(token)} and ${IS_OPEN}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new LinkRefused();
  return row;
}

/** Whether the set-up `s` can still become a shop. */
export const IS_OPEN = sql.raw(`
       s.expires_at > now() and s.finished_at is null
   and not (s.for_first and exists (select from commerces))`);

/** Returns a new secret, and what is stored of it. 256 random bits need no key. */
export function newSecret(): { readonly token: string; readonly hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashOfSecret(token) };
}

export function hashOfSecret(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
