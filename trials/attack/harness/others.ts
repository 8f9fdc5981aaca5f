import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../../../bench/statistics.ts';
import { bearer, openCaller, type Caller, type Reply } from './caller.ts';
import type { Target } from './attack.ts';
import { OTHERS } from './networks.ts';
import { purchase } from './purchases.ts';

/** The experience of the shop that should notice nothing. */
export interface Experience {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Calls that got a 503. */
  readonly unavailable: number;
  /** Calls that got no answer, or any other than a 2xx or a 503. */
  readonly failed: number;
}

/** Ten calls: purchases, balance reads on a connection of their own, and exchanges, as a shop's day mixes them. */
const TURNS = ['buy', 'read', 'buy', 'read', 'buy', 'exchange', 'read', 'buy', 'read', 'buy'] as const;

/**
 * Calls the service at a fixed rate, whether or not the answers keep up. The time of each call counts from the moment
 * it was due.
 */
export async function measureOthers(
  target: Target,
  perSecond: number,
  isOver: () => boolean,
): Promise<Experience> {
  const [kept, fresh] = [openCaller(target.port), openCaller(target.port, { keepAlive: false })];
  const took: number[] = [];
  const statuses: number[] = [];
  const waiting: Promise<void>[] = [];
  const noteCall = async (call: Promise<Reply>, dueAt: number) => {
    const { status } = await call;
    took.push(performance.now() - dueAt);
    statuses.push(status);
  };
  const start = performance.now();
  for (let sent = 0; !isOver(); sent++) {
    const dueAt = start + (sent * 1_000) / perSecond;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    waiting.push(noteCall(makeCall(kept, fresh, target, sent), dueAt));
  }
  await Promise.all(waiting);
  kept.close();
  fresh.close();
  return {
    calls: took.length,
    p50Ms: percentile(took, 0.5),
    p99Ms: percentile(took, 0.99),
    unavailable: statuses.filter((status) => status === 503).length,
    failed: statuses.filter((status) => status !== 503 && (status < 200 || status > 299)).length,
  };
}

function makeCall(kept: Caller, fresh: Caller, { others }: Target, n: number): Promise<Reply> {
  const member = others.members[n % others.members.length]!;
  const turn = TURNS[n % TURNS.length]!;
  if (turn === 'buy') return kept.call(OTHERS, purchase(others, member.code, 100));
  // A new connection, to notice when the service takes none.
  if (turn === 'read')
    return fresh.call(OTHERS, { path: `/v1/clients/${member.code}`, headers: bearer(others.key) });
  // Not `member`: ten turns and twenty members would always meet in the same two.
  const buyer = others.members[Math.floor(n / TURNS.length) % others.members.length]!;
  return kept.call(buyer.from, {
    method: 'POST',
    path: '/v1/me/benefits/exchange',
    headers: {
      ...bearer(buyer.access, others.commerceId),
      'idempotency-key': `${performance.timeOrigin}-${performance.now()}-${n}`,
    },
    body: { benefit_id: 'coupon' },
  });
}
