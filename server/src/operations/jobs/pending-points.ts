import { takeJobTurn } from '#commerces/import-turn.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { lockMembers } from '#members/lock-members.ts';
import { withLots } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { storeMovements } from '#points/store-movements.ts';
import { cancelPurchase } from '#purchases/reverse-purchase.ts';
import { givePendingBenefits } from '#rewards/give-tier-benefits.ts';
import { nextDueBenefits } from '#rewards/pending-benefits.ts';
import { giveFullCards, nextWaitingCards } from '#stamps/give-full-cards.ts';
import { inBatches, inTurn, type Due } from './in-batches.ts';
import type { Job, RunOptions } from './job.ts';

/**
 * Writes into the ledger which points have become available: a movement for each purchase, dated at its instant. No balance changes by it.
 * Takes back purchases that nobody has confirmed in time, and hands out what has waited for these purchases: benefits of tiers, and codes of full cards.
 */
export const pendingPoints: Job = { due, run };

async function due(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from ${commercesWithRows}
     where c.status <> 'closed'
       and (exists (select from pending_points w
                     where w.commerce_id = p.commerce_id and w.due_at <= program_now(c.clock_offset))
            or exists (select from pending_benefits b where b.commerce_id = p.commerce_id)
            or exists (select from full_cards f
                        where f.commerce_id = p.commerce_id and f.code is null and f.taken_at is null))
     order by c.id`.execute(database);
  return rows.map((row) => row.id);
}

async function run(database: Database, commerceId: number, options?: RunOptions): Promise<number> {
  const settle = (found: readonly { readonly memberId: number }[]) => {
    const ids = [...new Set(found.map(({ memberId }) => memberId))];
    return transaction(database, (tx) => settleMembers(tx, commerceId, ids));
  };
  return inTurn([
    () =>
      inBatches<DuePoints>(
        (after, limit) => nextDuePoints(database, commerceId, after, limit),
        settle,
        options,
      ),
    // Of members who have come back since, and where somebody else has written what became available.
    () =>
      inBatches<Due>(
        (after, limit) => nextDueBenefits(database, commerceId, after?.memberId ?? 0, limit),
        settle,
        options,
      ),
    () =>
      inBatches<Due>(
        (after, limit) => nextWaitingCards(database, commerceId, after?.memberId ?? 0, limit),
        settle,
        options,
      ),
  ]);
}

/** Returns how many members it settled; null if the job has to leave the commerce alone for now. */
async function settleMembers(tx: Tx, commerceId: number, ids: readonly number[]): Promise<number | null> {
  if (!(await takeJobTurn(tx, commerceId))) return null;
  const members = await lockMembers(
    tx,
    ids.map((id) => ({ commerceId, id })),
  );
  const commerce = (await readCommerce(tx, commerceId))!;
  const after = (await withLots(tx, members)).map((member) => settled(member, commerce));
  await storeMovements(tx, after);
  for (const { pending } of after)
    for (const { purchaseId, becomes, dueAt } of pending)
      if (becomes === 'cancelled' && dueAt <= commerce.now)
        await cancelPurchase(tx, { commerceId, purchaseId: purchaseId! });
  await givePendingBenefits(tx, commerce, after);
  await giveFullCards(
    tx,
    after.map((member) => ({ member, commerce })),
  );
  return after.length;
}

interface DuePoints {
  readonly dueAt: Date;
  readonly memberId: number;
}

async function nextDuePoints(
  db: Db,
  commerceId: number,
  after: DuePoints | undefined,
  limit: number,
): Promise<DuePoints[]> {
  const commerce = await readCommerce(db, commerceId);
  const { rows } = await sql<DuePoints>`-- next-due-points
    select due_at as "dueAt", member_id as "memberId"
      from pending_points
     where commerce_id = ${commerceId} and due_at <= ${commerce!.now}
       and (due_at, member_id) > (${after?.dueAt ?? '-infinity'}::timestamptz, ${after?.memberId ?? 0}::bigint)
     order by due_at, member_id
     limit ${limit}`.execute(db);
  return rows;
}
