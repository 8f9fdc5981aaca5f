import { readCommerce } from '#commerces/commerce.ts';
import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, type Database, type Db, type Tx } from '#db/database.ts';
import type { Member } from '#members/member.ts';
import { withoutExpired } from '#points/expired-days.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import type { Job, RunOptions } from './job.ts';
import { latestDay } from './latest-day.ts';
import { settleEnded, type Ended } from './settle-ended.ts';

/**
 * Writes what has expired into the ledger: a movement for each member and day, dated at the end of that day. No
 * balance changes by it, since what has passed its day was no part of one before.
 */
export const expirePoints: Job = { due, run };

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from ${commercesWithRows}
     where c.status <> 'closed'
       and exists (select from balances b
                    where b.commerce_id = p.commerce_id and b.expires_on < ${latestDay} and b.expires_on < 'infinity')
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

function run(database: Database, commerceId: number, options?: RunOptions): Promise<number> {
  return settleEnded(database, commerceId, { next: nextLots, settle: writeOff }, options);
}

async function writeOff(tx: Tx, commerceId: number, members: readonly Member[]): Promise<number> {
  const locked = await withLots(tx, members);
  const commerce = (await readCommerce(tx, commerceId))!;
  const { today, rules } = commerce;
  const expired = locked.map((member) => withoutExpired(settled(member, commerce), today, rules.timeZone));
  await storeMovements(tx, expired);
  return expired.filter((member) => member.movements.length > 0).length;
}

async function nextLots(db: Db, commerceId: number, after: Ended, limit: number): Promise<Ended[]> {
  const commerce = await readCommerce(db, commerceId);
  const { rows } = await sql<Ended>`-- next-expired-lots
    select expires_on as "expiresOn", member_id as "memberId"
      from balances
     where commerce_id = ${commerceId} and expires_on < ${commerce!.today}::date and expires_on < 'infinity'
       and (expires_on, member_id) > (${after.expiresOn}::date, ${after.memberId}::bigint)
     order by expires_on, member_id
     limit ${limit}`.execute(db);
  return rows;
}
