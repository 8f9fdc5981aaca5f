import { deleteOldMarks } from '#db/cluster/commit-mark.ts';
import type { Database } from '#db/database.ts';
import { eachOnItsOwn } from '#db/delete-old-rows.ts';
import { deleteOldMails } from '#mail/forget-old-mails.ts';
import { eraseUnclaimed, findCommercesWithUnclaimed, findUnclaimed } from '#member-care/erase-unclaimed.ts';
import { deleteOldSetUps } from '#set-up/delete-old-set-ups.ts';
import { deleteOldSignIns } from '#sign-in/delete-old-sign-ins.ts';
import { deleteOldPurchaseLines } from '#purchases/purchase-lines.ts';
import { deleteOldOrderLines } from '#orders/delete-old-lines.ts';
import { deleteOldHolds } from '#vouchers/holds.ts';
import { deleteOldDeliveries } from '#webhooks/delete-old-deliveries.ts';
import { inBatches } from './in-batches.ts';
import { DEFAULT_SETTINGS, type Job, type RunOptions } from './job.ts';

/**
 * Deletes what is kept for a time only: sign-in records, sent mails, set-up links, holds of codes, lines of orders, deliveries of webhooks, and addresses whose points nobody has claimed for 24
 * months (UNCLAIMED_MONTHS). docs/personal-data.md lists the times. The books, the audit, the versions of a program and idempotency
 * keys are never deleted.
 */
export const retention: Job = { everywhere: deleteOld, due, run };

async function deleteOld(
  database: Database,
  { orderLinesMonths } = DEFAULT_SETTINGS,
  signal?: AbortSignal,
): Promise<void> {
  await eachOnItsOwn([
    () => deleteOldSignIns(database, signal),
    () => deleteOldMails(database, signal),
    () => deleteOldSetUps(database, signal),
    () => deleteOldHolds(database, signal),
    () => deleteOldOrderLines(database, orderLinesMonths, signal),
    () => deleteOldPurchaseLines(database, orderLinesMonths, signal),
    () => deleteOldDeliveries(database, signal),
    () => deleteOldMarks(database, signal),
  ]);
}

async function due(database: Database, { unclaimedMonths } = DEFAULT_SETTINGS): Promise<number[]> {
  return unclaimedMonths === 0 ? [] : findCommercesWithUnclaimed(database, unclaimedMonths);
}

async function run(
  database: Database,
  commerceId: number,
  { settings: { unclaimedMonths } = DEFAULT_SETTINGS, ...options }: RunOptions = {},
): Promise<number> {
  if (unclaimedMonths === 0) return 0;
  return inBatches(
    (last: { memberId: number; email: string } | undefined, limit) =>
      findUnclaimed(database, commerceId, unclaimedMonths, { after: last?.memberId ?? 0, limit }),
    async (found) => {
      let erased = 0;
      // A transaction for each, because an erasure locks the mailbox and the account before the member.
      for (const one of found) if (await eraseUnclaimed(database, commerceId, unclaimedMonths, one)) erased++;
      return erased;
    },
    options,
  );
}
