import type { Database, Db } from '../database.ts';
import { remembered } from '../memory.ts';
import { hasCitus } from './shards.ts';

/** A shard has moved while a transaction was open. Nothing was stored, and it is worth another try. */
export class ShardMoved extends Error {
  /** As if the database had found it: a conflict of transactions. */
  readonly code = '40001';

  constructor() {
    super('a shard of the cluster has moved while the transaction was open');
  }
}

interface Known {
  canMove: Promise<boolean> | null;
  /** When that is asked again. */
  until: number;
}

const known = remembered((): Known => ({ canMove: null, until: 0 }));

/** A server may become a coordinator while this process runs. A coordinator stays one. */
const FRESH_MS = 5_000;

/**
 * Returns the number of the newest place of a shard; null where none can move, on one server without a statement.
 *
 * Citus lets a shard move between two statements of a transaction until the first one that writes. Rows that were locked before are then locked
 * on the old machine only, and somebody else locks them on the new one. So a transaction reads this at its beginning, and again behind its
 * last statement: from its first write on, the shard waits for it.
 */
export async function readNewestPlace(database: Database, client: Pick<Db, 'query'>): Promise<number | null> {
  if (database.address.cluster == null || !(await canMove(database, client))) return null;
  const { rows } = await client.query(
    '-- read-newest-place\nselect max(placementid) as newest from pg_dist_placement',
    [],
  );
  return (rows[0] as { newest: number | null }).newest;
}

function canMove(database: Database, client: Pick<Db, 'query'>): Promise<boolean> {
  const it = known(database);
  if (it.canMove === null || performance.now() >= it.until) {
    it.until = performance.now() + FRESH_MS;
    it.canMove = ask(it, { query: (text, values) => client.query(text, values), memory: database.memory });
  }
  return it.canMove;
}

async function ask(it: Known, db: Db): Promise<boolean> {
  try {
    const has = await hasCitus(db);
    if (has) it.until = Infinity;
    return has;
  } catch (error) {
    it.canMove = null;
    throw error;
  }
}
