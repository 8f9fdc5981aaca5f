import { sql, type Db, type Sql } from '#db/database.ts';

/** A time, of which `from` is included and `to` is not. */
export interface Stretch {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** A row of the ledger, by the id and the time of its movement. */
export interface RecordedRow {
  readonly id: number;
  readonly at: Date;
}

/**
 * Reads the ledger of a commerce page by page, from the first movement to the last one recorded when the reading began.
 * Yields the rows of each page that were made in the wanted time, and how much of the ledger has been read, from 0 to 1. A page
 * has the same number of rows whatever the time that is wanted, so that each costs the same.
 */
export async function* readLedger<Row extends RecordedRow>(
  db: Db,
  commerceId: number,
  { from, to }: Stretch,
  readPage: (commerceId: number, after: number) => Sql<Row>,
): AsyncGenerator<{ readonly rows: readonly Row[]; readonly done: number }, void> {
  const last = await readLastId(db, commerceId);
  let after = 0;
  while (after < last) {
    const { rows } = await readPage(commerceId, after).execute(db);
    if (rows.length === 0) return;
    after = rows.at(-1)!.id;
    yield {
      rows: rows.filter(({ at }) => (from === undefined || at >= from) && (to === undefined || at < to)),
      done: Math.min(1, after / last),
    };
  }
}

/** The ledger is too long to be counted, and ids grow evenly enough for a progress bar. */
async function readLastId(db: Db, commerceId: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`-- last-movement
    select coalesce(max(id), 0) as id from movements where commerce_id = ${commerceId}`.execute(db);
  return rows[0]!.id;
}
