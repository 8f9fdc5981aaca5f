import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { after, before, type TestContext } from 'node:test';
import { Client } from 'pg';
import { isAlive } from './alive.ts';
import { findBinaries, findCopiedBinaries } from './binaries.ts';
import { AnotherServiceRuns, borrowEmbedded, NoDatabase, startEmbedded } from './embedded.ts';
import { findPlace } from './place.ts';
import { findPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';

const log = (): void => {};
/** A data folder with a stopped database. Most tests copy it, because creating a database takes a second. */
let made = '';

before(async () => {
  made = await emptyDataDir();
  await (await startEmbedded({ dataDir: made, log })).stop();
});
after(() => rm(made, { recursive: true, force: true }));

test('a first start creates a durable database, and the next start finds its data', async (t) => {
  const dataDir = await temporaryDataDir(t);
  const first = await startEmbedded({ dataDir, log });
  assert.deepEqual([first.initialised, first.adopted], [true, false]);
  await ask(first.url, 'create table kept as select 7 as points');
  const [settings] = await ask(
    first.url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
            current_setting('full_page_writes') as pages, current_setting('data_checksums') as checksums,
            current_setting('server_encoding') as encoding, current_setting('password_encryption') as passwords,
            current_setting('listen_addresses') as addresses, current_setting('is_superuser') as superuser,
            (select datlocprovider::text || ' ' || datlocale from pg_database where datname = 'loyalty') as locale`,
  );
  assert.deepEqual(settings, {
    fsync: 'on',
    commit: 'on',
    pages: 'on',
    checksums: 'on',
    encoding: 'UTF8',
    passwords: 'scram-sha-256',
    addresses: '127.0.0.1',
    superuser: 'off',
    locale: 'b C.UTF-8',
  });
  assert.equal((await stat(join(first.folder, 'password'))).mode & 0o777, 0o600);
  await assert.rejects(ask(first.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1'), { code: '28P01' });
  await first.stop();
  assert.equal(await findPostmaster(first.folder), null);

  const second = await startEmbedded({ dataDir, log });
  assert.deepEqual([second.initialised, second.adopted], [false, false]);
  assert.deepEqual(await ask(second.url, 'select points from kept'), [{ points: 7 }]);
  await second.stop();
});

test('after a kill -9 of the service the next start adopts its PostgreSQL and loses nothing', async (t) => {
  const dataDir = await filledDataDir(t);
  const service = await startElsewhere('startEmbedded', dataDir);
  await ask(service.url, 'create table kept as select 7 as points');
  await kill(service.process);

  const next = await startEmbedded({ dataDir, log });
  assert.equal(next.adopted, true);
  assert.equal(next.url, service.url);
  assert.deepEqual(await ask(next.url, 'select points from kept'), [{ points: 7 }]);
  await next.stop();
  assert.equal(await findPostmaster(next.folder), null);
});

test('after a kill -9 of both the next start recovers all commits', async (t) => {
  const dataDir = await filledDataDir(t);
  const service = await startElsewhere('startEmbedded', dataDir);
  await ask(service.url, 'create table kept as select 7 as points');
  const postmaster = await findPostmaster(service.folder);
  await kill(service.process);
  process.kill(postmaster?.pid ?? 0, 'SIGKILL');

  const next = await startEmbedded({ dataDir, log });
  assert.equal(next.adopted, false);
  assert.deepEqual(await ask(next.url, 'select points from kept'), [{ points: 7 }]);
  await next.stop();
});

test('a PostgreSQL that is killed under a running service comes back on the same port with the service’s lock', async (t) => {
  const dataDir = await filledDataDir(t);
  const isBack = Promise.withResolvers<void>();
  const service = await startEmbedded({
    dataDir,
    log: (sentence) => sentence === 'PostgreSQL is back.' && isBack.resolve(),
  });
  await ask(service.url, 'create table kept as select 7 as points');
  process.kill((await findPostmaster(service.folder))?.pid ?? 0, 'SIGKILL');
  // It takes its lock again a moment after PostgreSQL accepts connections.
  await isBack.promise;
  assert.deepEqual(await ask(service.url, 'select points from kept'), [{ points: 7 }]);
  await assert.rejects(startEmbedded({ dataDir, log }), AnotherServiceRuns);
  await service.stop();
  assert.equal(await findPostmaster(service.folder), null);
});

test('a second service on the same data folder is refused, and the first one keeps running', async (t) => {
  const dataDir = await filledDataDir(t);
  const first = await startElsewhere('startEmbedded', dataDir);
  await assert.rejects(startEmbedded({ dataDir, log }), (error: Error) => {
    assert.ok(error instanceof AnotherServiceRuns);
    assert.match(
      error.message,
      new RegExp(`^Another service \\(process ${first.process.pid}\\) already runs on `),
    );
    return true;
  });
  assert.deepEqual(await ask(first.url, 'select 1 as one'), [{ one: 1 }]);
});

test('a command leaves the PostgreSQL of a running service alone, and otherwise starts and stops one', async (t) => {
  const dataDir = await filledDataDir(t);
  const alone = await borrowEmbedded({ dataDir, log });
  assert.equal(alone.adopted, false);
  await alone.release();
  assert.equal(await findPostmaster(alone.folder), null);

  const service = await startEmbedded({ dataDir, log });
  const beside = await borrowEmbedded({ dataDir, log });
  assert.deepEqual([beside.adopted, beside.url], [true, service.url]);
  await beside.release();
  assert.deepEqual(await ask(service.url, 'select 1 as one'), [{ one: 1 }]);

  const longer = await borrowEmbedded({ dataDir, log });
  await service.stop();
  assert.deepEqual(
    await ask(longer.url, 'select 1 as one'),
    [{ one: 1 }],
    'a service does not stop a PostgreSQL that a command still uses',
  );
  await longer.release();
  assert.equal(await findPostmaster(service.folder), null);
});

test('a command never creates a database or its folder', async (t) => {
  const dataDir = join(await temporaryDataDir(t), 'data');
  await assert.rejects(borrowEmbedded({ dataDir, log }), NoDatabase);
  assert.equal(existsSync(dataDir), false);
});

test('services that start at the same time on an empty folder create one database, and one of them gets it', async (t) => {
  const dataDir = await temporaryDataDir(t);
  const starts = await Promise.allSettled([1, 2, 3].map(() => startElsewhere('startEmbedded', dataDir)));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  assert.equal(started.length, 1);
  const winner = started[0]!;
  assert.deepEqual(await ask(winner.url, 'select 1 as one'), [{ one: 1 }]);
  await winner.end();
  assert.equal(await findPostmaster(winner.folder), null);
});

test('commands that run at the same time share one PostgreSQL, and the last one stops it', async (t) => {
  const dataDir = await filledDataDir(t);
  const commands = await Promise.all([1, 2, 3].map(() => startElsewhere('borrowEmbedded', dataDir)));
  assert.equal(new Set(commands.map(({ url }) => url)).size, 1);
  assert.equal(commands.filter(({ adopted }) => !adopted).length, 1);
  await Promise.all(commands.map((command) => command.end()));
  const { folder } = await findPlace(dataDir);
  assert.equal(await findPostmaster(folder), null);

  for (let round = 0; round < 5; round++) {
    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const command = await borrowEmbedded({ dataDir, log });
        assert.deepEqual(await ask(command.url, 'select 1 as one'), [{ one: 1 }]);
        await command.release();
      }),
    );
    assert.equal(await findPostmaster(folder), null);
  }
});

test('PostgreSQL starts even if postmaster.pid is empty or names another program', async (t) => {
  const dataDir = await filledDataDir(t);
  const { folder } = await findPlace(dataDir);
  await writeFile(join(folder, 'cluster', 'postmaster.pid'), `${process.pid}\n${folder}/cluster\n1\n5432\n`);
  const next = await borrowEmbedded({ dataDir, log });
  assert.equal(next.adopted, false);
  await next.release();

  await writeFile(join(folder, 'cluster', 'postmaster.pid'), '');
  await (await borrowEmbedded({ dataDir, log })).release();
});

test('if PostgreSQL cannot start, the error shows the end of its log', async (t) => {
  const dataDir = await filledDataDir(t);
  const { folder } = await findPlace(dataDir);
  await rm(join(folder, 'cluster', 'global', 'pg_control'));
  await assert.rejects(borrowEmbedded({ dataDir, log }), /did not start.*\n.*could not.*pg_control/s);
});

test('a copy of the programs has the links of their libraries and works with any umask', async (t) => {
  const copyTo = await temporaryDataDir(t);
  const umask = process.umask(0o077);
  t.after(() => process.umask(umask));
  const { bin, major } = await findCopiedBinaries(copyTo);
  assert.equal(major, 18);
  assert.equal((await stat(join(bin, 'postgres'))).mode & 0o777, 0o755);
  assert.match(execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }), /PostgreSQL\) 18/);
  assert.equal((await readdir(copyTo)).length, 1);

  await writeFile(join(bin, 'initdb'), '');
  await findCopiedBinaries(copyTo);
  assert.match(
    execFileSync(join(bin, 'initdb'), ['--version'], { encoding: 'utf8' }),
    /PostgreSQL\) 18/,
    'an incomplete copy is replaced',
  );
});

/** Debian's. The program brings a newer one. */
const OLD_POSTGRES = '/usr/lib/postgresql/15/bin';
const withOldPostgres = {
  skip: existsSync(OLD_POSTGRES) ? false : 'PostgreSQL 15 is not installed on this machine',
};

test(
  'a database of an older PostgreSQL is refused with the way on, and read by its own programs',
  withOldPostgres,
  async (t) => {
    const dataDir = await temporaryDataDir(t);
    const old = await startEmbedded({ dataDir, log, postgresBin: OLD_POSTGRES });
    await ask(old.url, 'create table kept as select 7 as points');
    await old.stop();
    await assert.rejects(
      startEmbedded({ dataDir, log }),
      /created by PostgreSQL 15, and this is PostgreSQL 18.*Set POSTGRES_BIN to the programs of PostgreSQL 15, write a backup/,
    );
    const read = await borrowEmbedded({ dataDir, log, postgresBin: OLD_POSTGRES });
    assert.deepEqual(await ask(read.url, 'select points from kept'), [{ points: 7 }]);
    await read.release();
    await assert.rejects(
      borrowEmbedded({ dataDir, log, postgresBin: '/nowhere' }),
      /\/nowhere\/postgres does not run here. Correct POSTGRES_BIN or remove it/,
    );
  },
);

const asRoot = { skip: process.getuid?.() === 0 ? false : 'needs root' };

test('root keeps the database elsewhere if the data folder is in a private home', asRoot, async (t) => {
  const home = await temporaryDataDir(t);
  await chmod(home, 0o700);
  const dataDir = join(home, 'checkout', 'data');
  const service = await startEmbedded({ dataDir, log });
  t.after(() => rm(join(service.folder, '..'), { recursive: true, force: true }));
  assert.match(service.folder, /^\/var\/lib\/loyalty\/[0-9a-f]{12}\/postgresql$/);
  await ask(service.url, 'create table kept as select 7 as points');
  await service.stop();

  await chmod(home, 0o755);
  const next = await startEmbedded({ dataDir, log });
  assert.deepEqual(
    await ask(next.url, 'select points from kept'),
    [{ points: 7 }],
    'the database stays where it is',
  );
  await next.stop();
});

test(
  'a database that root keeps elsewhere is found after its data folder was moved, and never begun anew in silence',
  asRoot,
  async (t) => {
    const home = await temporaryDataDir(t);
    await chmod(home, 0o700);
    const [before, moved] = [join(home, 'before'), join(home, 'moved')];
    const service = await startEmbedded({ dataDir: before, log });
    t.after(() => rm(join(service.folder, '..'), { recursive: true, force: true }));
    await ask(service.url, 'create table kept as select 7 as points');
    await service.stop();

    await rename(before, moved);
    const next = await startEmbedded({ dataDir: moved, log });
    assert.deepEqual(await ask(next.url, 'select points from kept'), [{ points: 7 }]);
    await next.stop();

    execFileSync('cp', ['-a', moved, before]);
    await assert.rejects(
      startEmbedded({ dataDir: before, log }),
      /before is a copy of .*moved, whose database is in/,
    );
    await rm(join(service.folder, '..'), { recursive: true, force: true });
    await assert.rejects(
      startEmbedded({ dataDir: moved, log }),
      /The database of .*moved was in .*there no more.*delete .*json/s,
    );
    await assert.rejects(borrowEmbedded({ dataDir: moved, log }), /there no more/);
  },
);

test('an empty database that begins in a folder of an earlier service is said', async (t) => {
  const dataDir = await temporaryDataDir(t);
  await writeFile(join(dataDir, 'secret-key'), 'x'.repeat(43));
  const said: string[] = [];
  await (await startEmbedded({ dataDir, log: (sentence) => said.push(sentence) })).stop();
  assert.match(
    said.join('\n'),
    /There is no database in .*secret-key is from an earlier start.*set DATA_DIR/,
  );
});

test('a data folder that cannot be made or written to is refused at once, with its variable', async (t) => {
  const file = join(await temporaryDataDir(t), 'file');
  await writeFile(file, '');
  for (const dataDir of ['/proc/x', '/proc/x/y', file, join(file, 'x')])
    await assert.rejects(
      startEmbedded({ dataDir, log }),
      /^Error: DATA_DIR is .*, and nothing can be kept there: .*\. Set DATA_DIR to/,
      dataDir,
    );
});

test('a command without a running service takes a free port, not that of the service', async (t) => {
  const dataDir = await filledDataDir(t);
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  // Commands hand over their whole configuration, with the PORT of the service.
  const config = { dataDir, log, port: (holder.address() as AddressInfo).port };
  const alone = await borrowEmbedded(config);
  assert.deepEqual(await ask(alone.url, 'select 1 as one'), [{ one: 1 }]);
  await alone.release();
});

test('a server that has to come back on a port which another program has says so', async (t) => {
  const dataDir = await filledDataDir(t);
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const place = await findPlace(dataDir);
  const binaries = await findBinaries({ runAs: place.runAs, copyTo: place.base });
  await assert.rejects(startPostmaster({ ...place, binaries, durable: true, port }), {
    message: new RegExp(`^Another program took port ${port} of 127\\.0\\.0\\.1 .* restart the service`),
  });
});

// Another user can run the program only if it can reach the checkout, so not if that is in a private home.
const asRootInReach = {
  skip: asRoot.skip || (canBeRunByNobody() ? false : 'needs a checkout that other users can reach'),
};

test('an ordinary user runs the database in place, even in a private home', asRootInReach, async (t) => {
  const home = await temporaryDataDir(t);
  const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
  const gid = Number(execFileSync('id', ['-g', 'nobody'], { encoding: 'utf8' }));
  execFileSync('chown', [`${uid}:${gid}`, home]);
  await chmod(home, 0o700);
  const service = await startElsewhere('startEmbedded', join(home, 'data'), { uid, gid });
  assert.equal(service.folder, join(home, 'data', 'postgresql'));
  await ask(service.url, 'create table kept as select 7 as points');
  await kill(service.process);

  const next = await startElsewhere('startEmbedded', join(home, 'data'), { uid, gid });
  assert.equal(next.adopted, true);
  await next.end();
  assert.equal(await findPostmaster(next.folder), null);

  const asOwner = await borrowEmbedded({ dataDir: join(home, 'data'), log });
  assert.deepEqual(
    await ask(asOwner.url, 'select points from kept'),
    [{ points: 7 }],
    'root runs the database as its owner',
  );
  await asOwner.release();
});

async function filledDataDir(t: TestContext): Promise<string> {
  const dataDir = await temporaryDataDir(t);
  execFileSync('cp', ['-a', `${made}/.`, dataDir]);
  return dataDir;
}

function canBeRunByNobody(): boolean {
  const uid = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));
  return spawnSync(process.execPath, ['--version'], { uid }).status === 0;
}

async function emptyDataDir(): Promise<string> {
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'loyalty-embedded-')));
  await chmod(dataDir, 0o755);
  return dataDir;
}

async function temporaryDataDir(t: TestContext): Promise<string> {
  const dataDir = await emptyDataDir();
  t.after(async () => {
    // Services are killed first, because a running service would restart its PostgreSQL.
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) await kill(child);
    for (const base of [dataDir, join(dataDir, 'data')]) {
      const running = await findPostmaster(join(base, 'postgresql')).catch(() => null);
      if (running) await stopPostmaster(join(base, 'postgresql'), running.pid);
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

async function ask(url: string, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The child processes of the current test. */
const children: ChildProcess[] = [];

interface Elsewhere {
  readonly process: ChildProcess;
  readonly url: string;
  readonly folder: string;
  readonly adopted: boolean;
  end(): Promise<void>;
}

/** Starts it in a separate process, which shuts down cleanly when its stdin closes. */
async function startElsewhere(
  how: 'startEmbedded' | 'borrowEmbedded',
  dataDir: string,
  user: { uid?: number; gid?: number } = {},
): Promise<Elsewhere> {
  const program = `
    const { ${how} } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))});
    const { stop, release, ...rest } = await ${how}({ dataDir: ${JSON.stringify(dataDir)}, log() {} });
    console.log(JSON.stringify(rest));
    process.stdin.resume().on('end', stop ?? release);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    ...user,
  });
  const exited = once(child, 'exit');
  children.push(child);
  const failed = exited.then(() => assert.fail('the process exited before it was ready'));
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), failed])) as [string];
  failed.catch(() => {});
  return {
    ...(JSON.parse(line) as { url: string; folder: string; adopted: boolean }),
    process: child,
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  assert.equal(isAlive(child.pid ?? 0), false);
}
