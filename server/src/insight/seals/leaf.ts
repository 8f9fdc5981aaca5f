import { sql } from '#db/database.ts';

const TEXT = `concat('["movement/1",',
  to_json(array[m.id, m.member_id, m.points, m.points_earned, m.amount, m.purchases, m.balance_after,
                m.branch_id, m.register_id, m.reverses_id, m.voucher_code]), ',',
  to_json(array[m.at at time zone 'UTC', m.recorded_at at time zone 'UTC']), ',',
  to_json(array[m.type, m.event, m.note]), ',', m.split, ',', coalesce(m.snapshot::text, 'null'), ',',
  case when n.digest is null then 'null' else '"' || encode(n.digest, 'hex') || '"' end, ']')`;

/**
 * The leaf of a movement: a JSON array that has the same bytes in every release. It covers every column of `movements m` but the
 * commerce, because each commerce has a tree of its own. Of a note that a person typed it has only the digest, from
 * `seal_notes n` (see `joinSealedNotes`).
 *
 * A column that is added to `movements` later must not change the leaves of older rows: append it to the array only where it is
 * not null. The text is part of the statement because anyone who can change movements could replace a function in the database.
 */
export const leafText = sql.raw(TEXT);

/** The hash of a leaf, as in RFC 6962. The byte 0 in front keeps leaves and nodes apart. */
export const leafHash = sql.raw(`sha256('\\x00'::bytea || convert_to(${TEXT}, 'UTF8'))`);

/** Joins what `leafText` and `leafHash` need besides the movement. */
export const joinSealedNotes = sql`left join seal_notes n on n.commerce_id = m.commerce_id and n.movement_id = m.id`;

/** The digest of a note in `movement_notes n`, which stands in the leaf instead of the note. */
export const noteDigest = sql`sha256(n.salt || convert_to(n.note, 'UTF8'))`;

/** A movement as its leaf tells it. */
export type LeafFacts = Readonly<Record<string, unknown>>;

/** Reads a leaf. Returns null if it is not one of a version that this program knows. */
export function readLeaf(leaf: string): LeafFacts | null {
  try {
    const [version, numbers, times, texts, split, snapshot, note] = JSON.parse(leaf) as unknown[];
    if (version !== 'movement/1') return null;
    const named = (names: readonly string[], values: unknown) =>
      Object.fromEntries(names.map((name, i) => [name, (values as unknown[])[i]]));
    return {
      ...named(NUMBERS, numbers),
      ...named(['at', 'recorded_at'], times),
      ...named(['type', 'event', 'note'], texts),
      split,
      snapshot,
      note_digest: note,
    };
  } catch {
    return null;
  }
}

const NUMBERS = [
  'id',
  'member_id',
  'points',
  'points_earned',
  'amount',
  'purchases',
  'balance_after',
  'branch_id',
  'register_id',
  'reverses_id',
  'voucher_code',
];
