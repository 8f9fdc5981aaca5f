/**
 * What a transaction leaves on the machine whose rows it writes, so that it can be told later whether it was committed. A cluster may commit
 * there first and at its coordinator afterwards, and if the coordinator ends in between, its own record says `aborted` of rows that are stored.
 */
import { randomUUID } from 'node:crypto';
import { onConnection, rolledBack, type Database, type Tx } from '../database.ts';
import { deleteOldRows } from '../delete-old-rows.ts';
import { sql, type Sql } from '../sql.ts';

/** A row of `commit_marks`. */
export interface CommitMark {
  readonly commerceId: number;
  readonly id: string;
}

/** Makes a mark for one try of a transaction. */
export function newMark(commerceId: number): CommitMark {
  return { commerceId, id: randomUUID() };
}

/** Stores a mark with the rows of its transaction. */
export async function leaveMark(tx: Tx, mark: CommitMark): Promise<void> {
  await storing(mark).execute(tx);
}

/**
 * Returns true if the transaction with this mark was committed. If not, it never will be: it stored its mark before its commit was sent, and the
 * mark is gone. Waits for a transaction that is still undecided on its machine. Stores nothing, so if the answer is lost, it can be asked
 * again. Ask only after the session of the transaction has ended.
 */
export function wasCommitted(database: Database, mark: CommitMark): Promise<boolean> {
  return onConnection(database, (connection) =>
    rolledBack(connection, async () => {
      const { rows } = await storing(mark).execute(connection);
      return rows.length === 0;
    }),
  );
}

/** Returns nothing if the mark is there. */
function storing({ commerceId, id }: CommitMark): Sql {
  return sql`-- store-commit-mark
    insert into commit_marks (commerce_id, id) values (${commerceId}, ${id}) on conflict do nothing returning id`;
}

/** Deletes marks of more than an hour ago: no commit is asked about for longer. On one server there are none. */
export async function deleteOldMarks(database: Database, signal?: AbortSignal): Promise<void> {
  if (database.address.cluster != null)
    await deleteOldRows(database, 'commit_marks', sql`at < now() - interval '1 hour'`, signal);
}
