import { sql, type Db, type Tx } from '#db/database.ts';
import type { Head } from './head.ts';
import { joinSealedNotes, leafHash, noteDigest } from './leaf.ts';
import { createTree, HASH, TILE, type Tile } from './merkle-tree.ts';
import { createTileComparison, type TilePrints } from './tile-prints.ts';

const INVARIANTS = {
  movement: 'a sealed movement is as it was when it was sealed',
  note: 'a sealed note is as it was, or erased',
  tree: 'the seals are roots of one tree, which only grows',
  head: 'the history under a published head is still the same',
  sums: 'the sums of sealed movements are those of the movements',
} as const;

/** One place where the ledger is not as it was sealed. */
export interface SealFinding {
  readonly invariant: string;
  /** Null if nobody can tell. */
  readonly memberId: number | null;
  /** Null if the movement is gone, or nobody can tell which one it is. */
  readonly movementId: number | null;
  readonly says: string;
}

export interface CheckedSeals {
  /** The number of movements that are younger than the last seal. No seal vouches for them yet. */
  readonly unsealed: number;
  readonly findings: readonly SealFinding[];
}

export interface CheckSealsOptions {
  /** Heads of this commerce that were published. */
  readonly heads?: readonly Head[];
  /** The most findings for each invariant. */
  readonly limit?: number;
}

/**
 * Compares the ledger of a commerce with its seals, and the seals with heads that were published. Anyone who changes movements and makes
 * all sums right is found by the seals; anyone who makes the seals anew as well is found by a head that somebody has kept. The movements
 * have been read before, in the same snapshot, and their prints tell which tiles are right; those of other tiles are compared one by one.
 * The sums of each member are compared with the history of the member.
 */
export async function checkSeals(
  tx: Tx,
  commerceId: number,
  prints: TilePrints,
  { heads = [], limit = 1_000 }: CheckSealsOptions = {},
): Promise<CheckedSeals> {
  const log = await readLog(tx, commerceId);
  const found = createFindings(limit);
  for (const head of heads.filter(({ size }) => size > log.size))
    found.add('head', `the head covers ${head.size} movements, but only ${log.size} are sealed`);
  const tree = createTree();
  const upper: Tile[] = [];
  const isRight = createTileComparison(prints);
  let after = 0;
  let place = 0;
  for await (const { tiles, seals } of readStretches(tx, commerceId)) {
    for (const tile of tiles) {
      if (tile.afterId !== after)
        found.add('tree', `tile ${tile.index} does not begin where the one before ends`);
      after = tile.throughId;
      if (!isRight(place++, tile.hashes)) found.addAll(await nameChanges(tx, commerceId, tile));
    }
    const hashes = Buffer.concat(tiles.map((tile) => tile.hashes));
    const start = tree.size;
    const end = start + hashes.length / HASH;
    const headsHere = heads.filter(({ size }) => size > start && size <= end);
    const roots = [
      ...seals.map((seal) => ({ ...seal, is: 'tree' as const })),
      ...headsHere.map((head) => ({ ...head, is: 'head' as const })),
    ].sort((a, b) => a.size - b.size);
    for (const { size, root, is } of roots) {
      upper.push(...tree.append(hashes.subarray((tree.size - start) * HASH, (size - start) * HASH)));
      if (tree.size !== size || !tree.root().equals(root)) found.add(is, wrongRoot[is](size));
    }
    upper.push(...tree.append(hashes.subarray((tree.size - start) * HASH)));
  }
  if (tree.size !== log.size || after !== log.throughId || log.newest !== log.size)
    found.add(
      'tree',
      `${log.size} movements through ${log.throughId} were sealed, but the tree has ${tree.size} through ${after}`,
    );
  const stored = await readUpperTiles(tx, commerceId);
  if (!areSame(stored, [...upper, ...tree.partialTiles()]))
    found.add('tree', 'the upper tiles are not those of the tree');
  if (!(await hasSumsOfMembers(tx, commerceId)))
    found.add('sums', 'the sums of the newest seal are not those of the members');
  found.addAll(await compareNotes(tx, commerceId, log.throughId, limit));
  return { unsealed: await countUnsealed(tx, commerceId, log.throughId), findings: found.all() };
}

const wrongRoot = {
  tree: (size: number) => `the seal over ${size} movements is not the root of the tree`,
  head: (size: number) =>
    `the ${size} movements under the published head are not those that it was made of: the history was rewritten, and the seals with it`,
};

type Kind = keyof typeof INVARIANTS;

/** Collects findings, at most `limit` for each invariant. */
function createFindings(limit: number) {
  const findings: SealFinding[] = [];
  const counts = new Map<string, number>();
  const add = (finding: SealFinding) => {
    const count = counts.get(finding.invariant) ?? 0;
    if (count >= limit) return;
    counts.set(finding.invariant, count + 1);
    findings.push(finding);
  };
  return {
    add: (kind: Kind, says: string) =>
      add({ invariant: INVARIANTS[kind], memberId: null, movementId: null, says }),
    addAll: (some: readonly SealFinding[]) => some.forEach(add),
    all: () => findings,
  };
}

interface Log {
  readonly size: number;
  readonly throughId: number;
  /** The size of the newest seal. */
  readonly newest: number;
}

async function readLog(db: Db, commerceId: number): Promise<Log> {
  const { rows } = await sql<Log>`
    select l.size, l.through_id as "throughId",
           coalesce((select max(s.size) from seals s where s.commerce_id = l.commerce_id), 0) as newest
      from seal_logs l
     where l.commerce_id = ${commerceId}`.execute(db);
  return rows[0] ?? { size: 0, throughId: 0, newest: 0 };
}

interface SealedTile {
  readonly index: number;
  readonly afterId: number;
  readonly throughId: number;
  readonly hashes: Buffer;
}

interface Stretch {
  readonly tiles: readonly SealedTile[];
  readonly seals: readonly { readonly size: number; readonly root: Buffer }[];
}

/** The tiles that one statement reads: 16,384 hashes. */
const STRETCH = 64;

/** PostgreSQL reads the next tiles while the caller goes through these. */
async function* readStretches(tx: Tx, commerceId: number): AsyncGenerator<Stretch> {
  let next = readStretch(tx, commerceId, 0);
  for (let first = STRETCH; ; first += STRETCH) {
    const stretch = await next;
    if (stretch.tiles.length === 0) return;
    next = readStretch(tx, commerceId, first);
    next.catch(() => {}); // It may fail before somebody waits for it.
    yield stretch;
  }
}

async function readStretch(tx: Tx, commerceId: number, first: number): Promise<Stretch> {
  const [tiles, seals] = await Promise.all([
    readTiles(tx, commerceId, first),
    sql<Stretch['seals'][number]>`-- read-seals
      select size, root
        from seals
       where commerce_id = ${commerceId} and size > ${first * TILE} and size <= ${(first + STRETCH) * TILE}
       order by size`.execute(tx),
  ]);
  return { tiles, seals: seals.rows };
}

async function readTiles(tx: Tx, commerceId: number, first: number): Promise<SealedTile[]> {
  const tiles: SealedTile[] = [];
  await tx.copyOut(
    sql`
      select index, after_id, through_id, hashes
        from seal_tiles
       where commerce_id = ${sql.lit(commerceId)} and level = 0
         and index >= ${sql.lit(first)} and index < ${sql.lit(first + STRETCH)}
       order by index`,
    (row) =>
      tiles.push({
        index: Number(row.integer()),
        afterId: Number(row.integer()),
        throughId: Number(row.integer()),
        hashes: Buffer.from(row.bytes()!),
      }),
  );
  return tiles;
}

/** Returns the ids of the last movements of all tiles. */
export async function readTileEnds(db: Db, commerceId: number): Promise<number[]> {
  const { rows } = await sql<{ throughId: number }>`-- read-tile-ends
    select through_id as "throughId"
      from seal_tiles
     where commerce_id = ${commerceId} and level = 0
     order by index`.execute(db);
  return rows.map(({ throughId }) => throughId);
}

/** Compares a tile with its movements one by one. Between two that are right, an other one in the same place was changed. */
async function nameChanges(db: Db, commerceId: number, tile: SealedTile): Promise<SealFinding[]> {
  const { rows } = await sql<{ id: number; memberId: number; hash: string }>`
    select m.id, m.member_id as "memberId", encode(${leafHash}, 'hex') as hash
      from movements m
      ${joinSealedNotes}
     where m.commerce_id = ${commerceId} and m.id > ${tile.afterId} and m.id <= ${tile.throughId}
     order by m.id`.execute(db);
  const sealed = Array.from({ length: tile.hashes.length / HASH }, (_, i) =>
    tile.hashes.toString('hex', i * HASH, (i + 1) * HASH),
  );
  const isSealed = new Set(sealed);
  const isThere = new Set(rows.map(({ hash }) => hash));
  const findings: SealFinding[] = [];
  const invariant = INVARIANTS.movement;
  let previousId = tile.afterId;
  let lacking = 0;
  for (let i = 0, j = 0; i < rows.length || j < sealed.length;) {
    const row = rows[i];
    const hash = sealed[j];
    if (hash !== undefined && !isThere.has(hash)) {
      lacking++;
      j++;
    } else if (row !== undefined && !isSealed.has(row.hash)) {
      const says =
        lacking > 0 ? 'was changed since it was sealed' : 'was added among movements that were sealed';
      findings.push({ invariant, memberId: row.memberId, movementId: row.id, says: `the movement ${says}` });
      lacking = Math.max(0, lacking - 1);
      i++;
    } else {
      findings.push(...removed(lacking, previousId, row?.id ?? tile.throughId));
      lacking = 0;
      previousId = row?.id ?? previousId;
      i++;
      j++;
    }
  }
  findings.push(...removed(lacking, previousId, tile.throughId));
  if (findings.length > 0 || rows.every(({ hash }, i) => hash === sealed[i])) return findings;
  const says = `the movements with ids between ${tile.afterId} and ${tile.throughId} are there twice`;
  return [{ invariant, memberId: null, movementId: null, says }];
}

function removed(count: number, after: number, before: number): SealFinding[] {
  if (count === 0) return [];
  const says = `${count === 1 ? 'a sealed movement' : `${count} sealed movements`} with an id between ${after} and ${before} ${count === 1 ? 'is' : 'are'} gone`;
  return [{ invariant: INVARIANTS.movement, memberId: null, movementId: null, says }];
}

async function readUpperTiles(db: Db, commerceId: number): Promise<Tile[]> {
  const { rows } = await sql<Tile>`
    select level, index, hashes from seal_tiles where commerce_id = ${commerceId} and level > 0`.execute(db);
  return rows;
}

function areSame(stored: readonly Tile[], computed: readonly Tile[]): boolean {
  const keyOf = ({ level, index, hashes }: Tile) => `${level}/${index}/${hashes.toString('base64')}`;
  const wanted = new Set(computed.filter(({ level }) => level > 0).map(keyOf));
  return stored.length === wanted.size && stored.every((tile) => wanted.has(keyOf(tile)));
}

/** Compares the sums of all movements in the newest seal with those of the members. */
async function hasSumsOfMembers(db: Db, commerceId: number): Promise<boolean> {
  const { rows } = await sql<{ isSame: boolean }>`
    select (n.size, n.points, n.points_earned, n.amount, n.purchases)
           is not distinct from (t.size, t.points, t.points_earned, t.amount, t.purchases) as "isSame"
      from (select * from seals where commerce_id = ${commerceId} order by size desc limit 1) n
     cross join (select sum(movements) as size, sum(points) as points, sum(points_earned) as points_earned, sum(amount) as amount,
                        sum(purchases) as purchases
                   from seal_members
                  where commerce_id = ${commerceId}) t`.execute(db);
  return rows[0]?.isSame ?? true;
}

async function compareNotes(
  db: Db,
  commerceId: number,
  throughId: number,
  limit: number,
): Promise<SealFinding[]> {
  const { rows } = await sql<SealFinding>`
    select ${INVARIANTS.note}::text as invariant, m.member_id as "memberId", m.id as "movementId",
           case when d.digest is null then 'the note was added after the movement was sealed'
                when n.note is null then 'the note is gone, but the person is not erased'
                else 'the note was changed since it was sealed' end as says
      from (select * from seal_notes where commerce_id = ${commerceId}) d
      full join (select * from movement_notes where commerce_id = ${commerceId} and movement_id <= ${throughId}) n
        on n.movement_id = d.movement_id
      join movements m on m.commerce_id = ${commerceId} and m.id = coalesce(d.movement_id, n.movement_id)
      join members e on e.commerce_id = ${commerceId} and e.id = m.member_id
     where case when d.digest is null then true
                when n.note is null then e.erased_at is null
                else d.digest is distinct from ${noteDigest} end
     limit ${limit}`.execute(db);
  return rows;
}

async function countUnsealed(db: Db, commerceId: number, throughId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from movements where commerce_id = ${commerceId} and id > ${throughId}`.execute(
    db,
  );
  return rows[0]!.count;
}
