import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import { readInstallationIds, readWireIds } from '#batching/wire-ids.ts';
import { readProgram as readProgramVersion } from '#commerces/commerce.ts';
import { sql, type Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { importMembers } from '#enrolment/import-members.ts';
import { createLog } from '#http/log.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { applyProgram } from '#apply/apply-program.ts';
import { readProgram } from '#program/read-program.ts';
import { writeProgram } from '#program/write-program.ts';
import { importPurchases } from '#purchases/import-purchases.ts';
import { runDueJobs } from '#jobs/run-jobs.ts';
import { databaseUrl, emptyDatabase, nameOf } from '../database.ts';
import { ROOT } from '../repository.ts';
import { changedAnswers, changedLastMinutes, LAST_MINUTES, type Changed } from './changed-answers.ts';
import { linesOf } from './csv-lines.ts';
import { callAs, loadRelease, upgrade, upgradeUnderOldService, type Upgraded } from './load-release.ts';
import { readReleases, type Release, type Replay } from './release.ts';
import { schemaOf } from './schema-of.ts';

/** 0.1.0 locked this table while it migrated. Nothing reads it now, and it stays. */
const LEFT_OVER = 'schema_migrations_lock';

const releases = readReleases();

for (const release of releases) {
  const { version } = release;

  test(`what ${version} stored is read as it was, and goes on`, async (t) => {
    const db = await emptyDatabase(t, 4);
    const upgraded = await upgrade(db, release);
    t.after(() => upgraded.app.close());

    await t.test('the books agree', () => assertBooksAgree(db));
    await t.test('no answer changed but those that a decision changed', async () =>
      assertAsDecided(release, await changedAnswers(upgraded, release)),
    );
    await t.test('every version of a program is still a program', () => assertProgramsRead(db));
    await t.test('its program files change nothing', () => assertProgramsAreInForce(db, release));
    await t.test('its imported files change nothing', () => assertImportsAreKnown(db, release));
    await t.test('its idempotency keys get their first answers, to the byte', () =>
      assertReplays(upgraded, release, release.replays),
    );
    await t.test('its keys, sessions and codes open what they did, and nothing else', () =>
      assertCredentials(upgraded, release),
    );
    await t.test('the mails that waited are sent', () => assertMailsLeave(db));
    await t.test('members buy, return, exchange and redeem', () => assertLifeGoesOn(upgraded, release));
    await t.test('the books agree after all that, and after the jobs', async () => {
      await assertBooksAgree(db);
      await runDueJobs(db);
      await assertBooksAgree(db);
    });
  });

  test(`the schema of ${version} becomes the one that is made from nothing`, async (t) => {
    const old = await emptyDatabase(t, 2);
    await loadRelease(old, release);
    await migrate(old);
    const fresh = await emptyDatabase(t, 2);
    await migrate(fresh);
    const used = (await schemaOf(old)).filter((line) => !line.includes(LEFT_OVER));
    assert.deepEqual(used, await schemaOf(fresh));
  });
}

test('every answer that changed names the document that says why', () => {
  const missing = releases
    .flatMap(({ changes }) => changes.map(({ decision }) => decision.slice(0, decision.indexOf(':'))))
    .filter((path) => !existsSync(join(ROOT, path)));
  assert.deepEqual(missing, []);
});

const previous = releases.at(-1)!;

test(`what ${previous.version} still wrote after the migrations is read right`, async (t) => {
  const db = await emptyDatabase(t, 4);
  const upgraded = await upgradeUnderOldService(db, databaseUrl(await nameOf(db)), previous);
  t.after(() => upgraded.app.close());
  await assertBooksAgree(db);
  assertAsDecided(previous, await changedLastMinutes(upgraded, previous), LAST_MINUTES);
  await assertReplays(upgraded, previous, previous.lastMinutes.replays);

  // What a tier gave is not given again by the next purchase, whoever noted it.
  const before = await levelVouchers(db);
  await everyoneBuys(upgraded, previous, 1);
  assert.deepEqual(await levelVouchers(db), before);
  await assertBooksAgree(db);
});

test(`the statements of ${previous.version} still run on the migrated schema`, async (t) => {
  const db = await emptyDatabase(t, 1);
  await migrate(db);
  const broken: string[] = [];
  for (const statement of previous.statements) {
    // Parsed and planned, as far as that goes without values.
    await sql
      .raw(`prepare statement_of_before as ${statement}`)
      .execute(db)
      .then(
        () => sql`deallocate statement_of_before`.execute(db),
        (error: Error) => broken.push(`${error.message}\n${statement}`),
      );
  }
  assert.deepEqual(broken, []);
});

test(`rows that ${previous.version} inserts need no column that it does not know`, async (t) => {
  const old = await emptyDatabase(t, 1);
  await loadRelease(old, previous);
  const known = await tablesOf(old);
  await migrate(old);
  const demanded = (await requiredColumns(old)).filter(
    ({ table, column }) => known.has(table) && !known.get(table)!.has(column),
  );
  assert.deepEqual(demanded, []);
});

async function assertBooksAgree(db: Database): Promise<void> {
  const { differences, movements } = await verifyLedger(db);
  assert.ok(movements > 100);
  assert.deepEqual(differences, []);
}

/** `changes.json` lists what is answered otherwise now, and why; all else is as it was. */
function assertAsDecided({ changes }: Release, changed: readonly Changed[], part = ''): void {
  const decided = new Map(changes.flatMap(({ answers }) => Object.entries(answers)));
  const is = Object.fromEntries(changed.map(({ name, is }) => [name, is]));
  const should = Object.fromEntries(changed.map(({ name, was }) => [name, decided.get(name) ?? was]));
  assert.deepEqual(is, should, 'see CONTRIBUTING.md, “Releases”, for answers that change on purpose');
  const ofThisPart = decided
    .keys()
    .filter((name) => name.startsWith(LAST_MINUTES) === (part === LAST_MINUTES));
  const unchanged = ofThisPart.filter((name) => !(name in is));
  assert.deepEqual([...unchanged], [], 'listed in changes.json, and answered as ever');
}

async function assertProgramsRead(db: Database): Promise<void> {
  const { rows } = await sql<{ commerceId: number; version: number }>`
    select commerce_id as "commerceId", version from programs order by 1, 2`.execute(db);
  assert.ok(rows.length > 10);
  for (const { commerceId, version } of rows) {
    const program = await readProgramVersion(db, commerceId, version);
    const read = readProgram(writeProgram(program));
    assert.ok(read.ok, `version ${version} of commerce ${commerceId} writes as a file that reads`);
  }
}

async function assertProgramsAreInForce(db: Database, { programs }: Release): Promise<void> {
  for (const [file, text] of Object.entries(programs)) {
    const read = readProgram(text);
    assert.ok(read.ok, `${file}: ${JSON.stringify(read)}`);
    const { created, changes } = await applyProgram(db, read.program, { clock: read.clock });
    assert.deepEqual({ file, created, changes }, { file, created: false, changes: [] });
  }
}

async function assertImportsAreKnown(db: Database, { imports, credentials }: Release): Promise<void> {
  for (const [file, text] of Object.entries(imports)) {
    const [slug, kind] = file.split('.');
    const { id } = credentials.shops[slug!]!;
    if (kind === 'members') {
      const { rows, existing, refused } = await importMembers(db, id, linesOf(text));
      assert.deepEqual({ file, existing, refused }, { file, existing: rows, refused: [] });
    } else {
      const { rows, repeated, refused } = await importPurchases(db, id, linesOf(text));
      assert.deepEqual({ file, repeated, refused }, { file, repeated: rows, refused: [] });
    }
  }
}

async function assertReplays(
  upgraded: Upgraded,
  release: Release,
  replays: readonly Replay[],
): Promise<void> {
  for (const replay of replays) {
    // A closed shop's key says nothing any more.
    if (release.credentials.shops[replay.at]!.status === 'closed') continue;
    const { statusCode: status, payload: text, headers } = await callAs(upgraded, release, replay);
    const given = headers['x-consumption-id'] === undefined ? null : Number(headers['x-consumption-id']);
    // A purchase that the release recorded while the upgrade was rolled out has a plain id and a hidden one.
    const ids = await readInstallationIds(upgraded.db, 'purchase');
    // Reversals had no such header then. It names the purchase, as the path does.
    const first =
      replay.consumptionId ?? Number(/^\/v1\/consumptions\/(\d+)\/reversal$/.exec(replay.path)?.[1] ?? 0);
    const isSame = given !== null && ids.fromWire(given) === ids.fromWire(first);
    const consumptionId = isSame ? replay.consumptionId : given;
    const replayed = headers['idempotency-replayed'];
    assert.deepEqual({ ...replay, status, text, consumptionId, replayed }, { ...replay, replayed: 'true' });
  }
}

async function assertCredentials(upgraded: Upgraded, release: Release): Promise<void> {
  const { app } = upgraded;
  const { shops, codes, deadCodes, endedSessions, accessToken } = release.credentials;
  const list = (key: string) =>
    app.inject({ url: '/v1/clients/list', headers: { authorization: `Bearer ${key}` } });
  for (const { key, revokedKey, status } of Object.values(shops)) {
    assert.equal((await list(key)).statusCode, status === 'closed' ? 401 : 200);
    assert.equal((await list(revokedKey)).statusCode, 401);
  }

  const { email, header, payload, key } = accessToken;
  const signed = await new SignJWT({ ...payload })
    .setProtectedHeader({ alg: 'HS256', ...header })
    .setIssuedAt()
    .setExpirationTime('10 min')
    .sign(Buffer.from(key, 'hex'));
  const [shop] = Object.values(shops);
  const mine = await app.inject({
    url: '/v1/me',
    headers: { 'x-commerce-id': String(shop!.id), authorization: `Bearer ${signed}` },
  });
  assert.deepEqual([mine.statusCode, mine.json<{ email: string }>().email], [200, email]);

  const post = (path: string, at: number, payload: object) =>
    app.inject({ method: 'POST', url: path, headers: { 'x-commerce-id': String(at) }, payload });
  for (const { refresh, why } of endedSessions)
    assert.equal((await post('/v1/auth/refresh', shop!.id, { refresh })).statusCode, 401, why);
  for (const { at, email, otp } of deadCodes)
    assert.equal((await post('/v1/auth/otp/verify', shops[at]!.id, { email, otp })).statusCode, 400);
  for (const { at, email, otp } of codes) {
    const first = await post('/v1/auth/otp/verify', shops[at]!.id, { email, otp });
    assert.deepEqual([first.statusCode, first.json<{ email: string }>().email], [200, email]);
    const again = await post('/v1/auth/otp/verify', shops[at]!.id, { email, otp });
    assert.equal(again.statusCode, 400);
  }
}

async function assertMailsLeave(db: Database): Promise<void> {
  await sql`update outbox set due_at = now() where sent_at is null and failed_at is null`.execute(db);
  const sent = new Set<string>();
  const sender = startMailSender({
    db,
    secret: ['a secret of the tests, 32 characters'],
    mailer: {
      keepsMails: false,
      close: () => {},
      send: ({ subject, text, html }) => {
        assert.ok(subject !== '' && text !== '' && html !== '');
        sent.add(subject);
        return Promise.resolve();
      },
    },
    log: createLog({ level: 'silent' }),
    base: 'https://club.example',
  });
  const waiting = () =>
    sql<{ count: number }>`
      select count(*) as count from outbox where sent_at is null and failed_at is null`.execute(db);
  for (; (await waiting()).rows[0]!.count > 0; sender.wake())
    await new Promise((resolve) => void setTimeout(resolve, 10));
  await sender.stop();
  assert.ok(sent.size > 3);
  const { rows } = await sql`
    select kind, last_error from outbox where failed_at is not null and last_error <> 'no such mailbox'`.execute(
    db,
  );
  assert.deepEqual(rows, []);
}

/** What the contract's calls write, on top of what the release wrote. */
async function assertLifeGoesOn(upgraded: Upgraded, release: Release): Promise<void> {
  const { db } = upgraded;
  const { shops } = release.credentials;
  const counts = {
    sold: await everyoneBuys(upgraded, release, 5_000),
    returned: 0,
    exchanged: 0,
    redeemed: 0,
  };
  for (const [at, { id, status }] of Object.entries(shops)) {
    if (status !== 'active') continue;
    const key = (method: string, path: string, body?: object) =>
      callAs(upgraded, release, { at, by: 'key', method, path, ...(body && { body }) });

    const vouchers = await sql<{ code: number }>`
      select v.code from vouchers v join commerces c on c.id = v.commerce_id
       where v.commerce_id = ${id} and used_at is null and given_back_at is null
         and (due_at is null or due_at > program_now(c)) order by code`.execute(db);
    for (const { code } of vouchers.rows) {
      const body = { client_benefit_code: code };
      assert.equal((await key('POST', '/v1/benefits/redeem', body)).statusCode, 200);
      assert.equal((await key('POST', '/v1/benefits/redeem', body)).statusCode, 400);
      counts.redeemed++;
    }

    for (const by of upgraded.access.keys()) {
      const mine = (method: string, path: string, body?: object) =>
        callAs(upgraded, release, { at, by, method, path, ...(body && { body }) });
      const { points, subscribed } = (await mine('GET', '/v1/me')).json<{
        points: number;
        subscribed: boolean;
      }>();
      const offers = (await mine('GET', '/v1/me/benefits/available')).json<{ id: string; cost: number }[]>();
      const offer = offers.find(({ cost }) => cost <= points);
      if (offer === undefined || !subscribed) continue;
      const bought = await mine('POST', '/v1/me/benefits/exchange', { benefit_id: offer.id });
      // Blocked people read on and buy nothing.
      if (bought.statusCode === 400) continue;
      assert.equal(bought.statusCode, 200);
      assert.equal((await mine('GET', '/v1/me')).json<{ points: number }>().points, points - offer.cost);
      counts.exchanged++;
    }

    const purchaseIds = await readWireIds(db, id, 'purchase');
    const purchases = await sql<{ id: number }>`
      select id from movements where commerce_id = ${id} and type = 'purchase' order by id`.execute(db);
    for (const purchase of purchases.rows) {
      const path = `/v1/consumptions/${purchaseIds.toWire(purchase.id)}`;
      const before = (await key('GET', path)).json<{ amount: number; reversed_amount: number }>();
      const returned = await key('POST', `${path}/reversal`, {});
      // Reversed before, or spent where the program refuses returns of spent points.
      if (returned.statusCode === 400) continue;
      assert.equal(returned.statusCode, 201);
      assert.equal(returned.json<{ amount: number }>().amount, before.amount - before.reversed_amount);
      counts.returned++;
    }
  }
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 0, `nothing was ${what}`);
}

/** A purchase by every active member of every open shop; it earns what its preview said. Gives how many there were. */
async function everyoneBuys(upgraded: Upgraded, release: Release, amount: number): Promise<number> {
  let count = 0;
  for (const [at, { id, status }] of Object.entries(release.credentials.shops)) {
    if (status !== 'active') continue;
    const key = (method: string, path: string, body?: object) =>
      callAs(upgraded, release, { at, by: 'key', method, path, ...(body && { body }) });
    const { rows } = await sql<{ code: number }>`
      select code from members where commerce_id = ${id} and state = 'member' and blocked_at is null`.execute(
      upgraded.db,
    );
    for (const { code } of rows) {
      const body = { client_code: code, amount };
      const previewed = (await key('POST', '/v1/consumptions/preview', body)).json<{ points: number }>();
      const sold = await key('POST', '/v1/consumptions/client-code', body);
      assert.equal(sold.statusCode, 201, `${at}: a purchase of ${code}: ${sold.payload}`);
      const read = await key('GET', String(sold.headers['location']));
      assert.equal(read.json<{ points: number }>().points, previewed.points);
      count++;
    }
  }
  return count;
}

async function levelVouchers(db: Database): Promise<unknown[]> {
  const { rows } = await sql`
    select commerce_id, member_id, benefit_id, count(*) from vouchers where source = 'level'
     group by 1, 2, 3 order by 1, 2, 3`.execute(db);
  return rows;
}

/** The columns of each table. */
async function tablesOf(db: Database): Promise<Map<string, Set<string>>> {
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select table_name as "table", array_agg(column_name::text) as columns
      from information_schema.columns where table_schema = 'public' group by table_name`.execute(db);
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]));
}

/** Columns without which no row can be inserted. */
async function requiredColumns(db: Database): Promise<{ table: string; column: string }[]> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column"
      from information_schema.columns
     where table_schema = 'public' and is_nullable = 'NO' and column_default is null
       and is_identity = 'NO' and is_generated = 'NEVER'`.execute(db);
  return rows;
}
