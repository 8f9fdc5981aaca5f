import { sql, type Db } from '#db/database.ts';
import { remembered } from '#db/memory.ts';
import { createHiddenIds } from './hidden-ids.ts';

/** Translates ids of one kind between the database and the wire. */
export interface WireIds {
  toWire(id: number): number;
  /** Returns null if no id can have been handed out as this number. */
  fromWire(wireId: number): number | null;
}

export type WireIdKind = 'purchase' | 'user' | 'member' | 'staff' | 'audit' | 'key';

/** The ids that a commerce takes along when it moves to another installation. A user belongs to an installation. */
export type CommerceIdKind = Exclude<WireIdKind, 'user'>;

/**
 * The ids of a kind, as a commerce hands them out: like the installation, or, if the commerce was imported, like the
 * installation that it comes from. Which of the two never changes.
 */
export async function readWireIds(db: Db, commerceId: number, kind: CommerceIdKind): Promise<WireIds> {
  const kept = idsOfCommerces(db);
  let own = kept.get(commerceId);
  if (own === undefined) {
    const { rows } = await sql<WireIdRow>`-- read-wire-ids-of-commerce
      select kind, key, plain_to as "plainTo" from commerce_wire_ids where commerce_id = ${commerceId}`.execute(
      db,
    );
    own = rows.length === 0 ? NONE : idsByKind(rows);
    kept.set(commerceId, own);
  }
  return own.get(kind) ?? readInstallationIds(db, kind);
}

/**
 * The ids of a kind, as the installation hands them out. Ids count up over all shops, so they are hidden on the wire,
 * except those that an older release has handed out.
 */
export async function readInstallationIds(db: Db, kind: WireIdKind): Promise<WireIds> {
  const kept = idsOfInstallation(db);
  if (kept.size === 0) {
    const { rows } = await sql<WireIdRow>`-- read-wire-ids
      select kind, key, plain_to as "plainTo" from wire_ids`.execute(db);
    for (const [read, ids] of idsByKind(rows)) kept.set(read, ids);
  }
  const ids = kept.get(kind);
  if (ids === undefined) throw new Error(`the table wire_ids has no ${kind}`);
  return ids;
}

interface WireIdRow {
  readonly kind: WireIdKind;
  readonly key: Buffer;
  readonly plainTo: number;
}

type IdsByKind = ReadonlyMap<WireIdKind, WireIds>;

function idsByKind(rows: readonly WireIdRow[]): IdsByKind {
  return new Map(rows.map((row) => [row.kind, createWireIds(row.key, row.plainTo)]));
}

const NONE: ReadonlyMap<WireIdKind, WireIds> = new Map();
const idsOfInstallation = remembered(() => new Map<WireIdKind, WireIds>());
const idsOfCommerces = remembered(() => new Map<number, IdsByKind>());

/**
 * While an upgrade is rolled out, processes of the older release go on handing out plain ids. So that many more are
 * accepted, though not handed out.
 */
const ROLLING = 100_000;

export function createWireIds(key: Uint8Array, plainTo: number): WireIds {
  const hidden = createHiddenIds(key);
  const acceptedTo = plainTo === 0 ? 0 : plainTo + ROLLING;
  return {
    toWire: (id) => (id <= plainTo ? id : hidden.hide(id)),
    fromWire: (wireId) => (wireId <= acceptedTo ? wireId : hidden.show(wireId)),
  };
}
