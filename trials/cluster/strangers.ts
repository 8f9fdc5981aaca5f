/** Purchases of people whom nobody knows: each stores a movement on a shard and a mail at the coordinator, both or neither. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import type { Till } from '../faults/world.ts';

export interface Strangers {
  acknowledged(): number;
  stop(): Promise<void>;
  /** Returns a sentence for each purchase that was lost, is there twice, or has no mail, or a mail without its purchase. */
  check(db: Database, statuses?: readonly number[]): Promise<string[]>;
}

export function startStrangers(base: string, tills: readonly Till[], first: number): Strangers {
  const stopping = new AbortController();
  const stored = new Set<string>();
  const statuses = new Map<number, number>();
  const prefix = `stranger-${first}-`;
  let serial = 0;
  const running = work();
  return {
    acknowledged: () => stored.size,
    async stop() {
      stopping.abort();
      await running;
    },
    async check(db, allowed = [201, 503]) {
      const bought = new Map<string, number>();
      for (const { commerceId } of tills) {
        const { rows } = await sql<{ email: string; count: number }>`
          select m.email, count(*)::integer as count
            from movements p
            join members m on m.commerce_id = p.commerce_id and m.id = p.member_id
           where p.commerce_id = ${commerceId} and m.commerce_id = ${commerceId} and p.type = 'purchase' and m.email like ${`${prefix}%`}
           group by m.email`.execute(db);
        for (const { email, count } of rows) bought.set(email, count);
      }
      const { rows: mails } = await sql<{ recipient: string; count: number }>`
        select recipient, count(*)::integer as count from outbox where recipient like ${`${prefix}%`} group by recipient`.execute(
        db,
      );
      const mailed = new Map(mails.map(({ recipient, count }) => [recipient, count]));
      const odd = [...statuses].filter(([status]) => !allowed.includes(status));
      return [
        ...odd.map(([status, count]) => `${count} purchases of strangers got ${status}`),
        ...[...stored]
          .filter((email) => !bought.has(email))
          .map((email) => `the purchase of ${email} is lost`),
        ...[...bought]
          .filter(([, count]) => count > 1)
          .map(([email]) => `the purchase of ${email} is there twice`),
        ...[...bought.keys()]
          .filter((email) => !mailed.has(email))
          .map((email) => `${email} has bought and got no mail`),
        ...[...mailed.keys()]
          .filter((email) => !bought.has(email))
          .map((email) => `${email} has a mail and no purchase`),
      ];
    },
  };

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const till = tills[serial % tills.length]!;
      const email = `${prefix}${serial++}@example.com`;
      const answer = await fetch(`${base}/v1/consumptions/email`, {
        method: 'POST',
        headers: { authorization: `Bearer ${till.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ client_email: email, amount: first + serial }),
        signal: AbortSignal.timeout(30_000),
      }).catch(() => null);
      statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
      if (answer?.status === 201) stored.add(email);
      else await sleep(100);
      await answer?.text();
    }
  }
}
