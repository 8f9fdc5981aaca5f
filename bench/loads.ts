import type { Cast } from './cast.ts';
import { codeOf, shopOf } from './load-members.ts';
import { pace, purchaseText } from './paced.ts';
import { AMOUNT, balanceScript, exchangeScript, purchaseScript } from './pgbench-scripts.ts';
import type { Script } from './pgbench.ts';
import * as lua from './scripts.ts';
import type { SignedIn } from './scripts.ts';
import { cursorsInto, membersOf, signIn } from './sign-in.ts';
import type { Site } from './sites.ts';

export type Counted = 'purchases' | 'exchanges' | null;

/** What wrk asks of the service, and what it must have left in the books. */
export interface HttpLoad {
  readonly name: string;
  readonly connections: number;
  readonly script: string;
  readonly counted: Counted;
}

/** The same transactions one at a time, straight to PostgreSQL. */
export interface Baselines {
  readonly 'pgbench purchase': Script;
  readonly 'pgbench hot member': Script;
  readonly 'pgbench balance': Script;
  readonly 'pgbench exchange': Script;
}

export async function baselinesOf({ url, loaded }: Site, { hot, buyers }: Cast): Promise<Baselines> {
  return {
    'pgbench purchase': await purchaseScript(url, loaded),
    'pgbench hot member': await purchaseScript(url, loaded, { first: hot, step: 1, count: 1 }),
    'pgbench balance': await balanceScript(url, loaded),
    'pgbench exchange': await exchangeScript(url, loaded, buyers),
  };
}

/** The loads of one round: tokens are good for a quarter of an hour, and keys and vouchers for once. */
export async function loadsOf(site: Site, cast: Cast, round: number, rounds: number): Promise<HttpLoad[]> {
  const { db, loaded, secret } = site;
  const buyers = await signIn(db, loaded, secret, membersOf(cast.buyers));
  const [short, long] = await signInBoth(site, cast);
  const cursors = await cursorsInto(db, secret, long, 64);
  const load = (name: string, connections: number, script: string, counted: Counted = null) => ({
    name,
    connections,
    script,
    counted,
  });
  return [
    load('purchase, 32 connections', 32, lua.purchases(loaded), 'purchases'),
    load('purchase, 64 connections', 64, lua.purchases(loaded), 'purchases'),
    load('hot member', 64, lua.purchasesOf(loaded, cast.hot), 'purchases'),
    load('balance', 64, lua.balances(loaded)),
    load('activity of a short past', 16, lua.activity(short)),
    load('activity of a long past', 16, lua.activity(long)),
    load('activity at any depth', 16, lua.activity(long, cursors)),
    load('exchange', 32, lua.exchanges(buyers, `e${round}`), 'exchanges'),
    load('exchange, 64 connections', 64, lua.exchanges(buyers, `x${round}`), 'exchanges'),
    load('mix', 64, lua.mix(loaded, buyers, `m${round}`, vouchersOf(site, round, rounds))),
  ];
}

/** Pages of the largest commerce's clients. */
export function listLoadsOf({ loaded }: Site): HttpLoad[] {
  const shop = loaded.shops[0]!;
  const at = (place: string, offset: number) => ({
    name: `list at ${place}`,
    connections: 16,
    script: lua.list(shop, offset),
    counted: null,
  });
  return [at('0', 0), at('half', Math.floor(shop.members / 2)), at('the end', shop.members - 20)];
}

/** 49 commerces send one purchase a second each; gives how long each took, in milliseconds. */
export function smallCommerces({ loaded, service }: Site, seconds: number): Promise<number[]> {
  const small = loaded.shops.slice(1);
  let turn = 0;
  return pace({
    port: service.port,
    connections: small.length,
    perSecond: small.length,
    seconds,
    request: () => {
      const { firstMember, members, key } = small[turn++ % small.length]!;
      return purchaseText(key, codeOf(firstMember + Math.floor(Math.random() * members)), AMOUNT);
    },
  });
}

/** Purchases of members by chance at a fixed rate. */
export function pacedPurchases({ loaded, service }: Site, perSecond: number, seconds: number) {
  return pace({
    port: service.port,
    connections: 64,
    perSecond,
    seconds,
    request: () => {
      const member = 1 + Math.floor(Math.random() * loaded.members);
      return purchaseText(shopOf(loaded, member).key, codeOf(member), AMOUNT);
    },
  });
}

async function signInBoth(site: Site, { short, long }: Cast): Promise<[SignedIn, SignedIn]> {
  const both = await signIn(site.db, site.loaded, site.secret, [short, long]);
  const of = (member: number) => both.find((one) => one.member === member)!;
  return [of(short), of(long)];
}

/** Every tenth member was loaded with a voucher; each round redeems its own part of them. */
function vouchersOf({ loaded }: Site, round: number, rounds: number) {
  const all = Math.floor(loaded.members / 10);
  const part = Math.floor(all / rounds);
  return Array.from({ length: part }, (_, i) => {
    const member = 10 * (round * part + i + 1);
    return { commerceId: shopOf(loaded, member).commerceId, code: 10_000_000_000_000 + member };
  });
}
