import type { Database } from '#db/database.ts';
import type { Actor, AuditEntry } from './audited.ts';
import { auditedTransaction } from './audited-transaction.ts';

/**
 * Stores an audit row of its own, for work that has no single transaction: a command such as an import, or data that is
 * handed out. Call it before the work begins, so that the row is there even if the work is interrupted.
 */
export async function noteInAudit(database: Database, actor: Actor, entry: AuditEntry): Promise<void> {
  await auditedTransaction(database, actor, () => Promise.resolve({ answer: undefined, entry }));
}
