/** Finds the passes that may show something old, without any work in the transactions that change a balance. */
import { byShard } from '#db/cluster/shards.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database, type Sql } from '#db/database.ts';
import type { WalletKind } from './ticket.ts';

/** Movements of one shop that are searched at once. The next search goes on after them. */
const MOST_MOVEMENTS = 50_000;
/** Longer than a transaction can take to commit, so no movement appears before a place that was searched. */
const LONGEST_COMMIT_SECONDS = 20;
/** How long a pass may show something that no movement tells: points that expired, or a new name or color of the shop. */
const LOOK_AGAIN_MINUTES = 60;

/**
 * Marks the passes of members who have new movements in the ledger. Each shop is searched by one process at a time, from
 * where the last search ended. Where nobody has a pass, nothing is read.
 */
export async function markMoved(database: Database, everyMs: number): Promise<void> {
  const isToSearch = sql`searched_at <= now() - make_interval(secs => ${everyMs / 2000})`;
  const found = await findCommerces(
    database,
    'find-wallet-shops',
    sql`wallet_shops where ${isToSearch} order by searched_at limit 200`,
  );
  if (found.length === 0) return;
  for (const among of byShard(database, found)) await markMovedOf(database, among, isToSearch);
}

async function markMovedOf(database: Database, among: readonly number[], isToSearch: Sql): Promise<void> {
  await sql`-- mark-moved-wallet-passes
    with shops as (
      select commerce_id, searched_to
        from wallet_shops
       where commerce_id = any(${among}::bigint[]) and ${isToSearch}
       order by searched_at
         for update skip locked
    ), moved as (
      select s.commerce_id, m.id, m.member_id, m.recorded_at
        from shops s
       cross join lateral (
              select id, member_id, recorded_at
                from movements
               where commerce_id = any(${among}::bigint[]) and commerce_id = s.commerce_id and id > s.searched_to
               order by id
               limit ${MOST_MOVEMENTS}) m
    ), last as (
      select commerce_id, member_id, max(recorded_at) as recorded_at from moved group by commerce_id, member_id
    ), found as (
      select p.commerce_id, p.serial
        from last l
        join wallet_passes p on p.commerce_id = l.commerce_id and p.member_id = l.member_id
       where p.commerce_id = any(${among}::bigint[])
         -- One that is being sent may have been read before the movement.
         and (p.due_at is null or (p.leased_until > now() and p.due_at < l.recorded_at))
         and p.checked_at < l.recorded_at + make_interval(secs => ${LONGEST_COMMIT_SECONDS})
         for update of p skip locked
    ), marked as (
      update wallet_passes p
         set due_at = now()
        from found f
       where p.commerce_id = any(${among}::bigint[])
         and p.commerce_id = f.commerce_id and p.serial = f.serial
    ), searched as (
      select commerce_id, max(id) as id
        from moved
       where recorded_at < now() - make_interval(secs => ${LONGEST_COMMIT_SECONDS})
       group by commerce_id
    )
    update wallet_shops w
       set searched_at = now(), searched_to = greatest(w.searched_to, coalesce(d.id, 0))
      from shops s
      left join searched d on d.commerce_id = s.commerce_id
     where w.commerce_id = any(${among}::bigint[]) and w.commerce_id = s.commerce_id`.execute(database);
}

/** Marks passes that nobody has looked at for an hour. Returns how many. */
export async function markOld(database: Database, most: number): Promise<number> {
  const isOld = sql`due_at is null and checked_at < now() - make_interval(mins => ${LOOK_AGAIN_MINUTES})`;
  const found = await findCommerces(
    database,
    'find-old-wallet-passes',
    sql`wallet_passes where ${isOld} order by checked_at limit ${most}`,
  );
  let marked = 0;
  for (const among of byShard(database, found)) marked += await markOldOf(database, among, isOld, most);
  return marked;
}

async function markOldOf(
  database: Database,
  among: readonly number[],
  isOld: Sql,
  most: number,
): Promise<number> {
  const { rowCount } = await sql`-- mark-old-wallet-passes
    update wallet_passes p
       set due_at = now()
      from (select commerce_id, serial
              from wallet_passes
             where commerce_id = any(${among}::bigint[]) and ${isOld}
             order by checked_at
             limit ${most}
               for update skip locked) old
     where p.commerce_id = any(${among}::bigint[])
       and p.commerce_id = old.commerce_id and p.serial = old.serial`.execute(database);
  return rowCount ?? 0;
}

/** A pass that may show something old. */
export interface DuePass {
  readonly commerceId: number;
  readonly serial: string;
  readonly memberId: number;
  readonly kind: WalletKind;
  readonly shown: Buffer | null;
  readonly sent: Buffer | null;
  readonly attempts: number;
  readonly dueAt: Date;
  readonly googleClass: string;
  readonly googleSent: Buffer | null;
}

/** Takes due passes that no other process has taken. The lease is two minutes. */
export async function takeDue(
  database: Database,
  kinds: readonly WalletKind[],
  most: number,
): Promise<DuePass[]> {
  const isDue = sql`due_at <= now() and (leased_until is null or leased_until < now()) and kind = any(${[...kinds]}::text[])`;
  const found = await findCommerces(
    database,
    'find-due-wallet-passes',
    sql`wallet_passes where ${isDue} order by due_at limit ${most}`,
  );
  if (found.length === 0) return [];
  const taken: DuePass[] = [];
  for (const among of byShard(database, found))
    if (taken.length < most) taken.push(...(await takeDueOf(database, among, isDue, most - taken.length)));
  return taken;
}

async function takeDueOf(
  database: Database,
  among: readonly number[],
  isDue: Sql,
  most: number,
): Promise<readonly DuePass[]> {
  const { rows } = await sql<DuePass>`-- take-wallet-passes
    with due as (
      select commerce_id, serial
        from wallet_passes
       where commerce_id = any(${among}::bigint[]) and ${isDue}
       order by due_at
       limit ${most}
         for update skip locked
    )
    update wallet_passes p
       set leased_until = now() + interval '2 minutes', checked_at = now()
      from due d
      join wallet_shops s on s.commerce_id = d.commerce_id and s.commerce_id = any(${among}::bigint[])
     where p.commerce_id = any(${among}::bigint[])
       and p.commerce_id = d.commerce_id and p.serial = d.serial
    returning p.commerce_id as "commerceId", p.serial, p.member_id as "memberId", p.kind, p.shown, p.sent,
              p.attempts, p.due_at as "dueAt", s.google_class as "googleClass", s.google_sent as "googleSent"`.execute(
    database,
  );
  return rows;
}

/**
 * Names the commerces that a queue has something of, in a statement that locks nothing. The one that takes rows compares its commerce with
 * them.
 */
async function findCommerces(database: Database, name: string, waiting: Sql): Promise<number[]> {
  const { rows } = await sql<{ commerceId: number }>`${sql.raw(`-- ${name}`)}
    select distinct commerce_id as "commerceId" from (select commerce_id from ${waiting}) waiting`.execute(
    database,
  );
  return commercesOf(rows);
}
