import { buyersOf, CAST, cursorsInto, membersOf, signIn } from './cast.ts';
import { shopOf } from './load-members.ts';
import * as lua from './lua.ts';
import type { Site } from './sites.ts';

/** A load that wrk puts on the service. */
export interface HttpLoad {
  readonly name: string;
  readonly connections: number;
  readonly script: string;
  /** The count that each answer must raise by one; absent for loads that only read, and for the mix. */
  readonly counted?: 'purchases' | 'exchanges';
  /** Whether answers other than 2xx are expected. */
  readonly mayRefuse?: boolean;
}

/** The loads of one round. Tokens expire after 15 minutes, and keys and vouchers are used once. */
export async function loadsOf(site: Site, round: number, rounds: number): Promise<HttpLoad[]> {
  const { db, loaded, secret } = site;
  const buyers = await signIn(site, membersOf(buyersOf(loaded.members)));
  const [short] = await signIn(site, [CAST.short]);
  const [long] = await signIn(site, [CAST.long]);
  const cursors = await cursorsInto(db, secret, long!, 64);
  const vouchers = vouchersOf(site, round, rounds);
  return [
    purchases('purchase, 32 connections', 32, lua.purchases(loaded)),
    purchases('purchase, 64 connections', 64, lua.purchases(loaded)),
    purchases('purchase, one hot member', 64, lua.purchases(loaded, CAST.hot, CAST.hot)),
    reads('balance', 64, lua.balances(loaded)),
    reads('activity, short history', 16, lua.activity(short!)),
    reads('activity, long history', 16, lua.activity(long!)),
    reads('activity, any depth', 16, lua.activity(long!, cursors)),
    exchanges('exchange, 32 connections', 32, lua.exchanges(buyers, `e${round}`)),
    exchanges('exchange, 64 connections', 64, lua.exchanges(buyers, `x${round}`)),
    reads('mix', 64, lua.mix(loaded, buyers, `m${round}`, vouchers)),
  ];
}

/** More purchases at once than a batch or two can take. */
export function crowdOf({ loaded }: Site): HttpLoad {
  const crowd = purchases('purchase, 1,024 connections', 1_024, lua.purchasesIfNotBusy(loaded));
  return { ...crowd, mayRefuse: true };
}

/** Pages of the largest commerce's client list. */
export function listLoadsOf({ loaded }: Site): HttpLoad[] {
  const shop = loaded.shops[0]!;
  return [
    reads('list, first page', 16, lua.list(shop, 0)),
    reads('list, middle page', 16, lua.list(shop, Math.floor(shop.members / 2))),
    reads('list, last page', 16, lua.list(shop, shop.members - 20)),
  ];
}

/** The calls of W12 at the thin service (`thin-service.ts`), which has tables of its own. */
export function thinLoadsOf(members: number): HttpLoad[] {
  const everybody = membersOf({ first: 1, step: 1, count: members });
  return [
    reads('thin service, purchase', 64, lua.thin.purchase(everybody)),
    reads('thin service, balance', 64, lua.thin.balance(everybody)),
    reads('thin service, exchange', 64, lua.thin.exchange(membersOf(buyersOf(members)))),
  ];
}

/** Loads whose cost must not grow with the number of members. */
export async function growthLoadsOf(site: Site): Promise<HttpLoad[]> {
  const { loaded } = site;
  const shop = loaded.shops[0]!;
  const [reader] = await signIn(site, [CAST.reader]);
  return [
    purchases('purchase', 32, lua.purchases(loaded)),
    reads('balance', 64, lua.balances(loaded)),
    reads('list, last page', 16, lua.list(shop, shop.members - 20)),
    reads('activity, first page', 16, lua.activity(reader!)),
  ];
}

function purchases(name: string, connections: number, script: string): HttpLoad {
  return { name, connections, script, counted: 'purchases' };
}

function exchanges(name: string, connections: number, script: string): HttpLoad {
  return { name, connections, script, counted: 'exchanges' };
}

function reads(name: string, connections: number, script: string): HttpLoad {
  return { name, connections, script };
}

/** Every tenth member has a voucher. Each round redeems its own share of them. */
function vouchersOf({ loaded }: Site, round: number, rounds: number) {
  const share = Math.floor(loaded.members / 10 / rounds);
  return Array.from({ length: share }, (_, i) => {
    const member = 10 * (round * share + i + 1);
    return { commerceId: shopOf(loaded, member).commerceId, code: 10_000_000_000_000 + member };
  });
}
