import type { HttpLoad } from './loads.ts';
import { measureHttp, type Measured, type Watched } from './measure.ts';
import { AMOUNT } from './pgbench-scripts.ts';
import { ACCOUNT, type Peer } from './peer-site.ts';
import { rowOf, type Round, type Row } from './rows.ts';

/** The same work on both sides, by the names of the loads. */
export const SAME_WORK = [
  { work: 'points added, 64 connections', ours: 'purchase, 64 connections', peers: 'Medusa, credit' },
  { work: 'balance read, 64 connections', ours: 'balance', peers: 'Medusa, balance' },
  { work: 'points spent, 32 connections', ours: 'exchange', peers: 'Medusa, debit' },
  { work: 'points spent, 64 connections', ours: 'exchange, 64 connections', peers: 'Medusa, debit' },
] as const;

type Name = (typeof SAME_WORK)[number]['peers'];

const CONNECTIONS = [16, 32, 64];

/** One load of the peer at 16, 32 and 64 connections; gives the one with the most answers a second. */
export async function measurePeer(
  watched: Watched,
  peer: Peer,
  name: Name,
  seconds: number,
): Promise<Measured> {
  const script = scriptsOf(peer)[name];
  let best: Measured | null = null;
  for (const connections of CONNECTIONS) {
    const load: HttpLoad = { name, connections, script, counted: null };
    const measured = await measureHttp(watched, peer.service, load, seconds);
    if (best === null || measured.perSecond > best.perSecond) best = measured;
  }
  return best!;
}

/** W10: our rate divided by the peer's of the same round. */
export function peerRows(rounds: readonly Pick<Round, 'loads'>[]): Row[] {
  return SAME_WORK.map(({ work, ours, peers }) =>
    rowOf(
      { id: 'W10', work, dividedBy: peers, better: 'more', target: 20 },
      rounds.map(({ loads }) => loads[ours]!.perSecond / loads[peers]!.perSecond),
    ),
  );
}

/** It is asked for the balance alone: its usual answer reads the customer too. */
function scriptsOf({ token, customers, buyers }: Peer): Record<Name, string> {
  const anybody = `math.random(${customers})`;
  const buyer = `(${buyers.first} + ${buyers.step} * math.random(0, ${buyers.count - 1}))`;
  const asking = (method: string, customer: string, action: string, body = 'nil') => `
    math.randomseed(os.time())
    local headers = { ['authorization'] = 'Bearer ${token}', ['content-type'] = 'application/json' }
    function request()
      local path = '/admin/store-credit-accounts/${ACCOUNT}' .. ${customer} .. '${action}?fields=id,balance'
      return wrk.format('${method}', path, headers, ${body})
    end`;
  return {
    'Medusa, credit': asking('POST', anybody, '/credit', `'{"amount":${AMOUNT / 2}}'`),
    'Medusa, balance': asking('GET', anybody, ''),
    'Medusa, debit': asking('POST', buyer, '/debit', `'{"amount":100}'`),
  };
}
