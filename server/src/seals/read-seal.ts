import { sql, type Db } from '#db/database.ts';

/** What was sealed of a commerce's ledger at one moment. */
export interface Seal {
  /** The name of the commerce's log. */
  readonly origin: string;
  /** The number of sealed movements. */
  readonly size: number;
  /** All movements up to this id are sealed, and no others. */
  readonly throughId: number;
  /** The root of the tree over them. */
  readonly root: Buffer;
  /** Their sums, as decimal numbers: those of a whole commerce can be beyond 2^53. */
  readonly points: string;
  readonly pointsEarned: string;
  readonly amount: string;
  readonly purchases: string;
  /** The SHA-256 of the head before; null for the first. */
  readonly previous: Buffer | null;
  readonly sealedAt: Date;
}

/** Returns the newest seal of a commerce, or the one of that size. Undefined if there is none. */
export async function readSeal(db: Db, commerceId: number, size?: number): Promise<Seal | undefined> {
  const { rows } = await sql<Seal>`-- read-seal
    select l.origin, s.size, s.through_id as "throughId", s.root, s.points, s.points_earned as "pointsEarned", s.amount,
           s.purchases, s.previous, s.sealed_at as "sealedAt"
      from seals s
      join seal_logs l on l.commerce_id = s.commerce_id
     where s.commerce_id = ${commerceId} and (${size ?? null}::bigint is null or s.size = ${size ?? null})
     order by s.size desc
     limit 1`.execute(db);
  return rows[0];
}
