/** Which tables a transaction writes: some may not be written beside others, because a cluster would commit them apart. */
import { TABLES } from '#db/tables.ts';
import { APART } from '#distribute/distribute.ts';

const KNOWN: ReadonlySet<string> = new Set([
  ...TABLES.tenant,
  ...Object.keys(TABLES.reference),
  // A migration changes tables besides, and a cluster does that in two phases.
  ...Object.keys(TABLES.installation).filter((name) => name !== 'schema_migrations'),
]);

const WRITE = /\b(?:insert\s+into|update|delete\s+from)\s+"?([a-z_]+)"?/g;

/**
 * Returns a function that gets the statements of a connection in their order. It calls `onFound` with a statement and the tables of its
 * transaction, once these are a table that is to be written alone and any other.
 */
export function tablesApart(
  onFound: (text: string, together: readonly string[]) => void,
): (text: string) => void {
  let written: Set<string> | null = null;
  return (text) => {
    if (text.startsWith('begin')) written = new Set();
    const isInTransaction = written !== null;
    const tables = written ?? new Set<string>();
    for (const [, name] of text.matchAll(WRITE)) if (KNOWN.has(name!)) tables.add(name!);
    if (text === 'commit' || text === 'rollback') written = null;
    else if (tables.size > 1 && [...tables].some((name) => APART.has(name))) {
      onFound(text, [...tables].toSorted());
      // Once for a transaction.
      if (isInTransaction) written = null;
    }
  };
}
