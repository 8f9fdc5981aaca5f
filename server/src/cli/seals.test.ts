import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { sql, transaction, type Database } from '#db/database.ts';
import { NOWHERE } from '#points/purchase-facts.ts';
import { recordPurchases } from '#purchases/record-purchases.ts';
import { sealLedger } from '#seals/seal-ledger.ts';
import { commandFolder, loyalty } from '#test/command.ts';
import { expectTampering, testDatabase } from '#test/database.ts';
import { makeShop, type Shop } from '#test/make.ts';

const KEY = { SEAL_KEY: 'ZWz0p6nqSwVq6iQZ0o1F9ZQeWl2u0bJt' };
/** A command that reaches no database. */
const OFFLINE = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };

let db: Database;
before(async () => {
  db = await testDatabase();
});

test('a movement is proved to somebody who has nothing but the proof and the published head', async () => {
  const { shop, ids } = await sealedShop(300);
  const head = await file('a.head', (await ledger('head', '--commerce', shop.slug)).stdout);
  const { verifier_key: key } = (await ledger('head', '--commerce', shop.slug, '--json')).json<
    { verifier_key: string }[]
  >()[0]!;
  await sell(shop, 30);
  await sealLedger(db, shop.id);
  // Heads are appended to one file.
  const later = (await ledger('head', '--commerce', shop.slug)).stdout;
  const all = await file('all.head', `${await readFile(head, 'utf8')}\n${later}`);
  const { rows } = await sql<{ id: number }>`
    select max(id) as id from movements where commerce_id = ${shop.id}`.execute(db);
  const young = await ledger('prove', String(rows[0]!.id), '--commerce', shop.slug, '--head', all, '--json');
  assert.equal(young.json<{ size: number }>().size, 330, young.stderr);
  for (const place of [0, 255, 299]) {
    const proved = await ledger('prove', String(ids[place]), '--commerce', shop.slug, '--head', head);
    assert.equal(proved.code, 0, proved.stderr);
    const proof = await file('a.tlog-proof', proved.stdout);
    const checked = await loyalty(['ledger', 'check-proof', proof, '--head', head, '--key', key], {
      env: OFFLINE,
    });
    assert.equal(checked.code, 0, checked.stderr);
    const { index, size, movement } = checked.json<{ index: number; size: number; movement: object }>();
    assert.deepEqual([index, size], [place, 300]);
    assert.equal((movement as { id: number }).id, ids[place]);
  }
});

test('a proof that was altered anywhere, or is for another head, is refused', async () => {
  const { shop, ids } = await sealedShop(5);
  const head = await file('b.head', (await ledger('head', '--commerce', shop.slug)).stdout);
  const proof = (await ledger('prove', String(ids[2]), '--commerce', shop.slug)).stdout;
  const lines = proof.split('\n');
  const refusal = async (text: string, ...more: string[]) => {
    const { code, stderr } = await loyalty(
      ['ledger', 'check-proof', await file('b.tlog-proof', text), '--head', head, ...more],
      { env: OFFLINE },
    );
    assert.equal(code, 1);
    return stderr;
  };
  const leaf = Buffer.from(lines[1]!.slice(6), 'base64').toString();
  const richer = Buffer.from(leaf.replace(',10,', ',99,')).toString('base64');
  assert.match(await refusal(proof.replace(lines[1]!, `extra ${richer}`)), /The proof is invalid/);
  assert.match(await refusal(proof.replace('index 2', 'index 3')), /The proof is invalid/);
  assert.match(await refusal(lines.toSpliced(3, 1).join('\n')), /The proof is invalid/);
  assert.match(await refusal(lines.slice(1).join('\n')), /is not a proof/);
  assert.match(await refusal(proof, '--key', 'x+00000000+AAAA'), /not signed by the key/);

  await sell(shop, 1);
  await sealLedger(db, shop.id);
  const later = (await ledger('prove', String(ids[2]), '--commerce', shop.slug)).stdout;
  assert.match(await refusal(later), /head over 6 movements, which .* does not have/);
  const forged = await file(
    'c.head',
    (await readFile(head, 'utf8')).replace(/\n5\n\S+\n/, `\n5\n${'A'.repeat(43)}=\n`),
  );
  const other = await loyalty(['ledger', 'check-proof', await file('b.tlog-proof', proof), '--head', forged]);
  assert.match(other.stderr, /its head is not the published one/);
});

test('what is not sealed yet, or was changed since, cannot be proved, and the verification says which it is', async () => {
  const { shop, ids } = await sealedShop(5);
  const { shop: other } = await sealedShop(2);
  // The heads of all shops, as they are published.
  const head = await file('d.head', (await ledger('head')).stdout);
  assert.ok((await readFile(head, 'utf8')).includes(other.slug));
  await sell(shop, 1);
  const { rows } = await sql<{ id: number }>`
    select max(id) as id from movements where commerce_id = ${shop.id}`.execute(db);
  const young = await ledger('prove', String(rows[0]!.id), '--commerce', shop.slug);
  assert.match(young.stderr, /newer than the last seal/);
  const fine = await ledger('verify', shop.slug, '--head', head);
  assert.equal(fine.code, 0, fine.stderr);
  assert.match(fine.stderr, /1 movement of them is newer than the last seal/);

  expectTampering(shop.id);
  await transaction(db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update movements set branch_id = 7 where commerce_id = ${shop.id} and id = ${ids[1]}`.execute(
      tx,
    );
  });
  const changed = await ledger('prove', String(ids[1]), '--commerce', shop.slug);
  assert.match(changed.stderr, /not as it was sealed/);
  const verified = await ledger('verify', shop.slug, '--json');
  assert.equal(verified.code, 1);
  const { differences } = verified.json<{ differences: { movement: number; invariant: string }[] }>();
  assert.deepEqual(
    differences.map(({ movement, invariant }) => [movement, invariant]),
    [[ids[1], 'a sealed movement is as it was when it was sealed']],
  );
});

test('a head is not signed by a command that does not know the key', async () => {
  const { shop } = await sealedShop(1);
  const { code, stdout, stderr } = await loyalty(['ledger', 'head', '--commerce', shop.slug]);
  assert.equal(code, 0);
  assert.match(stderr, /not signed, because neither SEAL_KEY nor SECRET_KEY is set/);
  assert.doesNotMatch(stdout, /—/);
});

function ledger(...args: string[]) {
  return loyalty(['ledger', ...args], { env: KEY });
}

async function file(name: string, text: string): Promise<string> {
  const path = join(commandFolder, name);
  await writeFile(path, text);
  return path;
}

async function sealedShop(movements: number): Promise<{ shop: Shop; ids: number[] }> {
  const shop = await makeShop();
  await sell(shop, movements);
  await sealLedger(db, shop.id);
  const { rows } = await sql<{ id: number }>`
    select id from movements where commerce_id = ${shop.id} order by id`.execute(db);
  return { shop, ids: rows.map(({ id }) => id) };
}

async function sell(shop: Shop, count: number): Promise<void> {
  const { code } = await shop.member();
  const purchase = { commerceId: shop.id, buyer: { code }, amount: 10, ...NOWHERE };
  await transaction(db, (tx) =>
    recordPurchases(
      tx,
      Array.from({ length: count }, () => purchase),
    ),
  );
}
