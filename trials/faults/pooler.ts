/** The service behind PgBouncer in transaction mode. */
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql } from '../../server/src/platform/db/database.ts';
import { concludeFault, waitForAcknowledgements, type Outcome } from './fault.ts';
import { startLoad } from './journalled-load.ts';
import { startPgBouncer } from '../../server/test/pgbouncer.ts';
import { makeWorld } from './world.ts';

/** It starts as documented, and the time limits hold on the pooler's connections. */
export async function behindPgBouncer(serverUrl: string, loadMs: number): Promise<Outcome> {
  const world = await makeWorld(serverUrl);
  const pooler = await startPgBouncer(world.url);
  const url = pooler.through(world.url);
  try {
    const service = await world.startService({
      DATABASE_URL: url,
      DATABASE_DIRECT_URL: world.url.href,
      PREPARED_STATEMENTS: 'off',
    });
    const load = startLoad({ bases: [service.base], tills: world.tills });
    await waitForAcknowledgements(load, 20);
    const limits = await readLimits(url);
    const endedAt = performance.now();
    await sleep(loadMs);
    return await concludeFault('PgBouncer, transaction mode', load, world.db, endedAt, { statuses: [201] }, [
      limits === '5s 2s 2s' ? null : `the limits are ${limits}`,
    ]);
  } finally {
    await world.remove();
    await pooler.stop();
  }
}

async function readLimits(url: string): Promise<string> {
  const db = openDatabase({ url, poolSize: 1, preparedStatements: false, sendsSettings: false });
  try {
    const { rows } = await sql<{ limits: string }>`
      select concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
                       current_setting('idle_in_transaction_session_timeout')) as limits`.execute(db);
    return rows[0]!.limits;
  } finally {
    await db.destroy();
  }
}
