/** The database refuses connections, the process has no files left, or the database cannot be written to. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import { becomesReady, concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { listPurchases, startLoad } from './journalled-load.ts';
import { runBehindProxy } from './silence.ts';
import { LIMIT, makeWorld, type Service } from './world.ts';

/** An outage is told in two lines, whatever the number of calls that it refuses. */
export function outageIsLoggedOnce(serverUrl: string, outageMs: number): Promise<Outcome> {
  return runBehindProxy(serverUrl, 'database refuses connections', async (proxy, service, till) => {
    const linesBefore = service.log.length;
    proxy.refuse();
    // The calls of the load may all wait to learn what became of their commits, and then nothing is refused.
    const { status } = await listPurchases(service.base, till);
    await sleep(outageMs);
    proxy.answerAgain();
    const isOver = await hasLogged(service, /available again/, 5_000);
    const lines = service.log.slice(linesBefore);
    const last = JSON.parse(lines.at(-1) ?? '{}') as { refusedCalls?: number };
    return [
      isOver ? null : 'the end of the outage was not logged',
      lines.length === 2 ? null : `${lines.length} lines were logged: ${lines.slice(0, 5).join(' ')}`,
      status === 503 ? null : `a read was answered ${status}`,
      (last.refusedCalls ?? 0) > 0 ? null : 'the log does not say how many calls the outage cost',
    ];
  });
}

const LONGEST_WAIT_MS = 20_000;

/** More clients than the process may have open files. */
export async function fewOpenFiles(serverUrl: string, loadMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  try {
    const service = await world.startService({ [LIMIT]: '64', DATABASE_POOL_SIZE: '40' });
    const workers = 80;
    // The clients have the files before the pool of connections has grown: with fewer clients, all might be served.
    await Promise.all(
      Array.from({ length: workers }, async () => {
        const answer = await fetch(`${service.base}/healthz`).catch(() => null);
        await answer?.body?.cancel();
      }),
    );
    const load = world.attach(
      startLoad({ bases: [service.base], tills: world.tills, workers, alsoReads: true }),
    );
    const isRefused = () => load.calls.some(({ status }) => status === 503);
    const until = performance.now() + LONGEST_WAIT_MS;
    await sleep(loadMs);
    while (!isRefused() && performance.now() < until) await sleep(50);
    const endedAt = performance.now();
    await sleep(1_000);
    return await concludeFault(
      '80 clients at `ulimit -n 64`',
      load,
      world.db,
      endedAt,
      {
        longestMs: 31_000,
        // 0 is a connection that was never accepted.
        statuses: [0, 200, 201, 503],
      },
      [
        service.log.some((line) => line.includes('ulimit -n'))
          ? null
          : 'the low limit was not told at the start',
        isRefused() ? null : 'no call needed a file that was not there',
      ],
    );
  } finally {
    await world.remove();
  }
}

/** The database turns read-only, as a standby or during a failover. */
export async function readOnlyDatabase(serverUrl: string, readOnlyMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const admin = openDatabase({ url: serverUrl, poolSize: 1, preparedStatements: false });
  const name = world.url.pathname.slice(1);
  const setReadOnly = async (value: 'on' | 'off') => {
    await sql`alter database ${sql.id(name)} set default_transaction_read_only = ${sql.raw(value)}`.execute(
      admin,
    );
    if (value === 'on')
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = ${name} and pid <> pg_backend_pid()`.execute(admin);
  };
  try {
    const service = await world.startService();
    const load = world.attach(startLoad({ bases: [service.base], tills: world.tills }));
    await waitForAcknowledgements(load, 50);
    await setReadOnly('on');
    const isUnready = await becomesReady(service.base, 503);
    await sleep(readOnlyMs);
    await setReadOnly('off');
    const endedAt = performance.now();
    const isReady = await becomesReady(service.base, 200);
    await sleep(1_000);
    return await concludeFault('read-only database', load, world.db, endedAt, {}, [
      isUnready ? null : '/readyz stayed 200 while every write was refused',
      isReady ? null : '/readyz stayed 503',
    ]);
  } finally {
    await admin.destroy();
    await world.remove();
  }
}

async function hasLogged({ log }: Service, pattern: RegExp, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    if (log.some((line) => pattern.test(line))) return true;
    await sleep(50);
  }
  return false;
}
