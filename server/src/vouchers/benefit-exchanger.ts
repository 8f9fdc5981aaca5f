import { createBatch } from '#calls/batch.ts';
import { CommitUnknown, transaction, type Database } from '#db/database.ts';
import { answerOf, exchangeBenefits, type Exchange, type ExchangeOutcome } from './exchange-benefit.ts';
import type { NewVoucher } from './voucher.ts';

/** Takes the exchanges of all requests of this process. */
export interface BenefitExchanger {
  /**
   * Sells one benefit and resolves once that is committed.
   * @throws the Problem that refused it, Conflict, Unavailable
   */
  exchange(exchange: Exchange): Promise<{ voucher: NewVoucher; replayed: boolean }>;
  /** Resolves when every exchange that was taken is answered. */
  drained(): Promise<void>;
}

/**
 * Sells by group commit, as purchases are recorded: members who buy one benefit at the same moment wait for its
 * counter once, and not one after the other.
 */
export function createBenefitExchanger(database: Database): BenefitExchanger {
  const batch = createBatch<Exchange, ExchangeOutcome>({
    run: (exchanges) => transaction(database, (tx) => exchangeBenefits(tx, exchanges)),
    commerceOf: (exchange) => exchange.commerceId,
    apartBy: ({ commerceId, userId, request }) =>
      request === undefined ? undefined : `${commerceId}/${userId}/${request.key}`,
    mayRepeat: (error) => !(error instanceof CommitUnknown),
  });
  return {
    exchange: async (exchange) => answerOf(database, exchange, await batch.submit(exchange)),
    drained: () => batch.drained(),
  };
}
