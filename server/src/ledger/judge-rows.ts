import { sql, type Db } from '#db/database.ts';
import type { Finding } from './check.ts';

/** Finds where some invariants of a commerce's books do not hold, with at most `limit` findings for each. */
export type Pass = (tx: Db, commerceId: number, limit: number) => Promise<ReadonlyMap<string, Finding[]>>;

type Query<Row> = ReturnType<typeof sql<Row>>;

/** Returns what is wrong with a row, or null. */
type Judge<Row, Known> = (row: Row, known: Known) => string | null;

/** Checks invariants that SQL cannot: reads the rows once and passes each row to every judge. */
export function judgeRows<Row extends Omit<Finding, 'says'>, Known>(
  rowsOf: (commerceId: number) => Query<Row>,
  /** Reads the facts that the judges need besides the row. */
  learn: (tx: Db, commerceId: number) => Promise<Known>,
  judges: Readonly<Record<string, Judge<Row, Known>>>,
): Pass {
  return async (tx, commerceId, limit) => {
    const known = await learn(tx, commerceId);
    const found = new Map(Object.keys(judges).map((invariant) => [invariant, [] as Finding[]]));
    for await (const rows of inBatches(tx, rowsOf(commerceId))) {
      for (const row of rows) {
        for (const [invariant, findings] of found) {
          const says = judged(() => judges[invariant]!(row, known));
          if (says !== null && findings.length < limit)
            findings.push({ memberId: row.memberId, movementId: row.movementId, says });
        }
      }
    }
    return found;
  };
}

/** A row that was altered so badly that it cannot be read is a finding too. */
function judged(judge: () => string | null): string | null {
  try {
    return judge();
  } catch (error) {
    return `the stored inputs of its computation cannot be read: ${(error as Error).message}`;
  }
}

const BATCH = 5_000;

/** PostgreSQL fetches the next rows while the service judges these. */
async function* inBatches<Row>(tx: Db, query: Query<Row>): AsyncGenerator<Row[]> {
  await sql`declare rows_to_judge no scroll cursor for ${query}`.execute(tx);
  const fetchRows = () => sql<Row>`fetch ${sql.lit(BATCH)} from rows_to_judge`.execute(tx);
  let next = fetchRows();
  for (;;) {
    const { rows } = await next;
    if (rows.length === 0) break;
    next = fetchRows();
    yield rows;
  }
  await sql`close rows_to_judge`.execute(tx);
}
