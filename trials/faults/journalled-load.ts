/**
 * Makes purchases and writes every acknowledgement to a file of its own, outside the service and its database. Each
 * purchase has an amount that no other has, so that the database shows what became of it.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import { countScarce, type Scarce } from './scarce.ts';
import type { Till } from './world.ts';

export interface Call {
  readonly startedAt: number;
  readonly ms: number;
  /** 0 if no response came. */
  readonly status: number;
  readonly base: string;
  readonly commerceId: number;
  /** What a response other than 201 said. */
  readonly said?: string;
}

export interface Load {
  readonly calls: readonly Call[];
  /** Ends the load once its last calls are answered. */
  stop(): Promise<void>;
  /** Compares the file with the database, and the books with themselves. */
  check(db: Database): Promise<Books>;
}

export interface Books extends Scarce {
  readonly acknowledged: number;
  /** Acknowledged but not stored. */
  readonly lost: number;
  /** Stored more than once. */
  readonly doubled: number;
  /** Stored although the response said that nothing was wrong with the call and that it may be repeated. */
  readonly refusedButStored: number;
  /** Purchases without a key that had no answer, so that only the database knows. */
  readonly unknown: number;
  /** Repeated calls with a key whose first attempt had taken effect though no answer came. */
  readonly settled: number;
  readonly differences: number;
  /** Things that the callers saw and should not have seen, one sentence each. */
  readonly wrong: readonly string[];
}

export interface LoadOptions {
  readonly bases: readonly string[];
  readonly tills: readonly Till[];
  readonly workers?: number;
  /** Also lists purchases after each one. Such lists are not batched, so every call takes a connection of its own. */
  readonly alsoReads?: boolean;
  /** Whether each call has an idempotency key of its own. */
  readonly areKeyed?: boolean;
  /** Two loads on one database need amounts of their own. */
  readonly firstAmount?: number;
  /** The pause after a refused call. */
  readonly pauseMs?: number;
}

export function startLoad({
  bases,
  tills,
  workers = 16,
  alsoReads = false,
  areKeyed = false,
  firstAmount = 1,
  pauseMs = 20,
}: LoadOptions): Load {
  const folder = mkdtempSync(join(tmpdir(), 'loyalty-faults-'));
  const path = join(folder, 'acknowledged');
  const file = openSync(path, 'a');
  const syncing = setInterval(() => fdatasyncSync(file), 100);
  const calls: Call[] = [];
  const stopping = new AbortController();
  /** Amounts of purchases whose caller was told to repeat the call. */
  const refused = new Set<number>();
  const unknown = new Set<number>();
  let serial = firstAmount - 1;
  let stopped: Promise<void> | undefined;
  const running = Promise.all(Array.from({ length: workers }, (_, i) => work(i)));

  return {
    calls,
    stop: () => (stopped ??= end()),
    async check(db) {
      const acknowledged = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number);
      rmSync(folder, { recursive: true });
      const { rows } = await sql<{ amount: number; count: number }>`
        select amount, count(*)::int as count from movements
         where commerce_id = any(${tills.map(({ commerceId }) => commerceId)}::bigint[]) and type = 'purchase'
         group by amount`.execute(db);
      const stored = new Map(rows.map(({ amount, count }) => [amount, count]));
      return {
        acknowledged: acknowledged.length,
        lost: acknowledged.filter((amount) => !stored.has(amount)).length,
        doubled: [...stored.values()].filter((count) => count > 1).length,
        refusedButStored: [...refused].filter((amount) => stored.has(amount)).length,
        unknown: unknown.size,
        settled: 0,
        differences: (await verifyLedger(db)).differences.length,
        ...(await countScarce(db)),
        wrong: [],
      };
    },
  };

  async function end(): Promise<void> {
    stopping.abort();
    await running;
    clearInterval(syncing);
    fdatasyncSync(file);
    closeSync(file);
  }

  async function work(worker: number): Promise<void> {
    for (let turn = worker; !stopping.signal.aborted; turn++) {
      const till = tills[turn % tills.length]!;
      const base = bases[worker % bases.length]!;
      const amount = ++serial;
      const startedAt = performance.now();
      const { status, isUnknown, said } = await buy(
        base,
        till,
        till.codes[turn % till.codes.length]!,
        amount,
        areKeyed,
      );
      if (status === 503 && !isUnknown) refused.add(amount);
      else if (status !== 201) unknown.add(amount);
      if (status === 201) writeSync(file, `${amount}\n`);
      const call = { startedAt, ms: performance.now() - startedAt, status, base };
      calls.push({ ...call, commerceId: till.commerceId, ...(status !== 201 && { said }) });
      if (status !== 201) await sleep(pauseMs);
      if (alsoReads) {
        const readAt = performance.now();
        const { status: read } = await listPurchases(base, till);
        calls.push({
          ...call,
          startedAt: readAt,
          ms: performance.now() - readAt,
          status: read,
          commerceId: till.commerceId,
        });
      }
    }
  }
}

/** A read on a connection to the database that no other call shares. */
export function listPurchases(base: string, till: Till): Promise<Sent> {
  return send(`${base}/v1/consumptions`, { headers: headersOf(till) });
}

function buy(base: string, till: Till, code: number, amount: number, isKeyed: boolean): Promise<Sent> {
  return send(`${base}/v1/consumptions/client-code`, {
    method: 'POST',
    headers: {
      ...headersOf(till),
      'content-type': 'application/json',
      ...(isKeyed && { 'idempotency-key': String(amount) }),
    },
    body: JSON.stringify({ client_code: code, amount }),
  });
}

function headersOf({ key }: Till): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

interface Sent {
  readonly status: number;
  /** Whether the response says that the call may have taken effect. */
  readonly isUnknown: boolean;
  readonly said: string;
}

async function send(url: string, options: RequestInit): Promise<Sent> {
  try {
    const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(30_000) });
    const said = await answer.text();
    return { status: answer.status, isUnknown: /may have taken effect|not known/.test(said), said };
  } catch (error) {
    return { status: 0, isUnknown: true, said: String(error) };
  }
}
