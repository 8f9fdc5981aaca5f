import { sql, type Database } from '../server/src/platform/db/database.ts';
import { createCursors } from '../server/src/platform/http/cursor.ts';
import { createAccessTokens } from '../server/src/access/sign-in/access-token.ts';
import { POINTS, shopOf, type History } from './load-members.ts';
import type { Site } from './sites.ts';

/** The members with the numbers `first + step × n`, for n below `count`. */
export interface Members {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Members of the largest commerce who play a part: one who buys all the time, and readers of their histories. */
export const CAST = { hot: 8, reader: 2, short: 10, long: 12 } as const;

/** Up to 2,000 members, spread evenly, who have points for as many exchanges as a run may make. */
export function buyersOf(members: number): Members {
  const step = Math.max(1, Math.floor(members / 2_000));
  return { first: 1, step, count: Math.min(members, 2_000) };
}

export function membersOf({ first, step, count }: Members): number[] {
  return Array.from({ length: count }, (_, n) => first + step * n);
}

/** The histories that the cast has besides the ten purchases that everybody has. */
export function historiesOf(members: number, long: number): History[] {
  return [
    // More than fits on a page. Otherwise pages would be longer on small sites, where fewer members share a run.
    { member: CAST.reader, purchases: 20, points: POINTS },
    { member: CAST.short, purchases: 10, points: POINTS },
    { member: CAST.long, purchases: long, points: POINTS },
    ...membersOf(buyersOf(members)).map((member) => ({ member, purchases: 1, points: 400_000_000 })),
  ];
}

/** A member who is signed in. */
export interface SignedIn {
  readonly member: number;
  readonly commerceId: number;
  readonly token: string;
}

/** Opens a session for each member. The tokens are valid for 15 minutes, so each round needs new ones. */
export async function signIn(
  { db, loaded, secret }: Pick<Site, 'db' | 'loaded' | 'secret'>,
  members: readonly number[],
): Promise<SignedIn[]> {
  const { rows } = await sql<{ sessionId: number; member: number; now: Date }>`
    insert into sessions (handle, user_id, commerce_id, ends_at)
    select decode(md5(random()::text || user_id), 'hex'), user_id, ${loaded.shops[0]!.commerceId}, now() + interval '1 day'
      from unnest(${[...members]}::bigint[]) as user_id
    returning id as "sessionId", user_id as member, now()`.execute(db);
  const tokens = createAccessTokens([secret]);
  return Promise.all(
    rows.map(async ({ sessionId, member, now }) => {
      const { commerceId } = shopOf(loaded, member);
      const token = await tokens.issue({ userId: member, sessionId, commerceId }, now);
      return { member, commerceId, token };
    }),
  );
}

/** Cursors to random places in the history of a member. */
export async function cursorsInto(
  db: Database,
  secret: string,
  { commerceId, member }: SignedIn,
  count: number,
): Promise<string[]> {
  const { rows } = await sql<{ at: Date; id: number }>`
    select at, id
      from (select at, id from movements where commerce_id = ${commerceId} and member_id = ${member}) as m
     order by random()
     limit ${count}`.execute(db);
  const cursors = createCursors([secret], `activity/${commerceId}/${member}`);
  return rows.map(({ at, id }) => cursors.seal({ direction: 'older', at, id }));
}
