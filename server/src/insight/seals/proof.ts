import { sql, type Db } from '#db/database.ts';
import { Refusal } from '#base/refusal.ts';
import { readHeads, type Head, type SignedHead } from './head.ts';
import { joinSealedNotes, leafHash, leafText } from './leaf.ts';
import { HASH, hashLeaf, proveInclusion, readRoot, rootOfProof, TILE, type ReadTile } from './merkle-tree.ts';
import { readSeal } from './read-seal.ts';

/** Proves that a movement is in a log, at that place, under a head. */
export interface Proof {
  readonly index: number;
  readonly path: readonly Buffer[];
  /** The canonical bytes of the movement. */
  readonly leaf: string;
}

class ProofRefused extends Refusal {}

/**
 * Proves that a movement is under a head: the newest one, or one that was published. The proof is of the movement as it is now, so there is
 * no proof of a movement that was changed since.
 * @throws ProofRefused
 */
export async function proveMovement(
  db: Db,
  commerceId: number,
  movementId: number,
  published?: Head,
): Promise<Proof & { head: Head }> {
  const head = published ?? (await readSeal(db, commerceId));
  const movement = await readPlace(db, commerceId, movementId);
  if (movement === undefined) throw new ProofRefused(`There is no movement ${movementId}.`);
  const { leaf, index, hash, sealed } = movement;
  if (head === undefined || index === null || sealed === null)
    throw new ProofRefused(
      `Movement ${movementId} is newer than the last seal. The service seals every five minutes; \`loyalty jobs run seal\` does it now.`,
    );
  if (!sealed.equals(hash))
    throw new ProofRefused(
      `Movement ${movementId} is not as it was sealed. \`loyalty ledger verify\` names everything that was changed.`,
    );
  if (index >= head.size)
    throw new ProofRefused(
      `Movement ${movementId} is younger than that head, which covers ${head.size} movements.`,
    );
  const readTile = createTileReader(db, commerceId);
  const root = await readRoot(readTile, head.size);
  if (!root.equals(head.root))
    throw new ProofRefused(
      `The ${head.size} movements under that head are not those that it was made of: the history was rewritten, or it is the head of another log.`,
    );
  return { head, index, leaf, path: await proveInclusion(readTile, index, head.size) };
}

/** Returns the place of a movement in the log; null if it is not sealed. */
export async function readIndex(db: Db, commerceId: number, movementId: number): Promise<number | null> {
  return (await readPlace(db, commerceId, movementId))?.index ?? null;
}

interface Place {
  readonly leaf: string;
  readonly hash: Buffer;
  /** Its place in the log; null if it is not sealed. */
  readonly index: number | null;
  /** The hash that was sealed at that place. */
  readonly sealed: Buffer | null;
}

async function readPlace(db: Db, commerceId: number, movementId: number): Promise<Place | undefined> {
  const { rows } = await sql<Place>`
    select ${leafText} as leaf, ${leafHash} as hash, t.index * ${TILE}::bigint + before.count as index,
           substr(t.hashes, (before.count * ${HASH}::bigint)::int + 1, ${HASH}::int) as sealed
      from movements m
      ${joinSealedNotes}
      left join seal_tiles t on t.commerce_id = m.commerce_id and t.level = 0 and t.after_id < m.id and t.through_id >= m.id
      left join lateral (
           select count(*) from movements b
            where b.commerce_id = ${commerceId} and b.id > t.after_id and b.id < m.id) before on true
     where m.commerce_id = ${commerceId} and m.id = ${movementId}`.execute(db);
  return rows[0];
}

export function createTileReader(db: Db, commerceId: number): ReadTile {
  const read = new Map<string, Promise<Buffer>>();
  const readTile = async (level: number, index: number) => {
    const { rows } = await sql<{ hashes: Buffer }>`
      select hashes from seal_tiles where commerce_id = ${commerceId} and level = ${level} and index = ${index}`.execute(
      db,
    );
    return rows[0]?.hashes ?? Buffer.alloc(0);
  };
  return async (level, index, length) => {
    const key = `${level}/${index}`;
    const tile = read.get(key) ?? readTile(level, index);
    read.set(key, tile);
    const hashes = await tile;
    if (hashes.length >= length * HASH) return hashes;
    throw new ProofRefused('A tile of the seals is missing. `loyalty ledger verify` says more.');
  };
}

const VERSION = 'c2sp.org/tlog-proof@v1';

/** Writes a proof as C2SP tlog-proof, with the movement as extra data. `note` is the head, signed or not. */
export function writeProof({ index, path, leaf }: Proof, note: string): string {
  const lines = [
    VERSION,
    `extra ${Buffer.from(leaf).toString('base64')}`,
    `index ${index}`,
    ...path.map((hash) => hash.toString('base64')),
  ];
  return `${lines.join('\n')}\n\n${note}`;
}

const BEGINNING = new RegExp(
  `^${VERSION}\\nextra ([A-Za-z0-9+/]+={0,2})\\nindex (0|[1-9]\\d{0,15})\\n((?:[A-Za-z0-9+/]{43}=\\n)*)\\n`,
);

/** Reads a proof. Returns null if the text is none. */
export function readProof(text: string): (Proof & { head: SignedHead }) | null {
  const lines = text.replaceAll('\r\n', '\n');
  const [whole, leaf, index, path] = BEGINNING.exec(lines) ?? [];
  if (whole === undefined) return null;
  const heads = readHeads(lines.slice(whole.length));
  if (heads?.length !== 1) return null;
  return {
    index: Number(index),
    path: path!
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Buffer.from(line, 'base64')),
    leaf: Buffer.from(leaf!, 'base64').toString('utf8'),
    head: heads[0]!,
  };
}

/** Returns true if the proof leads from its movement to the root of its head. */
export function holds({ head, index, leaf, path }: Proof & { head: Head }): boolean {
  return rootOfProof(hashLeaf(Buffer.from(leaf)), index, head.size, path)?.equals(head.root) === true;
}
