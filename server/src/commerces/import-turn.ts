/**
 * Imports of past purchases and the jobs that settle what has ended take turns at a commerce. A job in the middle of
 * an import would write off points that a later row of the file keeps alive, and test a tier's period before all that
 * was bought in it is known.
 */
import { Refusal } from '../refusal.ts';
import { onConnection, sql, sqlState, type Database, type Db, type Tx } from '#db/database.ts';

export class ImportUnderWay extends Refusal {
  constructor() {
    super('Another import of purchases into this commerce is under way: try again when it has ended.');
  }
}

/**
 * Runs an import while the jobs leave the commerce alone. The turn is held by a connection of its own, so it ends with
 * the process, however that ends.
 * @throws ImportUnderWay
 */
export async function duringImport<T>(
  database: Database,
  commerceId: number,
  work: () => Promise<T>,
): Promise<T> {
  return onConnection(database, async (connection) => {
    await takeImportTurn(connection, commerceId);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${IMPORT}::integer, hashtext(${String(commerceId)}))`.execute(
        connection,
      );
    }
  });
}

/** False while an import is under way. True holds to the end of the transaction; the jobs share the turn. */
export async function takeJobTurn(tx: Tx, commerceId: number): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`-- take-job-turn
    select pg_try_advisory_xact_lock_shared(${IMPORT}::integer, hashtext(${String(commerceId)})) as taken`.execute(
    tx,
  );
  return rows[0]!.taken;
}

/** Apart from other locks of the kind. */
const IMPORT = 7_162;

/** Waits for the batch that a job is at: milliseconds, where the lock may be waited for two seconds. */
async function takeImportTurn(connection: Db, commerceId: number): Promise<void> {
  try {
    await sql`select pg_advisory_lock(${IMPORT}::integer, hashtext(${String(commerceId)}))`.execute(
      connection,
    );
  } catch (error) {
    throw sqlState(error) === '55P03' ? new ImportUnderWay() : error;
  }
}
