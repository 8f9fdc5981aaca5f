import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from '#test/random.ts';
import type { InjectOptions } from 'fastify';
import { createKey } from '#commerces/api-keys.ts';
import { sql, type Database } from '#db/database.ts';
import { DEFAULT_SCOPES } from '#http/key-scopes.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { createAccessTokens } from '#sign-in/access-token.ts';
import {
  collecting,
  exportFrom,
  importInto,
  liveALittle,
  otherInstallation,
  sealed,
} from '#test/archives.ts';
import { testDatabase } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { createRandom } from '#test/create-random.ts';
import { makeShop, type Shop } from '#test/make.ts';
import { program } from '#test/model/programs.ts';
import { runProgram } from '#test/model/run-program.ts';
import { atOnce, throughRecorder } from '#test/model/till.ts';
import { buildApp } from '../../app.ts';
import { exportCommerce } from './export-commerce.ts';
import { ARCHIVED_TABLES } from './format.ts';
import { openArchive } from './read-archive.ts';
import { createArchiveWriter } from './write-archive.ts';

test('every column of a commerce is in its archive, or has a reason why it stays behind', async () => {
  const db = await testDatabase();
  const ofInstallation = ARCHIVED_TABLES.filter((table) => table.of === 'installation');
  const { rows } = await sql<{ table: string; column: string }>`
    select t.relname::text as table, a.attname::text as column
      from pg_class t
      join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
     where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
       and (t.relname = 'commerces' or t.relname = any(${ofInstallation.map(({ name }) => name)}::text[])
            or exists (select from pg_attribute c where c.attrelid = t.oid and c.attname = 'commerce_id' and not c.attisdropped))
       and a.attname <> 'commerce_id'
     order by 1, 2`.execute(db);
  const { commerce } = contentOf(await exportFrom(db, (await makeShop()).id));
  const archived = new Set([
    ...ARCHIVED_TABLES.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)),
    ...Object.keys(commerce![0]!).map((column) => `commerces.${column}`),
  ]);
  const left = rows
    .map(({ table, column }) => ({ table, column: `${table}.${column}` }))
    .filter(({ table, column }) => !archived.has(column) && !(table in STAYS) && !(column in STAYS));
  assert.deepEqual(
    left.map(({ column }) => column),
    [],
    'add it to the format, with the next version, or to STAYS with a reason',
  );
  const columns = new Set(rows.map(({ table, column }) => `${table}.${column}`));
  assert.deepEqual([...archived.difference(columns)], [], 'no such column');
});

/** The columns and tables that an archive leaves out. */
const STAYS: Readonly<Record<string, string>> = {
  'audit.session_id': 'sessions stay: everybody signs in anew',
  'commerces.id': 'an installation gives its own',
  clock_moves: 'what a move of a sandbox’s clock did is in the ledger',
  commerce_wire_ids: 'is in the header',
  commit_marks: 'kept for an hour, on a cluster',
  event_feeds: 'a reader of events begins anew in another installation',
  happenings: 'a reader of events begins anew with a snapshot',
  holds: 'carts let go of codes by themselves, within a week',
  ignored_fields: 'names that calls of the last thirty days misspelled',
  key_undos: 'what a key has undone today',
  ledger_checks: 'the job checks what it finds in the new place',
  'members.proved_at': 'proved to this installation: in another one members sign in by mail once',
  member_words: 'a trigger makes it from the names',
  outbox: 'mails leave from where they were written',
  webhook_deliveries: 'of a webhook, which stays',
  webhooks: 'endpoints and secrets are of the installation',
  problem_calls: 'failed calls of the last seven days',
  'seal_logs.rewritten_at': 'the folders of an installation are compared by that installation',
  'seal_logs.rewritten_in': 'the folders of an installation are compared by that installation',
  report_active: 'the job counts it from the ledger',
  report_days: 'the job counts it from the ledger',
  report_progress: 'the job counts the reports from the ledger',
  sessions: 'everybody signs in anew',
  set_ups: 'links of an installation',
  sign_in_codes: 'good for ten minutes',
  sign_in_sends: 'limits of an installation, kept for a day',
  wallet_devices: 'passes are signed for the address of an installation',
  wallet_passes: 'passes are signed for the address of an installation',
  wallet_shops: 'passes are signed for the address of an installation',
};

const PROGRAMS = Number(process.env['MODEL_PROGRAMS'] ?? 4);

test(`${PROGRAMS} random histories are the same after the move to another installation, seed ${fc.SEED}`, async () => {
  const [here, there] = [await testDatabase(), await otherInstallation()];
  const till = atOnce(throughRecorder(createPurchaseRecorder(here)));
  await fc.assert(
    fc.asyncProperty(program, async (random) => {
      const { commerceId } = await runProgram(here, till, random);
      const archive = await exportFrom(here, commerceId);
      const imported = await importInto(there, archive);
      assert.deepEqual(contentOf(await exportFrom(there, imported.commerceId)), contentOf(archive));
    }),
    { numRuns: PROGRAMS, endOnFailure: true },
  );
});

test('callers get the same answers from the other installation, and ids and keys that they have stored still work', async (t) => {
  const { db, app: here } = await service();
  const there = await otherInstallation();
  const { shop, member, userEmail, consumptionId } = await liveALittle();
  const archive = await exportFrom(db, shop.id);
  const { commerceId } = await importInto(there, archive);
  const thereApp = await buildApp({ db: there, log: false, secret: SECRET });
  t.after(() => thereApp.close());

  const byKey = { authorization: `Bearer ${shop.key}` };
  const purchase = { method: 'POST', url: '/v1/consumptions/client-code' } as const;
  const calls = [
    '/v1/clients/list?limit=10&offset=0',
    `/v1/clients/${member.code}`,
    `/v1/clients/${member.code}/benefits`,
    '/v1/benefits/list',
    '/v1/consumptions',
    `/v1/consumptions/${consumptionId}`,
  ].map((url): InjectOptions => ({ method: 'GET', url, headers: byKey }));
  const repeated: InjectOptions = {
    ...purchase,
    headers: { ...byKey, 'idempotency-key': 'sale-1' },
    payload: { client_code: member.code, amount: 200 },
  };
  for (const call of [...calls, repeated]) {
    const [one, other] = [await here.inject(call), await thereApp.inject(call)];
    assert.ok(one.statusCode < 300, one.body);
    assert.deepEqual(
      [other.statusCode, other.headers['x-consumption-id'], withoutOwnIds(other.json())],
      [one.statusCode, one.headers['x-consumption-id'], withoutOwnIds(one.json())],
      JSON.stringify(call.url),
    );
  }

  const [mine, theirs] = [await tokenOf(db, shop.id, userEmail), await tokenOf(there, commerceId, userEmail)];
  for (const url of ['/v1/me', '/v1/me/benefits', '/v1/me/activity', '/v1/me/level', '/v1/me/card']) {
    const answers = await Promise.all([
      here.inject({ url, headers: { authorization: `Bearer ${mine}`, 'x-commerce-id': String(shop.id) } }),
      thereApp.inject({
        url,
        headers: { authorization: `Bearer ${theirs}`, 'x-commerce-id': String(commerceId) },
      }),
    ]);
    assert.deepEqual(withoutOwnIds(answers[1].json()), withoutOwnIds(answers[0].json()), url);
  }

  const reversal = {
    method: 'POST',
    url: `/v1/consumptions/${consumptionId}/reversal`,
    headers: byKey,
  } as const;
  assert.equal((await thereApp.inject({ ...reversal, payload: {} })).statusCode, 201);
  const next = await thereApp.inject({
    ...purchase,
    headers: byKey,
    payload: { client_code: member.code, amount: 5 },
  });
  assert.equal(next.statusCode, 201);
  const { rows } = await sql<{ isLast: boolean }>`
    select (array_agg(type order by id desc))[1] = 'purchase' as "isLast" from movements
     where commerce_id = ${commerceId}`.execute(there);
  assert.ok(rows[0]!.isLast, 'ids go on counting up');
});

test(`an archive that is cut off anywhere is refused, and nothing of it is stored (TEST_SEED=${fc.SEED})`, async () => {
  const random = createRandom(fc.SEED);
  const { shop } = await liveALittle();
  const archive = await exportFrom(await testDatabase(), shop.id);
  for (let i = 0; i < 25; i += 1) {
    const cut = archive.subarray(0, random.below(archive.length));
    await assert.rejects(
      importInto(await otherInstallation(), cut),
      /Nothing was imported/,
      `at ${cut.length}`,
    );
  }
  await assertAbsent(shop);
});

test('an archive that somebody has changed is refused, by its checksum or by its books', async () => {
  const there = await otherInstallation();
  const { shop } = await liveALittle();
  const archive = await exportFrom(await testDatabase(), shop.id);
  const refusals: [string, (text: string) => string, RegExp][] = [
    ['a figure', (text) => text.replace('"amount":200', '"amount":201'), /its checksum is wrong/],
    [
      'a lost row',
      (text) => text.replace(/\{"member_id":[^\n]*"moving"[^\n]*\n/, ''),
      /its checksum is wrong/,
    ],
    [
      'a lost table',
      (text) => text.replace(/\{"table":"rewards"[^\n]*\n/, ''),
      /refuses rows|no table|no service has stored/,
    ],
    ['another version', (text) => text.replace('"version":2', '"version":9'), /has version 9/],
    [
      'two rows in a line',
      (text) => sealed(text.replace(/("member_id":\d+[^\n]*"moving"[^\n]*\})\n(\{"member_id")/, '$1,$2')),
      /lines in balances that are not rows/,
    ],
    [
      'a movement',
      (text) => sealed(text.replace('"points":200,"points_earned":200', '"points":201,"points_earned":201')),
      /books of the archive do not agree/,
    ],
    [
      'a balance',
      (text) => sealed(text.replace(/("moving":\w+,"points":)\d+/, '$1900000')),
      /books of the archive do not agree/,
    ],
    [
      'a lost movement',
      (text) => sealed(text.replace(/\{"id":[^\n]*"amount":200[^\n]*\n/, '')),
      /books of the archive do not agree|refuses rows/,
    ],
    [
      'a person of another archive',
      (text) => sealed(text.replace(/("user_id":)\d+/, '$1123456789')),
      /refuses rows/,
    ],
    [
      'an id above all others',
      (text) =>
        sealed(text.replace(/(\{"table":"api_key(?:s|_uses)"[^\n]*\n\{"(?:key_)?id":)\d+/g, `$1${2 ** 47}`)),
      /an id in api_keys that is too high/,
    ],
    [
      'another shop’s program',
      (text) => sealed(text.replace(`"slug": "${shop.slug}"`, '"slug": "somebody-else"')),
      /belongs to another commerce/,
    ],
    [
      'a value of another kind',
      (text) => sealed(text.replace('"points":200,', '"points":"many",')),
      /refuses rows/,
    ],
  ];
  for (const [what, change, refusal] of refusals) {
    const text = gunzipSync(archive).toString();
    const changed = change(text);
    assert.ok(changed !== text, what);
    await assert.rejects(importInto(there, gzipSync(changed)), refusal, what);
  }
  const damaged = Buffer.from(archive);
  damaged[Math.floor(damaged.length / 2)]! ^= 0xff;
  await assert.rejects(importInto(there, damaged), /Nothing was imported/);
  await assert.rejects(importInto(there, archive, { sha256: '00' }), /This is another archive/);
  await assertAbsent(shop);
});

test('a commerce is imported once, and an account of the same address is the same person', async () => {
  const [here, there] = [await testDatabase(), await otherInstallation()];
  const { shop, userEmail } = await liveALittle();
  const archive = await exportFrom(here, shop.id);
  await sql`insert into users (email) values (${userEmail})`.execute(there);
  const tried = await importInto(there, archive, { dryRun: true });
  await assertAbsent(shop);
  assert.equal(tried.slug, shop.slug);

  const { commerceId, rows } = await importInto(there, archive);
  assert.ok(rows['movements']! > 0);
  const { rows: people } = await sql`select from users where email = ${userEmail}`.execute(there);
  assert.equal(people.length, 1);
  await assert.rejects(importInto(there, archive), /There is a commerce .* here already/);
  await sql`update commerces set slug = slug || '-old' where id = ${commerceId}`.execute(there);
  await assert.rejects(importInto(there, archive), /An API key of the archive is in use here already/);
});

test('the key of an exchange by a person who was erased never answers for somebody else', async () => {
  const [here, there] = [await testDatabase(), await otherInstallation()];
  const { shop, member, browser } = await liveALittle();
  const key = { 'idempotency-key': 'again' };
  assert.equal((await browser.post('/v1/me/benefits/exchange', { benefit_id: 'mug' }, key)).status, 200);
  await shop.erase(member);
  const { commerceId } = await importInto(there, await exportFrom(here, shop.id));
  const { rows } = await sql<{ operation: string }>`
    select operation from idempotency_keys where commerce_id = ${commerceId} and key = 'again'`.execute(
    there,
  );
  assert.match(rows[0]!.operation, /^exchange\/erased-\d+$/);
});

test('a shop with rows in every table of an archive, some of them written by its staff, is the same after the move', async () => {
  const [here, there] = [await testDatabase(), await otherInstallation()];
  const { shop } = await liveALittle();
  const archive = await exportFrom(here, shop.id);
  const content = contentOf(archive);
  assert.deepEqual(
    ARCHIVED_TABLES.map(({ name }) => name).filter((name) => (content[name] ?? []).length === 0),
    [],
    'without a row, a table of an archive is not tested here',
  );
  assert.ok(content['audit']!.some(({ actor }) => actor === 'staff'));
  assert.ok(content['programs']!.some(({ actor }) => actor === 'staff'));
  const { commerceId } = await importInto(there, archive);
  assert.deepEqual(contentOf(await exportFrom(there, commerceId)), content);
});

test('pictures are written and read a few at a time, because memory has to hold them', async () => {
  const db = await testDatabase();
  const shop = await makeShop();
  const mostBytes = 2_000_000;
  await sql`
    insert into pictures (commerce_id, hash, width, height, large, small)
    select ${shop.id}, rpad(n::text, 22, 'x'), 9, 9, decode(repeat('00', ${mostBytes}), 'hex'), '\\x00'
      from generate_series(1, 9) as n`.execute(db);
  const chunks: Buffer[] = [];
  const writer = createArchiveWriter(collecting(chunks));
  let mostWritten = 0;
  await exportCommerce(db, shop.id, {
    ...writer,
    writeRows(lines) {
      mostWritten = Math.max(mostWritten, sizeOf(lines));
      return writer.writeRows(lines);
    },
  });
  const archive = await openArchive(Readable.from(chunks));
  const read: number[] = [];
  for await (const { table, lines } of { [Symbol.asyncIterator]: () => archive.readRows() })
    if (table.name === 'pictures') read.push(sizeOf(lines));
  assert.ok(
    read.length > 1 && Math.max(mostWritten, ...read) < 5 * mostBytes * 2,
    `${mostWritten} ${Math.max(...read)}`,
  );
});

test('an export that meets a deadlock is refused, because its first part is in the file', async () => {
  const db = await testDatabase();
  const shop = await makeShop();
  const written: Buffer[] = [];
  const writer = createArchiveWriter(collecting(written));
  let attempts = 0;
  const exporting = exportCommerce(db, shop.id, {
    ...writer,
    async writeHeader(header) {
      await writer.writeHeader(header);
      attempts += 1;
      if (attempts === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    },
  });
  await assert.rejects(exporting, { message: 'The database broke off: deadlock detected. Try again.' });
  assert.equal(attempts, 1);
});

test('an import that is tried or refused leaves the counters below the ids of the archive', async () => {
  const there = await otherInstallation();
  const { shop } = await liveALittle();
  await sql`select setval('api_keys_id_seq', 1000000)`.execute(await testDatabase());
  await createKey(await testDatabase(), shop.id, 'another');
  const archive = await exportFrom(await testDatabase(), shop.id);
  await importInto(there, archive, { dryRun: true });
  const wrong = (text: string) =>
    text.replace('"points":200,"points_earned":200', '"points":201,"points_earned":201');
  await assert.rejects(
    importInto(there, gzipSync(sealed(wrong(gunzipSync(archive).toString())))),
    /books of the archive do not agree/,
  );
  const { rows } = await sql<{ last: number }>`
    select coalesce(last_value, 0) as last from pg_sequences where sequencename = 'api_keys_id_seq'`.execute(
    there,
  );
  assert.ok(rows[0]!.last < 1_000_000, `${rows[0]!.last}`);
});

test('an archive whose header is not whole is refused', async () => {
  const archive = await exportFrom(await testDatabase(), (await makeShop()).id);
  const lines = gunzipSync(archive).toString().split('\n');
  const header = JSON.parse(lines[0]!) as Record<string, unknown>;
  for (const changed of [
    { ...header, commerce: undefined },
    { ...header, commerce: { ...(header['commerce'] as Row), slug: undefined } },
    { ...header, wire_ids: undefined },
    { ...header, wire_ids: [] },
    { ...header, exported_at: 7 },
  ]) {
    const text = sealed([JSON.stringify(changed), ...lines.slice(1)].join('\n'));
    await assert.rejects(importInto(await otherInstallation(), gzipSync(text)), {
      message: 'The header of the archive is not whole. Nothing was imported.',
    });
  }
});

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

type Row = Record<string, unknown>;

/** The rows of an archive by table. Accounts are known by their address, and the export and the import are left out of the audit. */
function contentOf(archive: Buffer): Record<string, Row[]> {
  const [header = '', ...lines] = gunzipSync(archive).toString().trimEnd().split('\n');
  const { commerce, wire_ids: wireIds } = JSON.parse(header) as { commerce: Row; wire_ids: Row[] };
  const content: Record<string, Row[]> = { commerce: [commerce], wire_ids: wireIds };
  let rows: Row[] = [];
  for (const line of lines.slice(0, -1)) {
    const row = JSON.parse(line) as Row;
    if ('table' in row) content[String(row['table'])] = rows = [];
    else rows.push(row);
  }
  const addressOf = new Map(content['users']!.map(({ id, email }) => [id, String(email)]));
  const personOf = new Map(content['staff_people']!.map(({ id, email }) => [id, String(email)]));
  return {
    ...content,
    users: content['users']!.map((user) => ({ ...user, id: null })),
    staff_people: content['staff_people']!.map((person) => ({ ...person, id: null })),
    staff: content['staff']!.map((row) => ({ ...row, person_id: personOf.get(row['person_id']) ?? null })),
    members: content['members']!.map((row) => ({ ...row, user_id: addressOf.get(row['user_id']) ?? null })),
    idempotency_keys: content['idempotency_keys']!.map((row) => ({
      ...row,
      operation: String(row['operation']).replace(
        /^exchange\/(\d+)$/,
        (_, id) => `exchange/${addressOf.get(Number(id)) ?? `erased-${id}`}`,
      ),
    })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    // A job that failed there has not run here.
    commerce_jobs: content['commerce_jobs']!.map((row) => ({
      ...row,
      failing_since: null,
      last_error: null,
    })),
    audit: content['audit']!.filter(({ action }) => action !== 'commerce.import'),
  };
}

/** Leaves out the ids that an installation gives: those of users, and of the commerce in an answer about it. */
function withoutOwnIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => {
      if (key === 'user_id') return undefined;
      return key === 'commerce' ? { ...(inner as Row), id: null } : inner;
    }),
  );
}

async function tokenOf(db: Database, commerceId: number, email: string): Promise<string> {
  const { rows } = await sql<{ userId: number; sessionId: number }>`
    insert into sessions (handle, user_id, commerce_id, ends_at)
    select decode(md5(${email}), 'hex'), id, ${commerceId}, now() + interval '1 day' from users where email = ${email}
    returning user_id as "userId", id as "sessionId"`.execute(db);
  return createAccessTokens(SECRET).issue({ ...rows[0]!, commerceId }, new Date());
}

async function assertAbsent(shop: Shop): Promise<void> {
  const { rows } = await sql`select from commerces where slug = ${shop.slug}`.execute(
    await otherInstallation(),
  );
  assert.equal(rows.length, 0);
}

test('keys keep their scopes, and those of an archive from before there were scopes have the default set', async () => {
  const [here, there] = [await testDatabase(), await otherInstallation()];
  const scopesIn = async (commerceId: number) => {
    const { rows } = await sql<{ scopes: string[] }>`
      select scopes from api_keys where commerce_id = ${commerceId} order by id`.execute(there);
    return rows.map(({ scopes }) => scopes);
  };
  const [today, before] = [await makeShop(), await makeShop()];
  for (const { id } of [today, before]) await createKey(here, id, 'kiosk', { scopes: ['redeem', 'undo'] });
  const imported = await importInto(there, await exportFrom(here, today.id));
  assert.deepEqual(await scopesIn(imported.commerceId), [DEFAULT_SCOPES, ['redeem', 'undo']]);
  const text = gunzipSync(await exportFrom(here, before.id)).toString();
  const older = sealed(
    text
      .replace('"version":2', '"version":1')
      .replace('"role","scopes",', '"role",')
      .replace('"first_due_at",', '')
      .replace(',"told_until","told_code"', '')
      .replace(',"remainder","remainder_since"', '')
      .replaceAll(/^\{"table":"(redemptions|orders|order_codes|order_lines|purchase_lines)".*\n/gm, '')
      .replaceAll(/^\{"table":"(pending_points|pending_benefits|stamp_cards|full_cards)".*\n/gm, '')
      .replaceAll(/("role":null),"scopes":\[[^\]]*\]/g, '$1'),
  );
  assert.doesNotMatch(older, /"scopes"/);
  const moved = await importInto(there, gzipSync(older));
  assert.deepEqual(await scopesIn(moved.commerceId), [DEFAULT_SCOPES, DEFAULT_SCOPES]);
});
