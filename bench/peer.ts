/**
 * `npm run peer -w bench -- folder [members rounds seconds]`: W10 alone. Points added, balances read and points spent a
 * second by the service and by the peer that is installed in `folder`, one after the other in every round, each on a
 * database of its own on one PostgreSQL.
 */
import { verifyLedger } from '../server/src/ledger/verify-ledger.ts';
import { withServer } from './database.ts';
import type { HttpLoad } from './loads.ts';
import { describeMachine } from './machine.ts';
import { measureHttp, type Measured, type Watched } from './measure.ts';
import { measurePeer, peerRows, SAME_WORK } from './peer-loads.ts';
import { withPeer, type Peer } from './peer-site.ts';
import type { Members } from './pgbench-scripts.ts';
import { processorOf } from './processor.ts';
import * as lua from './scripts.ts';
import { makeRich, membersOf, signIn, spread } from './sign-in.ts';
import { usual, withSites, type Site } from './sites.ts';
import { writeResults } from './write-results.ts';

const [folder, ...shape] = process.argv.slice(2);
const [members = 20_000, rounds = 3, seconds = 3] = shape.map(Number);
if (folder === undefined) throw new Error('say where the peer is installed: see bench/peer/README.md');

await withServer((serverUrl) =>
  withSites(serverUrl, [usual(members)], async ([site]) => {
    const buyers = spread(site!.loaded, 2_000);
    await makeRich(site!.url, site!.loaded, membersOf(buyers));
    await withPeer(serverUrl, folder, { customers: members, buyers }, (peer) => compare(site!, peer, buyers));
  }),
);

async function compare(site: Site, peer: Peer, buyers: Members): Promise<void> {
  const watched = { db: site.db, processorSeconds: await processorOf(site.db) };
  await runRound(watched, site, peer, await ourLoads(site, buyers, 0));
  const measured = [];
  for (let round = 1; round <= rounds; round++)
    measured.push({ loads: await runRound(watched, site, peer, await ourLoads(site, buyers, round)) });
  const [difference] = (await verifyLedger(site.db)).differences;
  if (difference !== undefined) throw new Error(`the books do not agree: ${JSON.stringify(difference)}`);

  const rows = peerRows(measured);
  console.log(peer.name);
  console.table(rows.map(({ id, work, value, spread, reached }) => ({ id, work, value, spread, reached })));
  const machine = await describeMachine(site.db);
  await writeResults('peer', { machine, peer: peer.name, members, seconds, rows, measured });
}

/** The service and the peer at the same work, right after each other. */
async function runRound(watched: Watched, site: Site, peer: Peer, ours: readonly HttpLoad[]) {
  const loads: Record<string, Measured> = {};
  for (const { ours: name, peers } of SAME_WORK) {
    const load = ours.find((one) => one.name === name)!;
    loads[name] = await measureHttp(watched, site.service, load, seconds);
    loads[peers] ??= await measurePeer(watched, peer, peers, seconds);
  }
  return loads;
}

/** Tokens are good for a quarter of an hour, and keys for once. */
async function ourLoads({ db, loaded, secret }: Site, buyers: Members, round: number): Promise<HttpLoad[]> {
  const signedIn = await signIn(db, loaded, secret, membersOf(buyers));
  return [
    {
      name: 'purchase, 64 connections',
      connections: 64,
      script: lua.purchases(loaded),
      counted: 'purchases',
    },
    { name: 'balance', connections: 64, script: lua.balances(loaded), counted: null },
    { name: 'exchange', connections: 32, script: lua.exchanges(signedIn, `e${round}`), counted: 'exchanges' },
    {
      name: 'exchange, 64 connections',
      connections: 64,
      script: lua.exchanges(signedIn, `x${round}`),
      counted: 'exchanges',
    },
  ];
}
