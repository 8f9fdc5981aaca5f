import type { KeptSockets } from './keep-sockets.ts';
import type { LedgerAnswer, LedgerEntry } from './messages.ts';
import { createSemaphore, type OwnSemaphore } from '#http/semaphore.ts';
import { createBuckets, type OwnBuckets } from '#http/token-bucket.ts';

/** Counts what all processes together take from their limits. */
export interface KeptLedger {
  hear(process: number, entries: readonly LedgerEntry[]): void;
  /** A process has ended: what it held at the semaphores is free again, and its sockets are closed. */
  forget(process: number): void;
}

/** This part of a bucket, divided by the number of processes, is handed out in advance. */
const ADVANCED_SHARE = 1 / 8;
/** A caller gets nothing in advance unless so much of its bucket is there. Near its limit each call is counted by itself. */
const FULL_ENOUGH = 1 / 2;

/** What a process holds at a semaphore, or waits for. */
interface Visit {
  readonly limit: string;
  readonly name: string;
}

/**
 * Keeps the ledger of several processes. What is taken has been taken from one bucket, so no limit is exceeded however many processes
 * there are. A caller who is far from its limit gets a few tokens in advance, so that its process need not ask at each call.
 */
export function keepLedger(
  processes: number,
  tell: (process: number, answers: readonly LedgerAnswer[]) => void,
  sockets: KeptSockets,
  now?: () => number,
): KeptLedger {
  const buckets = new Map<
    string,
    { readonly own: OwnBuckets; readonly burst: number; readonly advance: number }
  >();
  const semaphores = new Map<string, OwnSemaphore>();
  const visits = new Map<number, Visit[]>();
  /** How often a process was started. What one of before waits for must not go to the next one. */
  const lives = new Map<number, number>();

  return {
    hear(process, entries) {
      const answers: LedgerAnswer[] = [];
      for (const entry of entries) {
        const [kind] = entry;
        if (kind === 'take') answers.push(take(...entry));
        else if (kind === 'charge')
          buckets.get(entry[1])!.own.charge(entry[2], entry[3], entry[4] ?? Infinity);
        else if (kind === 'give back') buckets.get(entry[1])!.own.giveBack(entry[2]);
        else if (kind === 'enter') void enter(process, ...entry);
        else if (kind === 'leave') leave(process, entry[1], entry[2]);
        else if (kind === 'sockets') sockets.changed(process, entry[1], entry[2]);
        else if (kind === 'trimmed') sockets.trimmed(entry[1], entry[2]);
        else if (kind === 'semaphore')
          semaphores.set(entry[1], semaphores.get(entry[1]) ?? createSemaphore(entry[2]));
        else define(...entry);
      }
      if (answers.length > 0) tell(process, answers);
    },

    forget(process) {
      lives.set(process, lifeOf(process) + 1);
      for (const { limit, name } of visits.get(process) ?? []) semaphores.get(limit)!.leave(name);
      visits.delete(process);
      sockets.forget(process);
    },
  };

  function define(_kind: 'buckets', limit: string, perSecond: number, burst: number): void {
    if (buckets.has(limit)) return;
    const advance = Math.floor((burst * ADVANCED_SHARE) / processes);
    buckets.set(limit, { own: createBuckets(perSecond, burst, now), burst, advance });
  }

  function take(
    _kind: 'take',
    id: number,
    limit: string,
    name: string | number,
    tokens: number,
    more: number,
  ): LedgerAnswer {
    const { own, burst, advance } = buckets.get(limit)!;
    const waitSeconds = own.take(name, tokens);
    if (waitSeconds > 0) return [id, waitSeconds, 0, 0];
    const left = own.left(name);
    const isFar = left - more - advance >= burst * FULL_ENOUGH;
    const besides = Math.max(0, Math.min(Math.floor(left), isFar ? more + advance : more));
    own.charge(name, besides);
    return [id, 0, besides, besides < more ? (1 - (left - besides)) / own.perSecond : 0];
  }

  async function enter(
    process: number,
    _kind: 'enter',
    id: number,
    limit: string,
    name: string,
    waitMs: number,
  ): Promise<void> {
    const life = lifeOf(process);
    const semaphore = semaphores.get(limit)!;
    const isInside = await semaphore.enter(name, performance.now() + waitMs);
    if (lifeOf(process) !== life) {
      if (isInside) semaphore.leave(name);
      return;
    }
    if (isInside) visits.set(process, [...(visits.get(process) ?? []), { limit, name }]);
    tell(process, [[id, isInside ? 0 : -1, 0, 0]]);
  }

  function leave(process: number, limit: string, name: string): void {
    const held = visits.get(process) ?? [];
    const at = held.findIndex((visit) => visit.limit === limit && visit.name === name);
    if (at < 0) return;
    held.splice(at, 1);
    semaphores.get(limit)!.leave(name);
  }

  function lifeOf(process: number): number {
    return lives.get(process) ?? 0;
  }
}
