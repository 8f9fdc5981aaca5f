/**
 * Imports of past purchases and the jobs that expire points and tiers take turns at a commerce. A job in the middle
 * of an import would expire points that a later row of the file keeps alive, and would check a tier's period before
 * all of its purchases are imported.
 */
import { Refusal } from '#base/refusal.ts';
import { onConnection, sql, sqlState, type Database, type Db, type Tx } from '#db/database.ts';

export class ImportUnderWay extends Refusal {
  constructor() {
    super('Another import of purchases into this commerce is running. Try again when it has finished.');
  }
}

/**
 * Runs an import while no jobs run at the commerce. The lock belongs to a connection of its own, so it is released
 * even if the process crashes.
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

/**
 * Returns false while an import is running. If it returns true, no import can start before the end of the
 * transaction. Jobs do not exclude each other.
 */
export async function takeJobTurn(tx: Tx, commerceId: number): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`-- take-job-turn
    select pg_try_advisory_xact_lock_shared(${IMPORT}::integer, hashtext(${String(commerceId)})) as taken`.execute(
    tx,
  );
  return rows[0]!.taken;
}

/** Identifies these advisory locks among all advisory locks of the database. */
const IMPORT = 7_162;

/** Waits for the current batch of a job. A batch takes milliseconds, and a lock may be waited for two seconds. */
async function takeImportTurn(connection: Db, commerceId: number): Promise<void> {
  try {
    await sql`select pg_advisory_lock(${IMPORT}::integer, hashtext(${String(commerceId)}))`.execute(
      connection,
    );
  } catch (error) {
    throw sqlState(error) === '55P03' ? new ImportUnderWay() : error;
  }
}
