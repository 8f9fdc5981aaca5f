import { sql, type Db } from '#db/database.ts';

/** The part of a commerce's ledger that was sealed at one moment. */
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
  readonly sealedAt: Date;
}

/** Returns the newest seal of a commerce. Undefined if there is none. */
export async function readSeal(db: Db, commerceId: number): Promise<Seal | undefined> {
  return (await readNewestSeals(db, commerceId))[0];
}

/** Returns the id up to which all movements are sealed, of each of these commerces that has any. */
export async function readSealedThrough(
  db: Db,
  commerceIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ commerceId: number; throughId: number }>`-- read-sealed-through
    select commerce_id as "commerceId", through_id as "throughId"
      from seal_logs
     where commerce_id = any(${commerceIds}::bigint[])`.execute(db);
  return new Map(rows.map(({ commerceId, throughId }) => [commerceId, throughId]));
}

/** Returns the name of the log of every commerce. */
export async function readOrigins(db: Db): Promise<{ commerceId: number; origin: string }[]> {
  const { rows } = await sql<{ commerceId: number; origin: string }>`
    select commerce_id as "commerceId", origin from seal_logs`.execute(db);
  return rows;
}

export interface NewestSeal extends Seal {
  readonly commerceId: number;
  readonly slug: string;
}

/** Returns the newest seal of each commerce, or of one. */
export async function readNewestSeals(db: Db, commerceId?: number): Promise<NewestSeal[]> {
  const { rows } = await sql<NewestSeal>`
    select l.commerce_id as "commerceId", c.slug, l.origin, s.size, s.through_id as "throughId", s.root, s.points,
           s.points_earned as "pointsEarned", s.amount, s.purchases, s.sealed_at as "sealedAt"
      from seal_logs l
      join commerces c on c.id = l.commerce_id
      join seals s on s.commerce_id = l.commerce_id and s.size = l.size
     where ${commerceId ?? null}::bigint is null or l.commerce_id = ${commerceId ?? null}
     order by c.id`.execute(db);
  return rows;
}
