import { createBatch, locking } from '#calls/batch.ts';
import { CommitUnknown, transaction, type Database } from '#db/database.ts';
import { nameOfMember } from '#members/lock-members.ts';
import { recordPurchases, type PurchaseCall, type PurchaseOutcome } from './record-purchases.ts';

/** Records the purchases of all requests of this process. */
export interface PurchaseRecorder {
  /**
   * Records one purchase and resolves once it is committed.
   * @throws the Problem that refused it, Conflict, Unavailable
   */
  record(call: PurchaseCall): Promise<Recorded>;
  /** Resolves when every purchase received so far is answered. */
  drained(): Promise<void>;
}

export type Recorded = Extract<PurchaseOutcome, { recorded: true }>;

/**
 * Records purchases by group commit: purchases that arrive during a commit go into the next transaction together. One
 * purchase and many use the same code.
 */
export function createPurchaseRecorder(database: Database): PurchaseRecorder {
  const batch = createBatch<PurchaseCall, PurchaseOutcome>({
    run: (calls, waitFor) =>
      transaction(database, (tx) => recordPurchases(tx, calls, waitFor), locking(waitFor)),
    commerceOf: (call) => call.commerceId,
    rowsOf: ({ commerceId, buyer }) => [nameOfMember({ commerceId, ...buyer })],
    apartBy: ({ commerceId, request }) =>
      request === undefined ? undefined : `${commerceId}/${request.key}`,
    mayRepeat: (error) => !(error instanceof CommitUnknown),
  });
  return {
    async record(call) {
      const outcome = await batch.submit(call);
      if (!outcome.recorded) throw outcome.problem;
      return outcome;
    },
    drained: () => batch.drained(),
  };
}
