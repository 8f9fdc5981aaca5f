import { createBatch } from '#batching/batch.ts';
import type { Database } from '#db/database.ts';
import type { StaffKey } from '#http/credentials.ts';
import { findKeys, findStaffKeys, type FoundKey } from './api-keys.ts';
import { findOpenCommerces, type OpenCommerce } from './commerce.ts';

/**
 * Looks API keys up for all requests of this process. Keys that arrive while a statement runs share the next one, so a
 * flood of keys that nobody has takes one connection and not all of them.
 */
export function createKeyReader(db: Database): (token: string) => Promise<FoundKey | null> {
  const batch = createBatch<string, FoundKey | null>({
    name: 'find-keys',
    tracing: db.tracing,
    run: (tokens) => findKeys(db, tokens),
    // Nobody knows yet whose keys they are.
    commerceOf: () => 0,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (token) => batch.submit(token);
}

/** Looks keys of the back office up in the same way. They are never remembered, so that a revoked one is refused at once. */
export function createStaffKeyReader(db: Database): (token: string) => Promise<StaffKey | null> {
  const batch = createBatch<string, StaffKey | null>({
    name: 'find-staff-keys',
    tracing: db.tracing,
    run: (tokens) => findStaffKeys(db, tokens),
    commerceOf: () => 0,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (token) => batch.submit(token);
}

/** Looks commerces up in the same way. Returns null if the commerce does not exist or is closed. */
export function createOpenCommerceReader(db: Database): (id: number) => Promise<OpenCommerce | null> {
  const batch = createBatch<number, OpenCommerce | null>({
    name: 'find-open-commerces',
    tracing: db.tracing,
    run: async (ids) => {
      const open = await findOpenCommerces(db, ids);
      return ids.map((id) => open.get(id) ?? null);
    },
    commerceOf: () => 0,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (id) => batch.submit(id);
}
