import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Mailer, OutgoingMail } from '#mail/mailer.ts';
import { anotherDatabase, expectTampering } from '#test/database.ts';
import { sql } from '#db/database.ts';
import { createHeadSigner, isSignedBy, readHeads } from './head.ts';
import { publishHeads, type PublishOptions } from './publish-heads.ts';

test('each head is published once, into folders and by mail, and a failed round is tried again', async (t) => {
  const db = await anotherDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'heads-'));
  t.after(() => rm(folder, { recursive: true }));
  const sent: OutgoingMail[] = [];
  let isDown = true;
  const mailer: Mailer = {
    keepsMails: false,
    close: () => {},
    send: async (mail) => {
      if (isDown) throw new Error('the mail server is down');
      sent.push(mail);
    },
  };
  const signer = createHeadSigner('a secret');
  const log = { info: () => {}, error: () => {} } as unknown as PublishOptions['log'];
  const options = {
    db,
    log,
    signer,
    mailer,
    folders: [folder],
    addresses: ['a@example.com'],
    everyHours: 24,
  };
  for (const slug of ['one', 'two']) await makeLog(slug, 5);

  await assert.rejects(publishHeads(options), /mail server is down/);
  isDown = false;
  assert.equal(await publishHeads(options), 2);
  assert.equal(await publishHeads(options), 0, 'nothing is new');
  assert.deepEqual((await readdir(folder)).sort(), ['one-5.head', 'two-5.head']);
  assert.equal(sent.length, 1);
  const heads = readHeads(sent[0]!.text.split('\nKeep')[0]!)!;
  assert.deepEqual(
    heads.map(({ origin, size }) => [origin, size]),
    [
      ['loyalty/one/x', 5],
      ['loyalty/two/x', 5],
    ],
  );
  assert.ok(heads.every((head) => isSignedBy(head, signer.verifierKey(head.origin))));
  assert.ok(heads.every((head) => !isSignedBy(head, createHeadSigner('another').verifierKey(head.origin))));

  await addSeal('one', 6);
  assert.equal(await publishHeads(options), 0, 'the last one was sent less than a day ago');
  await sql`update seal_logs set published_at = now() - interval '1 day'`.execute(db);
  const [both] = await Promise.all([publishHeads(options), publishHeads(options)]).then((counts) => [
    counts.reduce((sum, count) => sum + count, 0),
  ]);
  assert.equal(both, 1, 'two processes at once send it once');
  assert.deepEqual((await readdir(folder)).sort(), ['one-5.head', 'one-6.head', 'two-5.head']);

  // Somebody rewrote the history, seals and all, and it has grown to the same size again.
  const before = await readFile(join(folder, 'two-5.head'), 'utf8');
  await sql`update seals set root = sha256(root) where commerce_id = (select id from commerces where slug = 'two')`.execute(
    db,
  );
  await sql`update seal_logs set published_size = 0, published_at = null`.execute(db);
  await assert.rejects(publishHeads(options), /two-5.head has another head of the same size/);
  assert.equal(await readFile(join(folder, 'two-5.head'), 'utf8'), before);

  async function makeLog(slug: string, size: number) {
    const { rows } = await sql<{ id: number }>`
      with commerce as (
        insert into commerces (slug, status, sandbox, time_zone, program_version)
        values (${slug}, 'active', false, 'UTC', 1) returning id)
      insert into seal_logs (commerce_id, origin) select id, 'loyalty/' || ${slug}::text || '/x' from commerce
      returning commerce_id as id`.execute(db);
    // There are no movements under these seals.
    expectTampering(rows[0]!.id);
    await addSeal(slug, size);
  }

  async function addSeal(slug: string, size: number) {
    await sql`
      with log as (
        update seal_logs set size = ${size} where origin = 'loyalty/' || ${slug}::text || '/x' returning commerce_id)
      insert into seals (commerce_id, size, through_id, root, points, points_earned, amount, purchases, sealed_at)
      select commerce_id, ${size}, 9, sha256(${slug}::bytea), 0, 0, 0, 0, now() from log`.execute(db);
  }
});
