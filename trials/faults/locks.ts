/** Rows are locked by somebody who does not let go: a person at a console, or a process that is frozen. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql, transaction } from '../../server/src/platform/db/database.ts';
import {
  addOutcome,
  concludeFault,
  sleepUntilAcknowledged,
  waitForAcknowledgements,
  type Outcome,
} from './fault.ts';
import { startLoad, type Load } from './journalled-load.ts';
import { makeWorld, sentenceIfEnded } from './world.ts';

/** Somebody locks one member's row. The calls of all other members should go on. */
export async function lockedMember(serverUrl: string, lockedMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const outsider = openDatabase({
    url: world.url.href,
    poolSize: 1,
    preparedStatements: false,
    statementTimeoutMs: 0,
  });
  try {
    const service = await world.startService();
    const [{ commerceId, memberIds }] = world.tills as [(typeof world.tills)[0]];
    const [first, ...others] = world.tills as [(typeof world.tills)[0]];
    const withoutFirst = { ...first, codes: first.codes.slice(1), memberIds: first.memberIds.slice(1) };
    const load = world.attach(startLoad({ bases: [service.base], tills: [withoutFirst, ...others] }));
    // The callers of the locked member wait, and are nobody else's callers.
    const alone = { ...first, codes: first.codes.slice(0, 1), memberIds: first.memberIds.slice(0, 1) };
    const blocked = world.attach(
      startLoad({ bases: [service.base], tills: [alone], workers: 8, firstAmount: 1_000_000 }),
    );
    await waitForAcknowledgements(load, 200);
    const before = await countDuring(load, 2_000);
    const during = await transaction(outsider, async (tx) => {
      await sql`
        select from members where commerce_id = ${commerceId} and id = ${memberIds[0]} for update`.execute(
        tx,
      );
      return countDuring(load, lockedMs);
    });
    const endedAt = performance.now();
    await sleep(1_000);
    await Promise.all([load.stop(), blocked.stop()]);
    const outcome = await concludeFault('one member locked by an outsider', load, world.db, endedAt, {}, [
      during > before / 2
        ? null
        : `${Math.round(during)} acknowledgements a second while the member was locked, ${Math.round(before)} before`,
    ]);
    return addOutcome(
      outcome,
      await concludeFault('callers of the locked member', blocked, world.db, endedAt, {}),
    );
  } finally {
    await outsider.destroy();
    await world.remove();
  }
}

/** One of two processes is frozen in the middle of its transactions. The other should recover within two seconds. */
export async function frozenProcess(serverUrl: string, frozenMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  try {
    const [frozen, healthy] = [await world.startService(), await world.startService()];
    const load = world.attach(startLoad({ bases: [frozen.base], tills: world.tills }));
    const peer = world.attach(
      startLoad({ bases: [healthy.base], tills: world.tills, firstAmount: 1_000_000 }),
    );
    await waitForAcknowledgements(load, 100);
    await waitForAcknowledgements(peer, 100);
    frozen.child.kill('SIGSTOP');
    const frozenAt = performance.now();
    await sleepUntilAcknowledged(peer, frozenAt + 2_000);
    await sleep(Math.max(0, frozenMs - (performance.now() - frozenAt)));
    frozen.child.kill('SIGCONT');
    const thawedAt = performance.now();
    await sleepUntilAcknowledged(load, thawedAt);
    await Promise.all([load.stop(), peer.stop()]);
    // From two seconds on, the healthy process must acknowledge without a pause.
    const outcome = await concludeFault(
      'a peer frozen in its transactions',
      peer,
      world.db,
      frozenAt + 2_000,
      { firstAcknowledgedMs: 500 },
      [frozen, healthy].map(sentenceIfEnded),
    );
    // PostgreSQL has ended its transactions meanwhile. It must not acknowledge what is not stored.
    const thawed = await concludeFault('callers of the frozen process', load, world.db, thawedAt, {
      longestMs: thawedAt - frozenAt + 5_000,
      // A call of which only a part had arrived before it froze is too slow when it thaws.
      statuses: [201, 408, 503],
    });
    return addOutcome(outcome, thawed);
  } finally {
    await world.remove();
  }
}

async function countDuring({ calls }: Load, ms: number): Promise<number> {
  const from = calls.length;
  await sleep(ms);
  return (calls.slice(from).filter(({ status }) => status === 201).length * 1_000) / ms;
}
