import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, sql, transaction, type Database } from '#db/database.ts';
import { findFreePort } from '#db/embedded/free-port.ts';
import { chooseUnprivilegedUser } from '#db/embedded/place.ts';
import { migrate } from '#db/migrate.ts';
import { enrolMember } from '#enrolment/enrol-member.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { checkProgram } from '#program/check-program.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';

const BIN = '/usr/lib/postgresql/15/bin';
const ROUNDS = Number(process.env['PITR_ROUNDS'] ?? 3);

const missing = !existsSync(join(BIN, 'pg_ctl'))
  ? 'PostgreSQL 15 is not installed (apt-get install postgresql-15)'
  : !existsSync('/usr/bin/pgbackrest')
    ? 'pgBackRest is not installed (apt-get install pgbackrest)'
    : process.getuid!() !== 0
      ? 'it becomes the user of PostgreSQL, which only root can'
      : false;

test(
  'with pgBackRest, a database comes back as it was at a chosen second, and after a total loss as it was a moment ago',
  { skip: missing },
  async (t) => {
    const world = await startWorld();
    t.after(() => world.remove());
    for (let round = 0; round < ROUNDS; round++) {
      const before = await world.buy(200);
      // pgBackRest knows the end of a backup to the second, and takes only one that ended in an earlier second.
      await sleep(1_100);
      const chosen = await world.now();
      await sleep(1_100);
      const after = await world.buy(200);
      world.archive();
      const seconds = await world.loseAndRestore([
        '--type=time',
        `--target=${chosen}`,
        '--target-action=promote',
      ]);
      const found = await world.purchases();
      assert.deepEqual(
        [before.filter((id) => !found.has(id)).length, after.filter((id) => found.has(id)).length],
        [0, 0],
      );
      assert.deepEqual((await verifyLedger(world.database())).differences, []);
      t.diagnostic(`back at ${chosen}: ${seconds} s`);
    }
    // Nobody knows that the loss is coming, so the last segment of the log is not complete.
    world.backUp();
    const acknowledged = await world.buyUntilLost(20_000);
    const seconds = await world.loseAndRestore(['--type=default']);
    const found = await world.purchases();
    const lost = acknowledged.filter(({ id }) => !found.has(id));
    assert.deepEqual((await verifyLedger(world.database())).differences, []);
    const oldest = Math.max(0, ...lost.map(({ at }) => acknowledged.at(-1)!.at - at));
    t.diagnostic(
      `after a total loss: ${seconds} s, and ${lost.length} purchases of the last ${Math.round(oldest / 100) / 10} s are gone`,
    );
    assert.ok(oldest < 2 * ARCHIVE_TIMEOUT_SECONDS * 1000, 'no more is lost than the archive waits for');
  },
);

const ARCHIVE_TIMEOUT_SECONDS = 10;

/** A PostgreSQL 15 with an archive, and one shop in it. */
async function startWorld() {
  const runAs = chooseUnprivilegedUser(null);
  const base = await mkdtemp(join(tmpdir(), 'loyalty-pitr-'));
  const at = (name: string) => join(base, name);
  for (const name of ['', 'repo', 'log', 'spool', 'socket']) {
    await mkdir(at(name), { recursive: true });
    await chown(at(name), runAs.uid, runAs.gid);
    await chmod(at(name), 0o750);
  }
  const port = await findFreePort();
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: base, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...runAs });
  await writeFile(
    at('pgbackrest.conf'),
    `[global]
repo1-path=${at('repo')}
repo1-retention-full=2
repo1-bundle=y
compress-type=zst
log-path=${at('log')}
log-level-console=warn
spool-path=${at('spool')}
lock-path=${at('spool')}
start-fast=y

[loyalty]
pg1-path=${at('data')}
pg1-port=${port}
pg1-socket-path=${at('socket')}
`,
  );
  const pgbackrest = (...args: string[]) =>
    run('/usr/bin/pgbackrest', `--config=${at('pgbackrest.conf')}`, '--stanza=loyalty', ...args);
  run(
    join(BIN, 'initdb'),
    '-D',
    at('data'),
    '--data-checksums',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  );
  await appendFile(
    at('data/postgresql.conf'),
    `
port = ${port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '${at('socket')}'
archive_mode = on
archive_command = 'pgbackrest --config=${at('pgbackrest.conf')} --stanza=loyalty archive-push %p'
archive_timeout = ${ARCHIVE_TIMEOUT_SECONDS}
`,
  );
  const start = () =>
    run(join(BIN, 'pg_ctl'), '-D', at('data'), '-w', '-t', '300', '-l', at('log/postgresql.log'), 'start');
  const kill = () => run(join(BIN, 'pg_ctl'), '-D', at('data'), '-m', 'immediate', 'stop');
  start();
  run(join(BIN, 'createdb'), '-h', '127.0.0.1', '-p', String(port), 'loyalty');
  pgbackrest('stanza-create');
  let database = open();
  await migrate(database);
  const { commerceId, memberId } = await makeShop(database);
  pgbackrest('--type=full', 'backup');

  return {
    database: () => database,
    backUp: () => pgbackrest('--type=diff', 'backup'),
    async now() {
      const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(database);
      return rows[0]!.now;
    },
    async buy(count: number) {
      const ids: number[] = [];
      for (let i = 0; i < count; i++) ids.push(await buyOne());
      return ids;
    },
    /** Buys for so long, then stops PostgreSQL at once. Returns what was acknowledged, and when. */
    async buyUntilLost(ms: number) {
      const acknowledged: { id: number; at: number }[] = [];
      for (const until = performance.now() + ms; performance.now() < until;)
        acknowledged.push({ id: await buyOne(), at: performance.now() });
      return acknowledged;
    },
    async purchases() {
      const { rows } = await sql<{ id: number }>`select id from movements`.execute(database);
      return new Set(rows.map(({ id }) => id));
    },
    /** Ends the current segment of the log and waits until it is in the archive. */
    archive: () => pgbackrest('check'),
    /** Loses the whole data directory and restores it. Returns the seconds until the database answers. */
    async loseAndRestore(target: readonly string[]) {
      await database.destroy();
      kill();
      await rm(at('data'), { recursive: true });
      const startedAt = performance.now();
      await mkdir(at('data'), { mode: 0o700 });
      await chown(at('data'), runAs.uid, runAs.gid);
      pgbackrest(...target, 'restore');
      start();
      database = open();
      for (;;) {
        const { rows } = await sql<{ recovering: boolean }>`select pg_is_in_recovery() as recovering`.execute(
          database,
        );
        if (!rows[0]!.recovering) break;
        await sleep(50);
      }
      return Math.round((performance.now() - startedAt) / 100) / 10;
    },
    async remove() {
      await database.destroy();
      kill();
      await rm(base, { recursive: true, force: true });
    },
  };

  function open(): Database {
    const user = execFileSync('id', ['-un', String(runAs.uid)], { encoding: 'utf8' }).trim();
    return openDatabase({
      url: `postgres://${user}@127.0.0.1:${port}/loyalty?sslmode=disable`,
      poolSize: 4,
      preparedStatements: true,
      statementTimeoutMs: 0,
    });
  }

  async function buyOne(): Promise<number> {
    const [outcome] = await transaction(database, (tx) =>
      recordPurchases(tx, [{ commerceId, buyer: { id: memberId }, amount: 100, ...NOWHERE }]),
    );
    if (outcome?.recorded !== true) throw outcome!.problem;
    return outcome.purchaseId;
  }
}

async function makeShop(database: Database): Promise<{ commerceId: number; memberId: number }> {
  const checked = checkProgram({
    slug: 'pitr',
    name: 'A shop that comes back',
    currency: 'EUR',
    time_zone: 'Europe/Madrid',
    earning: { money_per_point: 1 },
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  const { commerceId } = await applyProgram(database, checked.program, { clock: null, dryRun: false });
  const { memberId } = await transaction(database, (tx) => enrolMember(tx, commerceId!, 'ana@example.com'));
  return { commerceId: commerceId!, memberId };
}
