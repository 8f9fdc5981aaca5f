import { createBatch, locking, type BatchLoad } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { ownWriter, type Writer } from '#batching/writer.ts';
import { CommitUnknown, transaction, type Database } from '#db/database.ts';
import { NO_INVITATION_LIMIT, type InvitationLimit } from '#members/invite-people.ts';
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
  load(): BatchLoad;
}

const NO_NAMES: readonly string[] = [];

export type Recorded = Extract<PurchaseOutcome, { recorded: true }>;

/**
 * Records purchases by group commit: purchases that arrive during a commit go into the next transaction together. One
 * purchase and many use the same code.
 */
export function createPurchaseRecorder(
  database: Database,
  invitations: InvitationLimit = NO_INVITATION_LIMIT,
  writer: Writer = ownWriter,
): PurchaseRecorder {
  const own = createBatch<PurchaseCall, PurchaseOutcome>({
    callersElsewhere: (mostMs) => writer.callersElsewhere(mostMs),
    ...onCluster(database),
    name: 'record-purchases',
    tracing: database.tracing,
    run: (calls, waitFor) =>
      transaction(database, (tx) => recordPurchases(tx, calls, waitFor, invitations), {
        ...locking(waitFor),
        writesOf: calls[0]!.commerceId,
        startsWithBegin: true,
      }),
    commerceOf: (call) => call.commerceId,
    rowsOf: ({ commerceId, buyer }) => [nameOfMember({ commerceId, ...buyer })],
    apartBy: ({ commerceId, request, order }) => {
      if (request === undefined && order === undefined) return NO_NAMES;
      return [
        ...(request === undefined ? NO_NAMES : [`${commerceId}/${request.key}`]),
        ...(order === undefined ? NO_NAMES : [`${commerceId}/order/${order.externalId}`]),
      ];
    },
    mayRepeat: (error) => !(error instanceof CommitUnknown),
    longestQueuedMs: database.patience.queuedMs,
    longestRepeatMs: database.patience.repeatMs,
  });
  const batch = writer.for('purchases', own);
  return {
    async record(call) {
      const outcome = await batch.submit(call);
      if (!outcome.recorded) throw outcome.problem;
      return outcome;
    },
    drained: () => batch.drained(),
    load: () => batch.load(),
  };
}
