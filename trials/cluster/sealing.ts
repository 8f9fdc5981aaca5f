/** Seals the ledger again and again while machines fail, and compares it at the end with every head that there was on the way. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../server/src/platform/db/database.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import type { Head } from '../../server/src/insight/seals/head.ts';
import { readNewestSeals } from '../../server/src/insight/seals/read-seal.ts';
import { sealLedger } from '../../server/src/insight/seals/seal-ledger.ts';
import type { Till } from '../faults/world.ts';

export interface Sealing {
  /** How often something was sealed so far. */
  heads(): number;
  stop(): Promise<void>;
  /** Seals the rest. Returns a sentence for each difference, and one if something could not be sealed. */
  check(db: Database): Promise<string[]>;
}

export function startSealing(db: Database, tills: readonly Till[]): Sealing {
  const stopping = new AbortController();
  const heads = new Map<string, Head>();
  const running = work();
  return {
    heads: () => heads.size,
    async stop() {
      stopping.abort();
      await running;
    },
    async check(after) {
      const rest = await Promise.all(tills.map(({ commerceId }) => sealLedger(after, commerceId)));
      const { differences, unsealed } = await verifyLedger(after, { heads: [...heads.values()] });
      return [
        ...(rest.includes(null) ? ['the ledger could not be sealed'] : []),
        ...(unsealed > 0 ? [`${unsealed} movements are not sealed`] : []),
        ...differences.map(({ invariant, says }) => `${invariant}: ${says}`),
      ];
    },
  };

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      // While a machine is away nothing can be sealed.
      await sealAll().catch(() => {});
      await sleep(100);
    }
  }

  async function sealAll(): Promise<void> {
    for (const { commerceId } of tills) await sealLedger(db, commerceId, { signal: stopping.signal });
    for (const seal of await readNewestSeals(db)) heads.set(`${seal.origin} ${seal.size}`, seal);
  }
}
