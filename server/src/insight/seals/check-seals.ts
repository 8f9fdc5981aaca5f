import { sql, type Db, type Sql, type Tx } from '#db/database.ts';
import type { Head } from './head.ts';
import { joinSealedNotes, leafHash, noteDigest } from './leaf.ts';
import { createTree, HASH, type Tile } from './merkle-tree.ts';
import {
  NO_LOG,
  readLogs,
  readStretches,
  readUpperTiles,
  type Log,
  type SealedTile,
  type Stretch,
} from './read-logs.ts';
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

/** The log of one commerce. */
export interface LogToCheck {
  readonly commerceId: number;
  /** Of the sealed movements. */
  readonly prints: TilePrints;
  /** Heads of this commerce that were published. */
  readonly heads: readonly Head[];
}

/**
 * Compares the ledgers of commerces with their seals, and the seals with heads that were published. Anyone who changes movements and makes
 * all sums right is found by the seals; anyone who makes the seals anew as well is found by a head that somebody has kept. The movements
 * have been read before, in the same snapshot, and their prints tell which tiles are right; those of other tiles are compared one by one.
 * The sums of each member are compared with the history of the member. The number of statements grows with the longest log, and not with
 * the number of logs.
 * @param limit the most findings for each invariant of a commerce
 */
export async function checkSeals(
  tx: Tx,
  logs: readonly LogToCheck[],
  { limit = 1_000 }: { readonly limit?: number } = {},
): Promise<ReadonlyMap<number, CheckedSeals>> {
  const ids = logs.map(({ commerceId }) => commerceId);
  const stored = await readLogs(tx, ids);
  const checks = new Map(
    logs.map((log) => [log.commerceId, createLogCheck(log, stored.get(log.commerceId) ?? NO_LOG, limit)]),
  );
  for await (const stretches of readStretches(tx, ids))
    for (const [commerceId, stretch] of stretches)
      for (const tile of checks.get(commerceId)!.take(stretch))
        checks.get(commerceId)!.found.addAll(await nameChanges(tx, commerceId, tile));
  const upper = await readUpperTiles(tx, ids);
  const wrongSums = await findWrongSums(tx, ids);
  for (const [commerceId, check] of checks) {
    check.end(upper.get(commerceId) ?? []);
    if (wrongSums.has(commerceId))
      check.found.add('sums', 'the sums of the newest seal are not those of the members');
  }
  for (const { commerceId, ...finding } of await compareNotes(tx, ids, limit))
    checks.get(commerceId)!.found.addAll([finding]);
  const unsealed = await countUnsealed(tx, ids);
  return new Map(
    [...checks].map(([id, { found }]) => [id, { unsealed: unsealed.get(id) ?? 0, findings: found.all() }]),
  );
}

/** Checks a log, of which it takes one stretch after another. */
function createLogCheck({ prints, heads }: LogToCheck, log: Log, limit: number) {
  const found = createFindings(limit);
  for (const head of heads.filter(({ size }) => size > log.size))
    found.add('head', `the head covers ${head.size} movements, but only ${log.size} are sealed`);
  const tree = createTree();
  const upper: Tile[] = [];
  const isRight = createTileComparison(prints);
  let after = 0;
  let place = 0;
  return {
    found,
    /** Returns the tiles that do not have the prints of their movements. */
    take({ tiles, seals }: Stretch): SealedTile[] {
      const wrong: SealedTile[] = [];
      for (const tile of tiles) {
        if (tile.afterId !== after)
          found.add('tree', `tile ${tile.index} does not begin where the one before ends`);
        after = tile.throughId;
        if (!isRight(place++, tile.hashes)) wrong.push(tile);
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
      return wrong;
    },
    end(stored: readonly Tile[]): void {
      if (tree.size !== log.size || after !== log.throughId || log.newest !== log.size)
        found.add(
          'tree',
          `${log.size} movements through ${log.throughId} were sealed, but the tree has ${tree.size} through ${after}`,
        );
      if (!areSame(stored, [...upper, ...tree.partialTiles()]))
        found.add('tree', 'the upper tiles are not those of the tree');
    },
  };
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

function areSame(stored: readonly Tile[], computed: readonly Tile[]): boolean {
  const keyOf = ({ level, index, hashes }: Tile) => `${level}/${index}/${hashes.toString('base64')}`;
  const wanted = new Set(computed.filter(({ level }) => level > 0).map(keyOf));
  return stored.length === wanted.size && stored.every((tile) => wanted.has(keyOf(tile)));
}

/** Compares the sums of all movements in the newest seal with those of the members. Returns the commerces where they differ. */
async function findWrongSums(db: Db, commerceIds: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ commerceId: number }>`
    select n.commerce_id as "commerceId"
      from (select distinct on (commerce_id) *
              from seals
             where commerce_id = any(${commerceIds}::bigint[])
             order by commerce_id, size desc) n
      left join (select commerce_id, sum(movements) as size, sum(points) as points, sum(points_earned) as points_earned,
                        sum(amount) as amount, sum(purchases) as purchases
                   from seal_members
                  where commerce_id = any(${commerceIds}::bigint[])
                  group by commerce_id) t on t.commerce_id = n.commerce_id
     where (n.size, n.points, n.points_earned, n.amount, n.purchases)
           is distinct from (t.size, t.points, t.points_earned, t.amount, t.purchases)`.execute(db);
  return new Set(rows.map(({ commerceId }) => commerceId));
}

async function compareNotes(
  db: Db,
  commerceIds: readonly number[],
  limit: number,
): Promise<(SealFinding & { readonly commerceId: number })[]> {
  const { rows } = await sql<SealFinding & { commerceId: number }>`
    select c.id as "commerceId", f.*
      from ${each(commerceIds)}
      left join seal_logs l on l.commerce_id = c.id
     cross join lateral (
    select ${INVARIANTS.note}::text as invariant, m.member_id as "memberId", m.id as "movementId",
           case when d.digest is null then 'the note was added after the movement was sealed'
                when n.note is null then 'the note is gone, but the person is not erased'
                else 'the note was changed since it was sealed' end as says
      from (select * from seal_notes where commerce_id = c.id) d
      full join (select * from movement_notes where commerce_id = c.id and movement_id <= coalesce(l.through_id, 0)) n
        on n.movement_id = d.movement_id
      join movements m on m.commerce_id = c.id and m.id = coalesce(d.movement_id, n.movement_id)
      join members e on e.commerce_id = c.id and e.id = m.member_id
     where case when d.digest is null then true
                when n.note is null then e.erased_at is null
                else d.digest is distinct from ${noteDigest} end
     limit ${limit}) f`.execute(db);
  return rows;
}

/** The commerces as `c(id)`. One alone is a value, by which a cluster finds the machine that has it. */
function each(commerceIds: readonly number[]): Sql {
  return commerceIds.length === 1
    ? sql`(select ${commerceIds[0]}::bigint as id) c`
    : sql`unnest(${commerceIds}::bigint[]) as c(id)`;
}

async function countUnsealed(db: Db, commerceIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ commerceId: number; count: number }>`
    select c.id as "commerceId",
           (select count(*) from movements m
             where m.commerce_id = c.id
               and m.id > coalesce((select through_id from seal_logs l where l.commerce_id = c.id), 0)) as count
      from ${each(commerceIds)}`.execute(db);
  return new Map(rows.map(({ commerceId, count }) => [commerceId, count]));
}
