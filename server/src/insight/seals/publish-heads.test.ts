import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, transaction } from '#db/database.ts';
import type { Mailer, OutgoingMail } from '#mail/mailer.ts';
import { readStatus } from '#monitoring/read-status.ts';
import { expectTampering } from '#test/database.ts';
import { service } from '#test/harness.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { createHeadSigner, isSignedBy, readHeads } from './head.ts';
import { publishHeads, startPublishingHeads, type PublishOptions } from './publish-heads.ts';
import { sealLedger } from './seal-ledger.ts';

const { db } = await service();
const signer = createHeadSigner('a secret');

test('each head is published once, into folders and by mail, and a failed round is tried again', async (t) => {
  const outbox = createMailer();
  const { folder, options } = await begin(t, outbox.mailer, ['a@example.com']);
  const [one, two] = [await sealed(5), await sealed(5)];

  outbox.refuses.add('a@example.com');
  await assert.rejects(publishHeads({ ...options, folders: [] }), /refused/);
  outbox.refuses.clear();
  assert.equal(await publishHeads(options), 2);
  assert.equal(await publishHeads(options), 0, 'nothing is new');
  assert.deepEqual(await filesIn(folder), [`${one.slug}-5.head`, `${two.slug}-5.head`].toSorted());
  assert.equal(outbox.sent.length, 1);
  const heads = readHeads(outbox.sent[0]!.text.split('\nKeep')[0]!)!;
  assert.deepEqual(
    heads.map(({ size }) => size),
    [5, 5],
  );
  assert.ok(heads.every((head) => isSignedBy(head, signer.verifierKey(head.origin))));
  assert.ok(heads.every((head) => !isSignedBy(head, createHeadSigner('another').verifierKey(head.origin))));

  await grow(one);
  assert.equal(await publishHeads(options), 0, 'the last one was sent less than a day ago');
  await nextDay();
  const counts = await Promise.all([publishHeads(options), publishHeads(options)]);
  assert.equal(counts[0] + counts[1], 1, 'two processes at once send it once');
  assert.equal((await filesIn(folder)).length, 3);
});

test('an address that refuses keeps the others from nothing, and gets them no mail twice', async (t) => {
  const outbox = createMailer();
  outbox.refuses.add('b@example.com');
  const { options } = await begin(t, outbox.mailer, ['a@example.com', 'b@example.com']);
  await sealed(1);
  await assert.rejects(publishHeads(options), /b@example.com is refused/);
  for (let round = 0; round < 3; round++) assert.equal(await publishHeads(options), 0);
  assert.deepEqual(
    outbox.sent.map(({ recipient }) => recipient),
    ['a@example.com'],
  );
});

test('heads that a process was sending when it ended are sent ten minutes later', async (t) => {
  const outbox = createMailer();
  const { options } = await begin(t, outbox.mailer, ['a@example.com']);
  await sealed(5);
  const stuck = { ...outbox.mailer, send: () => new Promise<never>(() => {}) };
  void publishHeads({ ...options, folders: [], mailer: stuck });
  const isClaimed = async () =>
    (await sql`select from seal_logs where size > published_size and published_at is not null`.execute(db))
      .rows.length > 0;
  while (!(await isClaimed())) await sleep(10);
  assert.equal(await publishHeads(options), 0, 'they are being sent');
  await sql`update seal_logs set published_at = published_at - interval '10 minutes 1 second'`.execute(db);
  assert.equal(await publishHeads(options), 1);
  assert.equal(outbox.sent.length, 1);
  await sql`update seal_logs set published_at = published_at - interval '10 minutes 1 second'`.execute(db);
  assert.equal(await publishHeads(options), 0, 'they were sent less than a day ago');
});

test('a file that was cut off is written to its end', async (t) => {
  const { folder, options } = await begin(t);
  const [empty, half] = [await sealed(1), await sealed(1)];
  await publishHeads(options);
  const paths = [empty, half].map(({ slug }) => join(folder, `${slug}-1.head`));
  const whole = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  await writeFile(paths[0]!, '');
  await writeFile(paths[1]!, whole[1]!.slice(0, 40));
  await sql`update seal_logs set published_size = 0, published_at = null`.execute(db);
  await publishHeads(options);
  assert.deepEqual(await Promise.all(paths.map((path) => readFile(path, 'utf8'))), whole);
});

test('a history that was rewritten and has grown since is told each time, and the heads of other shops are kept', async (t) => {
  const { folder, options } = await begin(t);
  const [rewritten, fine] = [await sealed(3), await sealed(3)];
  await publishHeads(options);
  const path = join(folder, `${rewritten.slug}-3.head`);
  const before = await readFile(path, 'utf8');

  expectTampering(rewritten.id);
  await transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update movements set note = 'x' where commerce_id = ${rewritten.id}`.execute(tx);
    // Somebody who owns the database seals the other history under the same name.
    await sql`delete from seals where commerce_id = ${rewritten.id}`.execute(tx);
    await sql`delete from seal_tiles where commerce_id = ${rewritten.id}`.execute(tx);
    await sql`update seal_logs set size = 0, through_id = 0 where commerce_id = ${rewritten.id}`.execute(tx);
  });
  for (let size = 4; size <= 5; size++) {
    for (const shop of [rewritten, fine]) await grow(shop);
    await nextDay();
    await assert.rejects(
      publishHeads(options),
      new RegExp(`${rewritten.slug}-3.head has a head of another history`),
    );
    assert.ok((await filesIn(folder)).includes(`${fine.slug}-${size}.head`));
    assert.deepEqual([await rewrittenIn(rewritten), await rewrittenIn(fine)], [folder, null]);
  }
  assert.equal(await readFile(path, 'utf8'), before);

  await nextRound(rewritten);
  const other = await mkdtemp(join(tmpdir(), 'heads-'));
  t.after(() => rm(other, { recursive: true }));
  await assert.rejects(publishHeads({ ...options, folders: [folder, other] }), /another history/);
  assert.equal(await rewrittenIn(rewritten), folder, 'another folder that agrees takes nothing back');
  await rm(path);
  await nextRound(rewritten);
  await publishHeads(options);
  assert.equal(await rewrittenIn(rewritten), null, 'the folder agrees again');

  for (const name of await filesIn(folder)) if (name.startsWith(rewritten.slug)) await rm(join(folder, name));
  await writeFile(path, before);
  await nextRound(rewritten);
  await assert.rejects(publishHeads(options), /another history/);
  assert.equal(await rewrittenIn(rewritten), folder);
  await nextRound(rewritten);
  await publishHeads({ ...options, folders: [other] });
  assert.equal(await rewrittenIn(rewritten), null, 'nothing is published to the folder any more');
});

test('monitoring hears of rounds that publish, and since when they fail', async (t) => {
  const { folder, options } = await begin(t);
  const stateOf = async () => {
    const { work } = await readStatus(db);
    const { succeededAt = null, failingSince = null } = work.find(({ name }) => name === 'heads') ?? {};
    return { succeededAt, failingSince };
  };
  const shop = await sealed(1);
  await startPublishingHeads({ ...options, folders: ['/proc/heads'] }).stop();
  const { succeededAt: never, failingSince } = await stateOf();
  assert.ok(failingSince !== null);
  await nextRound(shop);
  await startPublishingHeads({ ...options, folders: ['/proc/heads'] }).stop();
  assert.deepEqual(await stateOf(), { succeededAt: never, failingSince }, 'since the first time');
  await nextRound(shop);
  await startPublishingHeads({ ...options, folders: [folder] }).stop();
  const now = await stateOf();
  assert.ok(now.succeededAt !== null && now.succeededAt >= failingSince);
  assert.equal(now.failingSince, null);
  await startPublishingHeads({ ...options, folders: [folder] }).stop();
  assert.deepEqual(await stateOf(), now, 'a round without a new head says nothing');
});

async function rewrittenIn(shop: Shop): Promise<string | null> {
  const { rows } = await sql<{ folder: string | null }>`
    select rewritten_in as folder from seal_logs where commerce_id = ${shop.id}`.execute(db);
  return rows[0]!.folder;
}

/** A day later with a new movement. */
async function nextRound(shop: Shop): Promise<void> {
  await grow(shop);
  await nextDay();
}

/** Forgets the heads of the tests before. */
async function begin(t: TestContext, mailer: Mailer | null = null, addresses: readonly string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'heads-'));
  t.after(() => rm(folder, { recursive: true }));
  await sql`update seal_logs set published_size = size, published_at = now()`.execute(db);
  const log = { info: () => {}, warn: () => {}, error: () => {} } as unknown as PublishOptions['log'];
  const options: PublishOptions = { db, log, signer, mailer, folders: [folder], addresses, everyHours: 24 };
  return { folder, options };
}

function createMailer() {
  const sent: OutgoingMail[] = [];
  const refuses = new Set<string>();
  const mailer: Mailer = {
    keepsMails: false,
    close: () => {},
    send: async (mail) => {
      if (refuses.has(mail.recipient)) throw new Error(`${mail.recipient} is refused`);
      sent.push(mail);
    },
  };
  return { sent, refuses, mailer };
}

async function sealed(movements: number): Promise<Shop> {
  const shop = await makeShop();
  for (let i = 0; i < movements; i++) await grow(shop);
  return shop;
}

async function grow(shop: Shop): Promise<void> {
  await shop.sell(await shop.member(), 5);
  await sealLedger(db, shop.id);
}

/** A little more than a day: on virtual machines, clocks of two processors can differ by a millisecond. */
async function nextDay(): Promise<void> {
  await sql`update seal_logs set published_at = now() - interval '25 hours' where published_at is not null`.execute(
    db,
  );
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).toSorted();
}
