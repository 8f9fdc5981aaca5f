import assert from 'node:assert/strict';
import type { Database } from '#db/database.ts';
import { verifyLedger } from '#books/verify-ledger.ts';

/** Fails unless a commerce's books agree at this point of a test; that they do at its end is checked of all. */
export async function assertBooksAgree(database: Database, commerceId: number): Promise<void> {
  const { differences } = await verifyLedger(database, { commerceIds: [commerceId] });
  assert.deepEqual(differences, []);
}
