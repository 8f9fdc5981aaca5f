import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { migrate } from '#db/migrate.ts';
import { openDatabase } from '#db/database.ts';
import { startEmbedded } from '#db/embedded/embedded.ts';
import { findPostmaster } from '#db/embedded/postmaster.ts';
import { readConfig } from '#settings/config.ts';
import { loyalty, startLoyalty } from '#test/command.ts';

const PROGRAM = `
slug: cafe-luna
name: Café Luna
currency: ARS
time_zone: America/Argentina/Buenos_Aires
earning: { money_per_point: 100 }
points_expiration: { mode: rolling, months: 6 }
`;

test('a command whose reader stops early stops the database that it has started', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'loyalty-reader-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const embedded = await startEmbedded({ ...readConfig({ DATA_DIR: folder }), log() {} });
  // For root it is elsewhere.
  t.after(() => rm(dirname(embedded.folder), { recursive: true, force: true }));
  const db = openDatabase({ url: embedded.url, poolSize: 1, preparedStatements: true });
  await migrate(db);
  await db.destroy();
  await embedded.stop();
  const env = { DATABASE_URL: '', CLUSTER: '', DATA_DIR: folder };
  const applied = await loyalty(['apply', '-'], { env, input: PROGRAM });
  assert.equal(applied.code, 0, applied.stderr);
  // More than a pipe holds, so that the command still writes when nobody reads any more.
  const input = `email\n${Array.from({ length: 3_000 }, (_, i) => `eva-${i}@example.com\n`).join('')}`;
  const imported = await loyalty(['members', 'import', '-', '--commerce', 'cafe-luna'], { env, input });
  assert.equal(imported.code, 0, imported.stderr);

  const child = await startLoyalty(['members', 'export', '--commerce', 'cafe-luna'], env);
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  assert.equal(await findPostmaster(embedded.folder), null);

  // Half an archive is worth nothing, so this command fails itself.
  const archiving = await startLoyalty(['commerce', 'export', 'cafe-luna'], env);
  archiving.stdout.destroy();
  const [said, [status]] = await Promise.all([text(archiving.stderr), once(archiving, 'close')]);
  assert.match(said, /The archive is incomplete: write EPIPE\.\n$/);
  assert.equal(status, 1);
  assert.equal(await findPostmaster(embedded.folder), null);
});
