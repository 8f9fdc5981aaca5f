/** Reads the logs of many commerces, stretch by stretch, with as many statements as the longest of them takes. */
import { among } from '#db/cluster/among.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { TILE, type Tile } from './merkle-tree.ts';

export interface Log {
  readonly size: number;
  readonly throughId: number;
  /** The size of the newest seal. */
  readonly newest: number;
}

export const NO_LOG: Log = { size: 0, throughId: 0, newest: 0 };

/** Returns the logs of those of these commerces that have one. */
export async function readLogs(db: Db, commerceIds: readonly number[]): Promise<ReadonlyMap<number, Log>> {
  const beside = among(
    db,
    's',
    commerceIds.map((commerceId) => ({ commerceId })),
  );
  const { rows } = await sql<Log & { commerceId: number }>`
    select l.commerce_id as "commerceId", l.size, l.through_id as "throughId",
           coalesce((select max(s.size) from seals s where s.commerce_id = l.commerce_id${beside}), 0) as newest
      from seal_logs l
     where l.commerce_id = any(${commerceIds}::bigint[])`.execute(db);
  return new Map(rows.map(({ commerceId, ...log }) => [commerceId, log]));
}

export interface SealedTile {
  readonly index: number;
  readonly afterId: number;
  readonly throughId: number;
  readonly hashes: Buffer;
}

export interface Stretch {
  readonly tiles: readonly SealedTile[];
  readonly seals: readonly { readonly size: number; readonly root: Buffer }[];
}

/** The tiles of a log that one statement reads: 16,384 hashes. */
const STRETCH = 64;

/** Yields the next stretch of each log that goes on. PostgreSQL reads the ones after them while the caller goes through these. */
export async function* readStretches(
  tx: Tx,
  commerceIds: readonly number[],
): AsyncGenerator<ReadonlyMap<number, Stretch>> {
  let next = readStretch(tx, commerceIds, 0);
  for (let first = STRETCH; ; first += STRETCH) {
    const stretches = await next;
    if (stretches.size === 0) return;
    next = readStretch(tx, [...stretches.keys()], first);
    next.catch(() => {}); // It may fail before somebody waits for it.
    yield stretches;
  }
}

async function readStretch(
  tx: Tx,
  commerceIds: readonly number[],
  first: number,
): Promise<ReadonlyMap<number, Stretch>> {
  const [tiles, seals] = await Promise.all([
    readTiles(tx, commerceIds, first),
    sql<Stretch['seals'][number] & { commerceId: number }>`-- read-seals
      select commerce_id as "commerceId", size, root
        from seals
       where commerce_id = any(${commerceIds}::bigint[])
         and size > ${first * TILE} and size <= ${(first + STRETCH) * TILE}
       order by commerce_id, size`.execute(tx),
  ]);
  const sealsOf = Map.groupBy(seals.rows, ({ commerceId }) => commerceId);
  return new Map([...tiles].map(([id, its]) => [id, { tiles: its, seals: sealsOf.get(id) ?? [] }]));
}

async function readTiles(
  tx: Tx,
  commerceIds: readonly number[],
  first: number,
): Promise<ReadonlyMap<number, SealedTile[]>> {
  const tiles = new Map<number, SealedTile[]>();
  await tx.copyOut(
    sql`
      select commerce_id, index, after_id, through_id, hashes
        from seal_tiles
       where commerce_id in (${sql.join(commerceIds.map(sql.lit))}) and level = 0
         and index >= ${sql.lit(first)} and index < ${sql.lit(first + STRETCH)}
       order by commerce_id, index`,
    (row) => {
      const commerceId = Number(row.integer());
      const tile = {
        index: Number(row.integer()),
        afterId: Number(row.integer()),
        throughId: Number(row.integer()),
        hashes: Buffer.from(row.bytes()!),
      };
      const its = tiles.get(commerceId);
      if (its === undefined) tiles.set(commerceId, [tile]);
      else its.push(tile);
    },
  );
  return tiles;
}

/** Returns the ids of the last movements of all tiles, of each of these commerces that has any. */
export async function readTileEnds(
  db: Db,
  commerceIds: readonly number[],
): Promise<ReadonlyMap<number, number[]>> {
  const { rows } = await sql<{ commerceId: number; ends: string[] }>`-- read-tile-ends
    select commerce_id as "commerceId", array_agg(through_id order by index) as ends
      from seal_tiles
     where commerce_id = any(${commerceIds}::bigint[]) and level = 0
     group by commerce_id`.execute(db);
  return new Map(rows.map(({ commerceId, ends }) => [commerceId, ends.map(Number)]));
}

/** Returns the tiles above the lowest level, of each of these commerces that has any. */
export async function readUpperTiles(
  db: Db,
  commerceIds: readonly number[],
): Promise<ReadonlyMap<number, Tile[]>> {
  const { rows } = await sql<Tile & { commerceId: number }>`
    select commerce_id as "commerceId", level, index, hashes
      from seal_tiles
     where commerce_id = any(${commerceIds}::bigint[]) and level > 0`.execute(db);
  return Map.groupBy(rows, ({ commerceId }) => commerceId);
}
