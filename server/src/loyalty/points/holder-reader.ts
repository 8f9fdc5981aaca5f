import { createBatch } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { readCommerces, type Commerce } from '#commerces/commerce.ts';
import { onConnection, type Database, type Db } from '#db/database.ts';
import { findMembers, nameOfMember, namesOfMember, type MemberRef } from '#members/lock-members.ts';
import { withLots, type LockedMember } from './locked-member.ts';
import { settled } from './pending.ts';

/** A person at a commerce with their points, for display. `member` is null if the commerce does not know the person. */
export interface Holder {
  readonly commerce: Commerce;
  readonly member: LockedMember | null;
}

/** Reads holders for all requests of this process. */
export type HolderReader = (ref: MemberRef) => Promise<Holder>;

/**
 * Creates the reader. Reads that arrive while others are running share the next three statements, which costs a third
 * of reading them one by one.
 */
export function createHolderReader(db: Database): HolderReader {
  const batch = createBatch<MemberRef, Holder>({
    ...onCluster(db),
    name: 'read-holders',
    tracing: db.tracing,
    run: (refs) => onConnection(db, (connection) => readHolders(connection, refs)),
    commerceOf: (ref) => ref.commerceId,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (ref) => batch.submit(ref);
}

/** Returns one holder for each reference, in order. */
export async function readHolders(db: Db, refs: readonly MemberRef[]): Promise<Holder[]> {
  if (refs.length === 0) return [];
  const [members, commerces] = await Promise.all([
    findMembers(db, refs),
    readCommerces(db, [...new Set(refs.map((ref) => ref.commerceId))]),
  ]);
  const held = new Map(
    (await withLots(db, members)).flatMap((stored) => {
      const member = settled(stored, commerces.get(stored.commerceId)!);
      return namesOfMember(stored).map((name) => [name, member] as const);
    }),
  );
  return refs.map((ref) => ({
    commerce: commerces.get(ref.commerceId)!,
    member: held.get(nameOfMember(ref)) ?? null,
  }));
}
