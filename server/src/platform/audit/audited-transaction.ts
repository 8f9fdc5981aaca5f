import { transaction, type Database, type TransactionOptions, type Tx } from '#db/database.ts';
import type { Actor, Audited } from './audited.ts';
import { storeAuditEntry } from './store-audit-entry.ts';

/**
 * Runs `work` in one transaction and stores its audit row as the last statement before the commit. That statement also
 * checks that the actor still has the role, so a write of somebody who lost it meanwhile is rolled back. Without an entry
 * everything is rolled back, so nothing can be written without its audit row.
 * @throws LostOffice
 */
export async function auditedTransaction<T>(
  database: Database,
  actor: Actor,
  work: (tx: Tx) => Promise<Audited<T>>,
  options: TransactionOptions = {},
): Promise<T> {
  try {
    return await transaction(
      database,
      async (tx) => {
        const { answer, entry } = await work(tx);
        if (entry === null) throw new NothingChanged(answer);
        await storeAuditEntry(tx, actor, entry);
        return answer;
      },
      options,
    );
  } catch (error) {
    if (error instanceof NothingChanged) return error.answer as T;
    throw error;
  }
}

/** Rolls the transaction back and carries the answer out. */
class NothingChanged extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super('nothing was changed');
    this.answer = answer;
  }
}
