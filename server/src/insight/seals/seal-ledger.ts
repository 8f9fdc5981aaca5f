import { createHash, randomBytes } from 'node:crypto';
import { commercesWithRows } from '#db/cluster/commerces-with-rows.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { findSettledFor } from '#points/settled-id.ts';
import { joinSealedNotes, leafHash } from './leaf.ts';
import { createTree, TILE, type GrowingTree, type Tile } from './merkle-tree.ts';

export interface SealOptions {
  /** How many movements one transaction seals. */
  readonly batch?: number;
  readonly signal?: AbortSignal | undefined;
}

/** A third of a second, or a second on a busy machine. */
const BATCH = 10_000;
/** Another process may be sealing a batch. */
const WAIT_FOR_ANOTHER_MS = 4_500;

/**
 * Seals what a commerce's ledger has got since the last time, batch by batch: appends the movements to the tree of the commerce, in
 * the order of their ids, and keeps the new root. A batch is one transaction, so a run that is killed has sealed nothing twice and
 * left nothing out. Of two at once, the second waits and goes on where the first came to. Returns how many movements it sealed, or
 * null if somebody's transaction took too long.
 */
export async function sealLedger(
  database: Database,
  commerceId: number,
  { batch = BATCH, signal }: SealOptions = {},
): Promise<number | null> {
  const last = await findSettledFor(database, commerceId, signal);
  if (last === null) return null;
  for (let sealed = 0; ;) {
    const movements = await transaction(database, (tx) => sealBatch(tx, commerceId, last, batch), {
      lockTimeoutMs: WAIT_FOR_ANOTHER_MS,
    });
    sealed += movements;
    if (movements < batch || signal?.aborted === true) return sealed;
  }
}

/** Returns the commerces that have movements which are not sealed yet. Closed ones too: their last movements count as well. */
export async function findUnsealed(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select c.id
      from ${commercesWithRows}
      left join seal_logs l on l.commerce_id = p.commerce_id
     where exists (select from movements m where m.commerce_id = p.commerce_id and m.id > coalesce(l.through_id, 0))
     order by c.id`.execute(db);
  return rows.map((row) => row.id);
}

async function sealBatch(tx: Tx, commerceId: number, last: number, batch: number): Promise<number> {
  const log = await lockLog(tx, commerceId);
  if (log.throughId >= last) return 0;
  await sealNotes(tx, commerceId, log.throughId, last, batch);
  const next = await foldBatch(tx, commerceId, log, last, batch);
  if (next.movements === 0) return 0;
  const tree = createTree(log.size, await readPartialTiles(tx, commerceId, log.size));
  const tiles = [...tree.append(next.hashes), ...tree.partialTiles()];
  await storeTiles(tx, commerceId, tiles, log, next);
  await storeSeal(tx, commerceId, tree, next);
  return next.movements;
}

interface Log {
  readonly size: number;
  readonly throughId: number;
}

async function lockLog(tx: Tx, commerceId: number): Promise<Log> {
  // The slug tells people which log it is, and the random part keeps it apart from all others.
  await sql`-- begin-seal-log
    insert into seal_logs (commerce_id, origin)
    select id, 'loyalty/' || slug || '/' || ${randomBytes(8).toString('hex')} from commerces where id = ${commerceId}
        on conflict do nothing`.execute(tx);
  const { rows } = await sql<Log>`-- lock-seal-log
    select size, through_id as "throughId" from seal_logs where commerce_id = ${commerceId} for update`.execute(
    tx,
  );
  return rows[0]!;
}

/**
 * Gives the typed notes of the next movements a salt, and keeps their digests. A cluster makes no random values in an update, so the salts
 * come from here.
 */
async function sealNotes(
  tx: Tx,
  commerceId: number,
  after: number,
  last: number,
  batch: number,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`-- find-notes-to-seal
    select movement_id as id
      from movement_notes
     where commerce_id = ${commerceId} and movement_id > ${after} and movement_id <= ${last}
     order by movement_id
     limit ${batch}`.execute(tx);
  if (rows.length === 0) return;
  const { rows: salted } = await sql<{ id: number; salt: Buffer; note: string }>`-- salt-notes
    update movement_notes n
       set salt = coalesce(n.salt, s.salt)
      from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(() => randomBytes(32))}::bytea[]) as s(movement_id, salt)
     where n.commerce_id = ${commerceId} and n.movement_id = s.movement_id
    returning n.movement_id as id, n.salt, n.note`.execute(tx);
  // As `noteDigest` has it.
  const digestOf = ({ salt, note }: { salt: Buffer; note: string }) =>
    createHash('sha256').update(salt).update(note, 'utf8').digest();
  await sql`-- store-digests-of-notes
    insert into seal_notes (commerce_id, movement_id, digest)
    select ${commerceId}::bigint, *
      from unnest(${salted.map(({ id }) => id)}::bigint[], ${salted.map(digestOf)}::bytea[])
        on conflict do nothing`.execute(tx);
}

interface Batch {
  readonly movements: number;
  /** The id of the last one. */
  readonly throughId: number;
  /** The hashes of the leaves. */
  readonly hashes: Buffer;
  /** The ids of the movements that fill a tile. */
  readonly ends: readonly number[];
  readonly points: string;
  readonly pointsEarned: string;
  readonly amount: string;
  readonly purchases: string;
}

/** Reads the next movements, and adds them to the sums of their members. */
async function foldBatch(
  tx: Tx,
  commerceId: number,
  { size, throughId }: Log,
  last: number,
  batch: number,
): Promise<Batch> {
  const { rows } = await sql<Batch>`-- fold-movements
    with batch as materialized (
      select m.id, m.member_id, m.points, m.points_earned, coalesce(m.amount, 0) as amount, m.purchases,
             ${leafHash} as hash, row_number() over (order by m.id) as place
        from (select *
                from movements
               where commerce_id = ${commerceId} and id > ${throughId} and id <= ${last}
               order by id
               limit ${batch}) m
        ${joinSealedNotes} and n.commerce_id = ${commerceId}
    ), folded as (
      insert into seal_members as s (commerce_id, member_id, movements, points, points_earned, amount, purchases)
      select ${commerceId}::bigint, member_id, count(*), sum(points), sum(points_earned), sum(amount), sum(purchases)
        from batch
       group by member_id
       order by member_id
          on conflict (commerce_id, member_id) do update
         set movements = s.movements + excluded.movements, points = s.points + excluded.points,
             points_earned = s.points_earned + excluded.points_earned, amount = s.amount + excluded.amount,
             purchases = s.purchases + excluded.purchases
    )
    select count(*) as movements,
           max(id) as "throughId",
           string_agg(hash, ''::bytea order by place) as hashes,
           coalesce(array_agg(id order by place) filter (where (${size}::bigint + place) % ${TILE}::bigint = 0), '{}') as ends,
           sum(points) as points, sum(points_earned) as "pointsEarned", sum(amount) as amount, sum(purchases)::numeric as purchases
      from batch`.execute(tx);
  return rows[0]!;
}

async function readPartialTiles(db: Db, commerceId: number, size: number): Promise<Tile[]> {
  const wanted: { level: number; index: number }[] = [];
  for (let level = 0, below = size; below > 0; level++, below = Math.floor(below / TILE))
    if (below % TILE > 0) wanted.push({ level, index: Math.floor(below / TILE) });
  const { rows } = await sql<Tile>`-- read-partial-tiles
    select level, index, hashes
      from seal_tiles
     where commerce_id = ${commerceId}
       and (level, index) in (select * from unnest(${wanted.map((tile) => tile.level)}::smallint[], ${wanted.map((tile) => tile.index)}::bigint[]))`.execute(
    db,
  );
  return rows;
}

async function storeTiles(
  tx: Tx,
  commerceId: number,
  tiles: readonly Tile[],
  { size, throughId: after }: Log,
  { throughId, ends }: Batch,
): Promise<void> {
  const first = Math.floor(size / TILE);
  const lastTile = Math.max(...tiles.filter(({ level }) => level === 0).map(({ index }) => index));
  const endOf = (index: number) =>
    index < first ? after : index === lastTile ? throughId : ends[index - first]!;
  const ranged = tiles.map(({ level, index }) =>
    level === 0 ? { afterId: endOf(index - 1), throughId: endOf(index) } : { afterId: null, throughId: null },
  );
  await sql`-- store-tiles
    insert into seal_tiles as t (commerce_id, level, index, after_id, through_id, hashes)
    select ${commerceId}::bigint, *
      from unnest(${tiles.map((tile) => tile.level)}::smallint[], ${tiles.map((tile) => tile.index)}::bigint[],
                  ${ranged.map((range) => range.afterId)}::bigint[], ${ranged.map((range) => range.throughId)}::bigint[],
                  ${tiles.map((tile) => tile.hashes)}::bytea[])
        on conflict (commerce_id, level, index) do update set through_id = excluded.through_id, hashes = excluded.hashes`.execute(
    tx,
  );
}

async function storeSeal(tx: Tx, commerceId: number, tree: GrowingTree, batch: Batch): Promise<void> {
  await sql`-- store-seal
    with log as (
      update seal_logs set size = ${tree.size}, through_id = ${batch.throughId}, sealed_at = now()
       where commerce_id = ${commerceId}
    )
    insert into seals (commerce_id, size, through_id, root, points, points_earned, amount, purchases, sealed_at)
    select ${commerceId}::bigint, ${tree.size}::bigint, ${batch.throughId}::bigint, ${tree.root()}::bytea,
           coalesce(s.points, 0) + ${batch.points}::numeric, coalesce(s.points_earned, 0) + ${batch.pointsEarned}::numeric,
           coalesce(s.amount, 0) + ${batch.amount}::numeric, coalesce(s.purchases, 0) + ${batch.purchases}::numeric, now()
      from (values (1)) as one(row)
      left join lateral (select * from seals where commerce_id = ${commerceId} order by size desc limit 1) s on true`.execute(
    tx,
  );
}
