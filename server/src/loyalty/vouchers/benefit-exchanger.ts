import { nameOfBenefit } from '#benefits/lock-benefits.ts';
import { createBatch, locking, type BatchLoad } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { ownWriter, type Writer } from '#batching/writer.ts';
import { CommitUnknown, transaction, type Database } from '#db/database.ts';
import { nameOfMember } from '#members/lock-members.ts';
import { answerOf, exchangeBenefits, type Exchange, type ExchangeOutcome } from './exchange-benefit.ts';
import type { NewVoucher } from './voucher.ts';

/** Sells benefits for all requests of this process. */
export interface BenefitExchanger {
  /**
   * Sells one benefit. Resolves once the sale is committed.
   * @throws the Problem that refused it, Conflict, Unavailable
   */
  exchange(exchange: Exchange): Promise<{ voucher: NewVoucher; replayed: boolean }>;
  /** Resolves when every accepted exchange has been answered. */
  drained(): Promise<void>;
  load(): BatchLoad;
}

/**
 * Sells by group commit, like the purchase recorder. Members who buy the same benefit at the same moment share one
 * lock on its counter, instead of waiting for it one after the other.
 */
export function createBenefitExchanger(database: Database, writer: Writer = ownWriter): BenefitExchanger {
  const own = createBatch<Exchange, ExchangeOutcome>({
    callersElsewhere: (mostMs) => writer.callersElsewhere(mostMs),
    ...onCluster(database),
    name: 'exchange-benefits',
    tracing: database.tracing,
    run: (exchanges, waitFor) =>
      transaction(database, (tx) => exchangeBenefits(tx, exchanges, waitFor), {
        ...locking(waitFor),
        writesOf: exchanges[0]!.commerceId,
        startsWithBegin: true,
      }),
    commerceOf: (exchange) => exchange.commerceId,
    rowsOf: ({ commerceId, userId, benefitId }) => [
      nameOfMember({ commerceId, userId }),
      nameOfBenefit({ commerceId, id: benefitId }),
    ],
    apartBy: ({ commerceId, userId, request }) =>
      request === undefined ? [] : [`${commerceId}/${userId}/${request.key}`],
    mayRepeat: (error) => !(error instanceof CommitUnknown),
    longestQueuedMs: database.patience.queuedMs,
    longestRepeatMs: database.patience.repeatMs,
  });
  const batch = writer.for('exchanges', own);
  return {
    exchange: async (exchange) => answerOf(await batch.submit(exchange)),
    drained: () => batch.drained(),
    load: () => batch.load(),
  };
}
