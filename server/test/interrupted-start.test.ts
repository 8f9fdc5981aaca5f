import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { onConnection, sql } from '#db/database.ts';
import { databaseUrl, emptyDatabase, nameOf } from '#test/database.ts';

const MAIN = new URL('../src/start/start.js', import.meta.url).pathname;

test('a start that waits for the migrations of another process ends after a signal', async (t) => {
  const db = await emptyDatabase(t, 2);
  const url = databaseUrl(await nameOf(db));
  await onConnection(db, async (connection) => {
    await sql`select pg_advisory_lock(3853314791062309107)`.execute(connection);
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'], ENV_FILE: 'off', DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'fatal' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    t.after(() => child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    const errors = text(child.stderr);
    for (let waits = false; !waits; await sleep(50)) {
      const { rows } = await sql`
        select from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_lock%'`.execute(
        db,
      );
      waits = rows.length > 0;
    }
    child.kill('SIGTERM');
    assert.deepEqual(await exit, [1, null]);
    assert.equal(await errors, 'Stopped before the start was complete.\n');
  });
});
