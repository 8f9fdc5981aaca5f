import { createBatch, locking, type BatchLoad } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { ownWriter, type Writer } from '#batching/writer.ts';
import { CommitUnknown, transaction, type Database } from '#db/database.ts';
import { redeemVouchers, usedBy, type Redemption, type RedemptionOutcome } from './redeem-voucher.ts';
import { nameOfVoucher } from './voucher.ts';

/** Redeems codes for all requests of this process. */
export interface VoucherRedeemer {
  /**
   * Redeems one code. Resolves once it is committed.
   * @throws the Problem that refused it, Conflict, Unavailable
   */
  redeem(redemption: Redemption): Promise<{ replayed: boolean }>;
  /** Resolves when every accepted redemption has been answered. */
  drained(): Promise<void>;
  load(): BatchLoad;
}

/** Redeems by group commit, like the purchase recorder. */
export function createVoucherRedeemer(database: Database, writer: Writer = ownWriter): VoucherRedeemer {
  const own = createBatch<Redemption, RedemptionOutcome>({
    callersElsewhere: (mostMs) => writer.callersElsewhere(mostMs),
    ...onCluster(database),
    name: 'redeem-vouchers',
    tracing: database.tracing,
    run: (redemptions, waitFor) =>
      // Without a key, the first statement writes, so it waits for `begin`.
      transaction(database, (tx) => redeemVouchers(tx, redemptions, waitFor), {
        ...locking(waitFor),
        writesOf: redemptions[0]!.commerceId,
      }),
    commerceOf: (redemption) => redemption.commerceId,
    rowsOf: (redemption) => [nameOfVoucher(redemption)],
    apartBy: ({ commerceId, code, request, externalId }) => [
      ...(request === undefined ? [] : [`${commerceId}/${request.key}`]),
      ...(externalId === undefined ? [] : [`${commerceId}/named/${code}/${externalId}`]),
    ],
    mayRepeat: (error) => !(error instanceof CommitUnknown),
    longestQueuedMs: database.patience.queuedMs,
    longestRepeatMs: database.patience.repeatMs,
  });
  const batch = writer.for('redemptions', own);
  return {
    redeem: async (redemption) => ({ replayed: usedBy(await batch.submit(redemption)) === null }),
    drained: () => batch.drained(),
    load: () => batch.load(),
  };
}
