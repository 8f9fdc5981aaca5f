/** One story: a service in two processes. Each test goes on where the one before ended. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '#db/database.ts';
import { loyalty, startLoyalty } from '#test/command.ts';
import { testDatabase, testDatabaseUrl } from '#test/database.ts';
import { makeShop, type MadeMember, type Shop } from '#test/make.ts';
import {
  call,
  childrenOf,
  figure,
  isAlive,
  keepCalling,
  startSeveral,
  until,
  type Several,
} from '#test/processes/several.ts';
import { openSmtpSink, type SmtpSink } from '#test/smtp-sink.ts';

const noPrlimit = spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit is not installed';

let service: Several;
let shop: Shop;
let member: MadeMember;
let mails: SmtpSink;
let folder: string;
const logged = () =>
  service.lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const allReady = () => until(async () => (await figure(service, 'loyalty_processes', 'state="ready"')) === 2);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loyalty-processes-'));
  mails = await openSmtpSink();
  shop = await makeShop();
  member = await shop.member();
  service = await startSeveral(await testDatabaseUrl(), 2, {
    DATA_DIR: folder,
    SMTP_URL: mails.url,
    RATE_LIMITS: 'off',
    DRAIN_SECONDS: '1',
  });
});
function buy(key: string) {
  return call(`${service.base}/v1/consumptions/client-code`, {
    key: shop.key,
    idempotencyKey: key,
    body: { client_code: member.code, amount: 1 },
  });
}

async function purchases(): Promise<number> {
  const { rows } = await sql<{ n: string }>`
    select count(*) as n from movements where commerce_id = ${shop.id} and type = 'purchase'`.execute(
    await testDatabase(),
  );
  return Number(rows[0]!.n);
}

after(async () => {
  service.supervisor.kill('SIGKILL');
  await mails.close();
  await rm(folder, { recursive: true });
});

test('two processes answer on one port, print one start-up block, and say in the log which of them speaks', async () => {
  assert.equal(childrenOf(service).length, 2);
  assert.equal(service.lines.filter((line) => line.startsWith('Loyalty is ready')).length, 1);
  const speakers = () =>
    new Set(
      logged()
        .filter(({ msg }) => msg === 'answered')
        .map((line) => line['process']),
    );
  await until(async () => {
    assert.equal((await call(`${service.base}/v1/clients/${member.code}`, { key: shop.key })).status, 200);
    return speakers().size === 2;
  });
  assert.deepEqual(speakers(), new Set([1, 2]));
  const kept = JSON.parse(await readFile(join(folder, 'address.json'), 'utf8')) as object;
  assert.deepEqual(kept, { pid: service.supervisor.pid, url: service.base });
});

test('one port shows the metrics of both by process, and those of the installation once', async () => {
  const text = await (await fetch(service.metricsUrl)).text();
  const samples = (name: string) =>
    text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  assert.deepEqual(samples('loyalty_pool_limit_connections'), [
    'loyalty_pool_limit_connections{process="1"} 4',
    'loyalty_pool_limit_connections{process="2"} 4',
  ]);
  assert.equal(samples('loyalty_status_read_timestamp_seconds').length, 1);
  assert.equal(text.match(/^# TYPE loyalty_http_responses_total /gm)?.length, 1);
  const answered = logged().filter(({ msg }) => msg === 'answered').length;
  const counted = await figure(service, 'loyalty_http_responses_total', 'route="/v1/clients/:client_code"');
  assert.equal(counted, answered);
});

test('a process that is killed is replaced, and the other one serves meanwhile', async () => {
  const [victim, other] = childrenOf(service);
  process.kill(victim!, 'SIGKILL');
  await until(() => !isAlive(victim!));
  // The other one alone may answer at first. A call on a new connection never fails.
  for (let calls = 0; calls < 20; calls += 1)
    assert.equal((await call(`${service.base}/v1/clients/${member.code}`, { key: shop.key })).status, 200);
  await until(() => childrenOf(service).length === 2);
  await allReady();
  assert.ok(childrenOf(service).includes(other!));
  assert.equal(await figure(service, 'loyalty_process_restarts_total'), 1);
  await service.line(/process 1 has ended \(SIGKILL\) and starts again/);
});

test(
  'a process that is out of memory is replaced, and each purchase is recorded once',
  { skip: noPrlimit },
  async () => {
    const [before, restarts] = [await purchases(), await figure(service, 'loyalty_process_restarts_total')];
    const victim = childrenOf(service)[0]!;
    // From now on the system gives it no more memory at all.
    const [, kilobytes] = /^VmSize:\s+(\d+) kB/m.exec(await readFile(`/proc/${victim}/status`, 'utf8'))!;
    execFileSync('prlimit', ['--pid', String(victim), `--as=${Number(kilobytes) * 1_024}`]);
    let bought = 0;
    const buyUntilRecorded = async () => {
      const key = `out-of-memory-${bought++}`;
      await until(() =>
        buy(key).then(
          ({ status }) => status === 201,
          () => false,
        ),
      );
    };
    // It can go on with what it has for as long as no more is asked of it than before.
    for (let callers = 64; isAlive(victim); callers *= 2)
      await Promise.all(Array.from({ length: callers }, buyUntilRecorded));
    await allReady();
    await buyUntilRecorded();
    assert.equal(await purchases(), before + bought);
    assert.equal(await figure(service, 'loyalty_process_restarts_total'), restarts + 1);
  },
);

test(
  'a process that can open no more files is replaced, and calls are answered again',
  { skip: noPrlimit },
  async () => {
    const restarts = await figure(service, 'loyalty_process_restarts_total');
    const [victim, other] = childrenOf(service);
    execFileSync('prlimit', ['--pid', String(victim), '--nofile=3:3']);
    await until(() => !isAlive(victim!));
    for (let calls = 0; calls < 20; calls += 1)
      assert.equal((await call(`${service.base}/v1/clients/${member.code}`, { key: shop.key })).status, 200);
    await allReady();
    assert.ok(childrenOf(service).includes(other!));
    assert.equal(await figure(service, 'loyalty_process_restarts_total'), restarts, 'it ended by itself');
  },
);

test('whichever process queues a mail and whichever is gone, the mail is sent', async () => {
  for (const at of [1, 2]) {
    // The oldest process does the background work.
    const [oldest] = childrenOf(service);
    process.kill(oldest!, 'SIGKILL');
    await until(() => !isAlive(oldest!));
    for (let asked = 0; asked < 4; asked += 1) {
      const answer = await fetch(`${service.base}/v1/auth/otp/request`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-commerce-id': String(shop.id),
          connection: 'close',
        },
        body: JSON.stringify({ email: `somebody-${at}-${asked}@example.com` }),
      });
      assert.ok(answer.ok, await answer.text());
    }
    await mails.waitForMails(at * 4);
    await allReady();
  }
});

test('what any process takes is written by one of them', async () => {
  const written = async (of: number) =>
    figure(service, 'loyalty_batch_calls_total', `process="${of}",batch="purchases"`);
  const busy = async (): Promise<number[]> => {
    const before = [await written(1), await written(2)];
    for (let key = 0; key < 20; key += 1) assert.equal((await buy(`written-${key}`)).status, 201);
    return [(await written(1)) - before[0]!, (await written(2)) - before[1]!];
  };
  // Right after a restart, each process writes by itself for a moment.
  let shares: number[] = [];
  await until(async () => (shares = await busy()).includes(0));
  assert.deepEqual(
    shares.toSorted((a, b) => a - b),
    [0, 20],
  );
  const lines = service.lines.filter((line) => line.includes('/v1/consumptions/client-code'));
  assert.equal(new Set(lines.map((line) => (JSON.parse(line) as { process: number }).process)).size, 2);
});

test('while the process that writes hangs, the other one writes, and what it had taken is answered later', async () => {
  // Both lead after each other, and only one of them writes.
  for (const victim of childrenOf(service)) {
    const before = await purchases();
    process.kill(victim, 'SIGSTOP');
    const handed = Array.from({ length: 8 }, (_, i) => buy(`hangs-${victim}-${i}`));
    // These go to the other process, because one that hangs accepts nothing.
    const answers: number[] = [];
    await until(async () => {
      answers.push(
        await Promise.race([buy(`meanwhile-${victim}-${answers.length}`), sleep(3_000, null)]).then(
          (one) => one?.status ?? 0,
        ),
      );
      return answers.at(-1) === 201;
    });
    process.kill(victim, 'SIGCONT');
    assert.deepEqual(
      (await Promise.all(handed)).map(({ status }) => status),
      handed.map(() => 201),
    );
    await until(async () => (await purchases()) === before + handed.length + answers.length);
  }
});

test('SIGHUP restarts one process after the other, and no call fails', async () => {
  const before = childrenOf(service);
  const load = keepCalling(service.base, { key: shop.key, clientCode: member.code });
  service.supervisor.kill('SIGHUP');
  await until(() => before.every((pid) => !isAlive(pid)));
  await allReady();
  const { calls, failed } = await load.stop();
  assert.deepEqual(failed, []);
  assert.ok(calls > 20, `${calls} calls`);
});

test('SIGHUP to a process restarts that one alone', async () => {
  const [one, other] = childrenOf(service);
  process.kill(one!, 'SIGHUP');
  await until(() => !isAlive(one!));
  await until(() => childrenOf(service).length === 2);
  await allReady();
  assert.ok(childrenOf(service).includes(other!));
});

test('a start on a port that is taken says so and ends', async () => {
  const refused = await loyalty(['serve'], {
    env: {
      DATABASE_URL: await testDatabaseUrl(),
      DATA_DIR: folder,
      PROCESSES: '2',
      PORT: new URL(service.base).port,
    },
  });
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^Port \d+ on 127\.0\.0\.1 is taken, perhaps by this service in another terminal/,
  );
});

test('SIGTERM announces the end, drains all processes and ends with 0', async () => {
  const all = childrenOf(service);
  service.supervisor.kill('SIGTERM');
  const announced = await new Promise<number>((resolve) => {
    const ask = async (): Promise<void> => {
      const { status } = await call(`${service.base}/readyz`);
      if (status === 200) return ask();
      resolve(status);
    };
    void ask();
  });
  assert.equal(announced, 503);
  assert.equal(await service.ended, 0);
  assert.deepEqual(all.filter(isAlive), []);
  await assert.rejects(call(`${service.base}/readyz`));
});

test('a supervisor that is killed takes its processes with it, and the next start goes on', async () => {
  const killed = await startSeveral(await testDatabaseUrl(), 2, { DATA_DIR: folder });
  const orphans = childrenOf(killed);
  killed.supervisor.kill('SIGKILL');
  await until(() => !orphans.some(isAlive));
  await assert.rejects(call(`${killed.base}/healthz`));
  const next = await startSeveral(await testDatabaseUrl(), 2, { DATA_DIR: folder });
  assert.equal((await call(`${next.base}/readyz`)).status, 200);
  next.supervisor.kill('SIGTERM');
  assert.equal(await next.ended, 0);
});

test('a start that finds no PostgreSQL says so and ends', async () => {
  const refused = await startLoyalty(['serve'], {
    DATABASE_URL: undefined,
    CLUSTER: undefined,
    DATA_DIR: join(folder, 'without'),
    PROCESSES: '2',
    PORT: '0',
    POSTGRES_BIN: join(folder, 'nothing'),
  });
  const [says, [code]] = await Promise.all([text(refused.stderr), once(refused, 'close')]);
  assert.equal(code, 1);
  assert.match(says, /Correct POSTGRES_BIN/);
});

test('a process that cannot start ends the start, with its reason', async () => {
  const refused = await loyalty(['serve'], {
    env: {
      DATABASE_URL: await testDatabaseUrl(),
      DATA_DIR: folder,
      PROCESSES: '2',
      PORT: '0',
      DATABASE_POOL_SIZE: '0',
    },
  });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^DATABASE_POOL_SIZE must be a whole number from 1 to 1000, not "0"\.\n$/);
});
