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

/**
 * The ids of a kind, as the installation hands them out. Ids count up over all shops, so they are hidden on the wire,
 * except those that an older release has handed out.
 */
export async function readWireIds(db: Db, kind: WireIdKind): Promise<WireIds> {
  const kept = wireIdsOf(db);
  const existing = kept.get(kind);
  if (existing !== undefined) return existing;
  const { rows } = await sql<{ kind: WireIdKind; key: Buffer; plainTo: number }>`-- read-wire-ids
    select kind, key, plain_to as "plainTo" from wire_ids`.execute(db);
  for (const row of rows) kept.set(row.kind, createWireIds(row.key, row.plainTo));
  const read = kept.get(kind);
  if (read === undefined) throw new Error(`the table wire_ids has no ${kind}`);
  return read;
}

const wireIdsOf = remembered(() => new Map<WireIdKind, WireIds>());

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
