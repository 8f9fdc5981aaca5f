import { openDatabase, sql, transaction, type Database } from '../server/src/db/database.ts';
import { cursorsOf } from '../server/src/http/cursor.ts';
import { recordPurchases } from '../server/src/purchases/record-purchases.ts';
import { createAccessTokens } from '../server/src/sign-in/access-token.ts';
import { codeOf, shopOf, type Loaded } from './load-members.ts';
import type { Members } from './pgbench-scripts.ts';
import type { SignedIn } from './scripts.ts';

/** Opens a session for each member and gives tokens that the service with this secret believes for 900 s. */
export async function signIn(
  db: Database,
  loaded: Loaded,
  secret: string,
  members: readonly number[],
): Promise<SignedIn[]> {
  const { rows } = await sql<{ sessionId: number; member: number; now: Date }>`
    insert into sessions (handle, user_id, commerce_id, ends_at)
    select decode(md5(random()::text || user_id), 'hex'), user_id, ${loaded.shops[0]!.commerceId}, now() + interval '1 day'
      from unnest(${[...members]}::bigint[]) as user_id
    returning id as "sessionId", user_id as member, now()`.execute(db);
  const tokens = createAccessTokens(secret);
  return Promise.all(
    rows.map(async ({ sessionId, member, now }) => ({
      member,
      commerceId: shopOf(loaded, member).commerceId,
      token: await tokens.issue({ userId: member, sessionId }, now),
    })),
  );
}

/** Gives members points for as many exchanges as a run may make, by a purchase each. */
export async function makeRich(url: string, loaded: Loaded, members: readonly number[]): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, preparedStatements: true, statementTimeoutMs: 0 });
  for (let from = 0; from < members.length; from += 100) {
    const calls = members.slice(from, from + 100).map((member) => ({
      commerceId: shopOf(loaded, member).commerceId,
      buyer: { code: codeOf(member) },
      amount: 900_000_000,
    }));
    const outcomes = await transaction(db, (tx) => recordPurchases(tx, calls));
    for (const outcome of outcomes) if (!outcome.recorded) throw outcome.problem;
  }
  await db.destroy();
}

/** So many members, spread evenly. */
export function spread(loaded: Loaded, count: number): Members {
  const step = Math.max(1, Math.floor(loaded.members / count));
  return { first: 1, step, count: Math.min(count, Math.floor(loaded.members / step)) };
}

export function membersOf({ first, step, count }: Members): number[] {
  return Array.from({ length: count }, (_, n) => first + step * n);
}

/** Gives one member a long past: purchases in the last year, in its books too. */
export async function lengthenHistory(
  db: Database,
  loaded: Loaded,
  member: number,
  movements: number,
): Promise<void> {
  const { commerceId } = shopOf(loaded, member);
  await sql`
    with past as (
      insert into movements (commerce_id, member_id, type, at, recorded_at, points, points_earned, amount, purchases, split, snapshot)
      select ${commerceId}, ${member}, 'purchase', g.at, g.at, 60, 60, 120, 1, '[["infinity", false, 60]]'::jsonb,
             '{"rule": 1, "moneyPerPoint": 2000, "base": 60, "double": false, "tier": 1, "multiplier": 1000}'::jsonb
        from (select now() - interval '1 year' * (1 - g / (${movements} + 1)::float8) as at
                from generate_series(1, ${movements}::bigint) as g) as g
    ), held as (
      insert into balances (commerce_id, member_id, expires_on, moving, points)
      values (${commerceId}, ${member}, 'infinity', false, 60 * ${movements}::bigint)
          on conflict (commerce_id, member_id, expires_on, moving) do update set points = balances.points + excluded.points
    )
    update members
       set points_earned = points_earned + 60 * ${movements}::bigint, amount_spent = amount_spent + 120 * ${movements}::bigint,
           purchases = purchases + ${movements}
     where commerce_id = ${commerceId} and id = ${member}`.execute(db);
  await sql`vacuum (analyze) movements`.execute(db);
}

/** Cursors into a member's history, at depths by chance. */
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
  const cursors = cursorsOf(secret, `activity/${commerceId}/${member}`);
  return rows.map(({ at, id }) => cursors.seal({ direction: 'older', at, id }));
}
