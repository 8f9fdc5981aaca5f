/** The program as a process, with settings that somebody got half right. Nothing dangerous may happen unasked. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '#db/database.ts';
import { loyalty, startLoyalty } from '#test/command.ts';
import { testDatabase } from '#test/database.ts';
import { makeShop } from '#test/make.ts';
import { atCommerce, someone } from '#test/sign-in.ts';

// In order: the first tests need a database without any commerce.
const db = await testDatabase();

const HALF_RIGHT: [Record<string, string>, RegExp][] = [
  [
    { NODE_ENV: 'Production', HOST: '0.0.0.0' },
    /^NODE_ENV must be `development`, `production` or `test`, not/,
  ],
  [{ NODE_ENV: 'prod', HOST: '0.0.0.0' }, /^NODE_ENV must be/],
  [{ NODE_ENV: 'staging', HOST: '0.0.0.0' }, /^NODE_ENV must be/],
  [
    { HOST: '0.0.0.0' },
    /^SECRET_KEY is required while HOST is not a loopback address: .*\n.*\n.*\nTo try .*INSECURE_HOST=on/,
  ],
];
for (const [env, says] of HALF_RIGHT) {
  test(`with ${JSON.stringify(env)} and a real database the service does not start and makes no demo`, async () => {
    const { code, stderr } = await loyalty(['serve'], { env: { ...env, PORT: '0' } });
    assert.equal(code, 1);
    assert.match(stderr, says);
    assert.deepEqual((await sql`select id from commerces`.execute(db)).rows, []);
  });
}

test('a service with a database of its own makes no demo, shows no mails, and keeps them for one that sends', async (t) => {
  const { base, log, stop } = await serve({ PORT: '0' });
  t.after(stop);
  assert.deepEqual((await sql`select id from commerces`.execute(db)).rows, []);
  assert.match(log.join('\n'), /Mails are not sent, because SMTP_URL is not set/);

  const shop = await makeShop();
  const email = someone();
  const asked = await fetch(`${base}/v1/auth/otp/request`, {
    method: 'POST',
    headers: { ...atCommerce(shop.id), 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  });
  assert.equal(asked.status, 200);
  for (const path of ['/dev/mail', '/dev/mail.json']) assert.equal((await fetch(base + path)).status, 404);
  // A sender looks for mails every second.
  await sleep(1_500);
  const { rows } = await sql`
    select sent_at, failed_at, attempts from outbox where recipient = ${email}`.execute(db);
  assert.deepEqual(rows, [{ sent_at: null, failed_at: null, attempts: 0 }]);
});

/** Starts the service and reads the lines that it prints until it is ready. */
async function serve(env: Record<string, string>) {
  const child = await startLoyalty(['serve'], env);
  const log: string[] = [];
  let base: string | undefined;
  child.stderr.on('data', (data) => log.push(String(data)));
  for await (const line of createInterface({ input: child.stdout })) {
    log.push(line);
    base = /ready at (\S+)/.exec(line)?.[1];
    if (base !== undefined) break;
  }
  assert.ok(base !== undefined, log.join('\n'));
  child.stdout.resume();
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { base, log, stop };
}
