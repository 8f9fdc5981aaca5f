/** Many callers at two services want what only some of them can have. */
import { sql, type Database } from '../../server/src/platform/db/database.ts';
import { concludeFault, type Outcome } from './fault.ts';
import { createClient, type Answer } from './http-client.ts';
import { startMixedLoad } from './mixed-load.ts';
import type { Random } from '../../server/test/create-random.ts';
import { createAccessTokens } from '../../server/src/access/sign-in/access-token.ts';
import { CHEAP, LIMITED, makeWorld, SECRET, type Till, type World } from './world.ts';

interface Race {
  readonly till: Till;
  /** Sends a call of a shop, or of the member of this place, to one of the services. */
  readonly send: (path: string, body: object, options?: { key?: string; member?: number }) => Promise<Answer>;
}

/** A balance for ten benefits, and 50 exchanges at once. */
export function raceForBalance(serverUrl: string, rounds: number, random: Random): Promise<Outcome> {
  return raceFor('a balance', serverUrl, rounds, random, async ({ till, send }, round) => {
    const member = round % till.codes.length;
    await send('/v1/consumptions/client-code', { client_code: till.codes[member], amount: 10 * CHEAP.cost });
    const answers = await together(50, () => send(EXCHANGE, { benefit_id: CHEAP.id }, { member }));
    return expectCounts(answers, { 200: 10, 400: 40 });
  });
}

/** A benefit that is sold seven times, and 60 exchanges of 60 members at once. */
export function raceForLimit(serverUrl: string, rounds: number, random: Random): Promise<Outcome> {
  return raceFor('a limited benefit', serverUrl, rounds, random, async ({ till, send }, round) => {
    if (round === 0)
      await Promise.all(
        till.codes.map((code) =>
          send('/v1/consumptions/client-code', { client_code: code, amount: 100_000 }),
        ),
      );
    const body = { benefit_id: LIMITED.idOf(round % LIMITED.count) };
    const answers = await together(60, (member) => send(EXCHANGE, body, { member }));
    return expectCounts(answers, { 200: LIMITED.limit, 400: 60 - LIMITED.limit });
  });
}

/** One code, and 20 registers that burn it at once. */
export function raceForCode(serverUrl: string, rounds: number, random: Random): Promise<Outcome> {
  return raceFor('a code', serverUrl, rounds, random, async ({ till, send }, round) => {
    const member = round % till.codes.length;
    await send('/v1/consumptions/client-code', { client_code: till.codes[member], amount: CHEAP.cost });
    const bought = await send(EXCHANGE, { benefit_id: CHEAP.id }, { member });
    const body = { client_benefit_code: Number((JSON.parse(bought.body) as Bought).client_benefit_code) };
    return expectCounts(await together(20, () => send('/v1/benefits/redeem', body)), { 200: 1, 400: 19 });
  });
}

/** One key, sent 20 times at once and five times later. Every answer is the first one, and one purchase is stored. */
export function raceForKey(serverUrl: string, rounds: number, random: Random): Promise<Outcome> {
  const race: RaceOf = async ({ till, send }, round) => {
    const body = { client_code: till.codes[round % till.codes.length], amount: 5 };
    const buy = () => send('/v1/consumptions/client-code', body, { key: `race-${round}` });
    const answers = await together(20, buy);
    for (let late = 0; late < 5; late++) answers.push(await buy());
    const ids = new Set(answers.map(({ headers }) => headers['x-consumption-id']));
    const bodies = new Set(answers.map((answer) => answer.body));
    const first = answers.filter(({ headers }) => headers['idempotency-replayed'] === undefined).length;
    return (
      expectCounts(answers, { 201: 25 }) ??
      (ids.size === 1 && bodies.size === 1 ? null : 'the answers to one key differ') ??
      (first === 1 ? null : `${first} answers say that they are the first`)
    );
  };
  return raceFor('a key', serverUrl, rounds, random, race, async (db, { commerceId }) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from movements where commerce_id = ${commerceId} and type = 'purchase'`.execute(
      db,
    );
    return rows[0]!.count === rounds ? null : `${rows[0]!.count} purchases are stored for ${rounds} keys`;
  });
}

type RaceOf = (race: Race, round: number) => Promise<string | null>;

interface Bought {
  readonly client_benefit_code: number | string;
}

const EXCHANGE = '/v1/me/benefits/exchange';

async function raceFor(
  what: string,
  serverUrl: string,
  rounds: number,
  random: Random,
  race: RaceOf,
  checkStored: (db: Database, till: Till) => Promise<string | null> = async () => null,
): Promise<Outcome> {
  const world = await makeWorld(serverUrl, { members: 60 });
  const client = createClient();
  try {
    const bases = [(await world.startService()).base, (await world.startService()).base];
    const [till] = world.tills as [World['tills'][0]];
    const tokens = createAccessTokens([SECRET]);
    let calls = 0;
    const send: Race['send'] = async (path, body, { key, member } = {}) => {
      const credential =
        member === undefined ? till.key : await tokens.issue(till.sessions[member]!, new Date());
      return client.send(
        'POST',
        bases[++calls % 2]! + path,
        {
          authorization: `Bearer ${credential}`,
          ...(member !== undefined && { 'x-commerce-id': String(till.commerceId) }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        body,
      );
    };
    const failed: (string | null)[] = [];
    for (let round = 0; round < rounds; round++) failed.push(await race({ till, send }, round));
    failed.push(await checkStored(world.db, till));
    // The other shop's customers are its load, so that the books of both are compared.
    const load = world.attach(startMixedLoad({ bases, tills: world.tills.slice(1), random, workers: 2 }));
    return await concludeFault(
      `a race for ${what}`,
      load,
      world.db,
      [],
      { statuses: [200, 201, 400] },
      failed,
      {
        figures: { 'calls in races': calls },
      },
    );
  } finally {
    client.close();
    await world.remove();
  }
}

function together(count: number, send: (i: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => send(i)));
}

/** Returns what is wrong with the statuses of a race, or null. */
function expectCounts(answers: readonly Answer[], expected: Readonly<Record<number, number>>): string | null {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return JSON.stringify(counts) === JSON.stringify(expected)
    ? null
    : `${JSON.stringify(counts)} instead of ${JSON.stringify(expected)}`;
}
