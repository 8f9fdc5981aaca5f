/**
 * Does what shops and members do, all at once: purchases with and without a key, sprees of exchanges on a balance that
 * is too small for all of them, races for limited benefits, two registers that burn the same code, returns. Calls with a
 * key are repeated until they are answered, as a shop's server does. Every acknowledgement is noted outside the service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import { verifyLedger } from '../../server/src/insight/books/verify-ledger.ts';
import { createAccessTokens } from '../../server/src/access/sign-in/access-token.ts';
import { createClient, type Answer } from './http-client.ts';
import type { Books, Call, Load } from './journalled-load.ts';
import { createRandom, type Random } from '../../server/test/create-random.ts';
import { countScarce } from './scarce.ts';
import { CHEAP, LIMITED, SECRET, type Session, type Till } from './world.ts';

export interface MixedLoadOptions {
  /** The addresses of the services. A caller that gets no answer from one turns to the next. */
  readonly bases: readonly string[];
  readonly tills: readonly Till[];
  readonly random: Random;
  readonly workers?: number;
}

interface Spender {
  readonly till: Till;
  readonly code: number;
  readonly session: Session;
  /** Its points by what was acknowledged. */
  points: number;
}

/**
 * Statuses that the mixed load may get. 400 is the refusal of what is sold out or used; the load itself says if anything else is
 * refused. No answer, which is 0, may come only from a process that is killed.
 */
export const MIXED = [200, 201, 400, 503];

const SPREE_AMOUNT = 30;
const FIRST_AMOUNT = 1_000;
const GIVE_UP_MS = 120_000;
const TOKEN_MS = 300_000;

export function startMixedLoad({ bases, tills, random: choices, workers = 12 }: MixedLoadOptions): Load {
  // Its callers draw in the order in which they are answered. The fault has numbers of its own, so that a seed repeats them.
  const random = createRandom(choices.below(2 ** 32));
  const client = createClient();
  const tokens = createAccessTokens([SECRET]);
  const issued = new Map<number, { token: string; at: number }>();
  const calls: Call[] = [];
  const stopping = new AbortController();
  const noted = createNotes();
  // The last third of each shop's members only spend what they have just earned. One worker at a time holds each.
  const spenders = tills.flatMap((till) => spendersOf(till));
  let amounts = FIRST_AMOUNT;
  let keys = 0;
  let nextLimited = 0;
  const running = Promise.all(Array.from({ length: workers }, (_, i) => work(i)));

  return {
    calls,
    async stop() {
      stopping.abort();
      await running;
      client.close();
    },
    check: (db) => noted.check(db, tills),
  };

  async function work(worker: number): Promise<void> {
    while (!stopping.signal.aborted) {
      const till = random.pick(tills);
      const turn = random.next();
      if (turn < 0.5) await buyOnce(worker, till);
      else if (turn < 0.85) await buyWithKey(worker, till);
      else if (turn < 0.9) await returnPurchase(worker);
      else if (turn < 0.95) await raceForLimited(worker, till);
      else await spree(worker);
    }
  }

  /** Sent once. Without an answer nobody knows whether it counts. */
  async function buyOnce(worker: number, till: Till): Promise<void> {
    const amount = ++amounts;
    const body = { client_code: random.pick(buyersOf(till)), amount };
    const { status, body: text } = await send(
      worker,
      till,
      '/v1/consumptions/client-code',
      byKey(till),
      body,
    );
    if (status === 201) noted.purchases.add(amount);
    else if (status === 503 && !/may have taken effect|not known/.test(text)) noted.refused.add(amount);
    else noted.unknown.add(amount);
    if (status === 400) noted.wrong(`a valid purchase was refused: ${text}`);
    if (status !== 201) await sleep(20);
  }

  async function buyWithKey(worker: number, till: Till): Promise<void> {
    const amount = ++amounts;
    const body = { client_code: random.pick(buyersOf(till)), amount };
    const answer = await settle(worker, till, '/v1/consumptions/client-code', byKey(till), body);
    if (answer === null) return noted.wrong('a valid purchase with a key was refused');
    noted.purchases.add(amount);
    noted.returnable.push({ till, id: String(answer.headers['x-consumption-id']) });
  }

  async function returnPurchase(worker: number): Promise<void> {
    const purchase = noted.returnable.shift();
    if (purchase === undefined) return;
    const path = `/v1/consumptions/${purchase.id}/reversal`;
    const answer = await settle(worker, purchase.till, path, byKey(purchase.till), {});
    if (answer === null) noted.wrong('a valid return was refused');
    else noted.returned += 1;
  }

  /** More callers than the limit allows, each with a key of its own. */
  async function raceForLimited(worker: number, till: Till): Promise<void> {
    const benefit = LIMITED.idOf(nextLimited++ % LIMITED.count);
    const buyers = Array.from({ length: 4 }, () => random.below(buyersOf(till).length));
    await Promise.all(buyers.map((i) => exchange(worker, till, till.sessions[i]!, benefit)));
  }

  /** Earns points for three benefits, tries to buy five, and burns each code at two registers at once. */
  async function spree(worker: number): Promise<void> {
    const spender = spenders.pop();
    if (spender === undefined) return;
    const { till, code, session } = spender;
    const body = { client_code: code, amount: SPREE_AMOUNT };
    const earned = await settle(worker, till, '/v1/consumptions/client-code', byKey(till), body);
    if (earned === null) noted.wrong('a valid purchase with a key was refused');
    else {
      spender.points += SPREE_AMOUNT;
      noted.sprees += 1;
      const tries = Array.from({ length: 5 }, () => exchange(worker, till, session, CHEAP.id));
      const codes = (await Promise.all(tries)).filter((bought) => bought !== null);
      spender.points -= codes.length * CHEAP.cost;
      if (spender.points !== 0)
        noted.wrong(`a member with points for ${SPREE_AMOUNT / CHEAP.cost} bought ${codes.length}`);
      await Promise.all(codes.map((bought) => burnTwice(worker, till, bought)));
    }
    spenders.unshift(spender);
  }

  async function exchange(
    worker: number,
    till: Till,
    session: Session,
    benefit: string,
  ): Promise<number | null> {
    const credential = {
      authorization: `Bearer ${await tokenOf(session)}`,
      'x-commerce-id': String(till.commerceId),
    };
    const answer = await settle(worker, till, '/v1/me/benefits/exchange', credential, {
      benefit_id: benefit,
    });
    if (answer === null) return null;
    const { client_benefit_code: code } = JSON.parse(answer.body) as { client_benefit_code: number | string };
    noted.vouchers.add(Number(code));
    return Number(code);
  }

  async function burnTwice(worker: number, till: Till, code: number): Promise<void> {
    const body = { client_benefit_code: code };
    const burned = await Promise.all(
      [1, 2].map(() => settle(worker, till, '/v1/benefits/redeem', byKey(till), body)),
    );
    const count = burned.filter((answer) => answer !== null).length;
    if (count > 0) noted.burned.add(code);
    if (count > 1) noted.wrong(`the code ${code} was burned at two registers`);
    if (count === 0) noted.wrong(`the code ${code} could not be burned`);
  }

  /** Repeats a call with its key until it has an answer. Returns null for a refusal, which has no effect. */
  async function settle(
    worker: number,
    till: Till,
    path: string,
    credential: Readonly<Record<string, string>>,
    body: object,
  ): Promise<Answer | null> {
    const key = `faults-${++keys}`;
    const until = performance.now() + GIVE_UP_MS;
    for (let attempt = 0; ; attempt++) {
      const answer = await send(
        worker + attempt,
        till,
        path,
        { ...credential, 'idempotency-key': key },
        body,
      );
      if (answer.status === 200 || answer.status === 201) {
        if (answer.headers['idempotency-replayed'] === 'true') noted.settled += 1;
        return answer;
      }
      if (answer.status === 400) return null;
      if (performance.now() > until) {
        noted.wrong(`${path} had no answer within ${GIVE_UP_MS / 1_000} s: ${answer.status} ${answer.body}`);
        return null;
      }
      await sleep(20 + 20 * Math.min(attempt, 10));
    }
  }

  async function send(
    worker: number,
    till: Till,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: object,
  ): Promise<Answer> {
    const base = bases[worker % bases.length]!;
    const startedAt = performance.now();
    const answer = await client.send('POST', base + path, headers, body);
    const ms = performance.now() - startedAt;
    calls.push({ startedAt, ms, status: answer.status, base, commerceId: till.commerceId });
    return answer;
  }

  async function tokenOf(session: Session): Promise<string> {
    const last = issued.get(session.sessionId);
    if (last !== undefined && performance.now() - last.at < TOKEN_MS) return last.token;
    const token = await tokens.issue(session, new Date());
    issued.set(session.sessionId, { token, at: performance.now() });
    return token;
  }
}

function byKey({ key }: Till): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function buyersOf({ codes }: Till): readonly number[] {
  return codes.slice(0, Math.ceil((codes.length * 2) / 3));
}

function spendersOf(till: Till): Spender[] {
  return till.codes
    .map((code, i) => ({ till, code, session: till.sessions[i]!, points: 0 }))
    .slice(buyersOf(till).length);
}

/** The callers' knowledge: the other side of the books. */
function createNotes() {
  const purchases = new Set<number>();
  const unknown = new Set<number>();
  const refused = new Set<number>();
  const vouchers = new Set<number>();
  const burned = new Set<number>();
  const wrong: string[] = [];
  const notes = {
    purchases,
    /** Amounts of purchases without an answer. */
    unknown,
    /** Amounts of purchases whose callers were told that nothing was stored. */
    refused,
    vouchers,
    burned,
    returnable: [] as { till: Till; id: string }[],
    returned: 0,
    sprees: 0,
    /** Repeated calls whose first attempt had taken effect. */
    settled: 0,
    wrong: (sentence: string) => void wrong.push(sentence),
    check,
  };
  return notes;

  async function check(db: Database, tills: readonly Till[]): Promise<Books> {
    const shops = tills.map(({ commerceId }) => commerceId);
    const { rows: bought } = await sql<{ amount: number; count: number }>`
      select amount, count(*)::int as count from movements
       where commerce_id = any(${shops}::bigint[]) and type = 'purchase'
       group by amount`.execute(db);
    const { rows: issued } = await sql<{ code: number; usedAt: Date | null }>`
      select code, used_at as "usedAt" from vouchers
       where commerce_id = any(${shops}::bigint[]) and source = 'exchange'`.execute(db);
    const { rows: returns } = await sql<{ count: number; purchases: number }>`
      select count(*)::int as count, count(distinct reverses_id)::int as purchases from movements
       where commerce_id = any(${shops}::bigint[]) and type = 'reversal'`.execute(db);
    const stored = new Map(bought.map(({ amount, count }) => [amount, count]));
    const sprees = stored.get(SPREE_AMOUNT) ?? 0;
    stored.delete(SPREE_AMOUNT);
    const used = new Map(issued.map(({ code, usedAt }) => [code, usedAt !== null]));
    const returned = returns[0]!;
    return {
      acknowledged: purchases.size + notes.sprees + vouchers.size + burned.size + notes.returned,
      lost:
        countMissing(purchases, (amount) => stored.has(amount)) +
        countMissing(vouchers, (code) => used.has(code)) +
        countMissing(burned, (code) => used.get(code) === true) +
        Math.max(0, notes.sprees - sprees) +
        Math.max(0, notes.returned - returned.purchases),
      doubled:
        [...stored.values()].filter((count) => count > 1).length +
        countMissing(new Set(used.keys()), (code) => vouchers.has(code)) +
        Math.max(0, sprees - notes.sprees) +
        Math.max(0, returned.count - notes.returned),
      refusedButStored: refused.size - countMissing(refused, (amount) => stored.has(amount)),
      differences: (await verifyLedger(db)).differences.length,
      unknown: unknown.size,
      settled: notes.settled,
      ...(await countScarce(db)),
      wrong,
    };
  }
}

function countMissing(set: ReadonlySet<number>, has: (value: number) => boolean): number {
  let missing = 0;
  for (const value of set) if (!has(value)) missing += 1;
  return missing;
}
