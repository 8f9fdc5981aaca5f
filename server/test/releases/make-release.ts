/**
 * Freezes the release of this checkout: `npm run release:freeze` lives a small history on an empty database, with the
 * service as it is here, and writes the folder of the version in package.json, or another one, `-- FOLDER`. See README.md beside this
 * file.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { hkdfSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { buildApp } from '../../src/app.ts';
import { readCommerce } from '#commerces/commerce.ts';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { readExplanation } from '#books/read-explanation.ts';
import { createLog } from '#http/log.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { UndeliverableMail, type Mailer } from '#mail/mailer.ts';
import { startMailSender } from '#mail/send-mails.ts';
import { writeProgram } from '#program/write-program.ts';
import { startScratchServer } from '../postgres.ts';
import { ROOT } from '../repository.ts';
import { liveBodega } from './history/bodega.ts';
import { liveCafeLuna } from './history/cafe-luna.ts';
import { liveFuji } from './history/fuji.ts';
import { liveKiosk } from './history/kiosk.ts';
import { liveLantern } from './history/lantern.ts';
import { liveSmallShops } from './history/small-shops.ts';
import { liveLastMinutes } from './history/last-minutes.ts';
import { mailedCode, type Shop, type World } from './history/world.ts';
import { recordAnswers } from './record-answers.ts';
import { folderOf, type Call, type Credentials, type Explained } from './release.ts';
import { watchStatements, type Traced } from './trace.ts';
import { writeDatabase } from './write-database.ts';

/** The one that this file's service signs with; it is kept with the release. */
const SECRET = 'the secret of a frozen release, 32+';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const folder = process.argv[2] ?? folderOf(manifest.version);
if (existsSync(folder)) {
  process.stderr.write(`${folder} is there already: a release is written once.\n`);
  process.exit(1);
}
const server = await startScratchServer();
try {
  await freeze(server.adminUrl);
} finally {
  await server.stop();
}

async function freeze(adminUrl: string): Promise<void> {
  const admin = openDatabase({ url: adminUrl, poolSize: 1, preparedStatements: false });
  await sql`create database release`.execute(admin);
  await admin.destroy();
  const url = Object.assign(new URL(adminUrl), { pathname: '/release' }).href;
  const staffDb = openDatabase({ url, poolSize: 1, preparedStatements: false });
  await migrate(staffDb);
  const trace: Traced[] = [];
  const onConnection = (client: PoolClient) => watchStatements(client, trace);
  const db = openDatabase({ url, poolSize: 4, preparedStatements: false, onConnection });
  const app = await buildApp({ db, log: false, secret: [SECRET] });
  const world: World = {
    db,
    staffDb,
    app,
    shops: new Map(),
    people: new Map(),
    endedSessions: [],
    replays: [],
  };
  try {
    const luna = await liveCafeLuna(world);
    await sendMails(world);
    const bodega = await liveBodega(world);
    await liveFuji(world);
    await liveSmallShops(world);
    await liveKiosk(world);
    await liveLantern(world);
    const codes = await leaveCodesOnTheirWay(world, luna, bodega);

    await assertBooksAgree(db);
    const answers = await recordAnswers(world);
    const explained = await explainAll(world);
    const files: Record<string, string> = {
      'database.sql': await writeDatabase(staffDb, await clocksOf(world)),
      'credentials.json': `${JSON.stringify(await credentialsOf(world, codes), null, 2)}\n`,
      'answers.json': oneALine(answers),
      'replays.json': oneALine(world.replays),
      'explained.json': oneALine(explained),
      'changes.json': '[]\n',
      ...(await programsOf(world)),
      ...importsOf(world),
    };
    const known = new Set(world.people.keys());
    const { sent, later } = await inLastMinutes(world, url, trace);
    const newcomers = Object.fromEntries(
      [...world.people.values()]
        .filter(({ email }) => !known.has(email))
        .map(({ email, refresh }) => [email, refresh]),
    );
    const first = new Set(answers.map((call) => JSON.stringify(call)));
    // An event says when the database wrote it, and that is another instant when the statements are sent again.
    const isTheFeed = ({ path }: Call) => path.startsWith('/v1/events');
    const changed = later.filter((call) => !isTheFeed(call) && !first.has(JSON.stringify(call)));

    const statements = [...new Set(trace.map(({ text }) => text))].filter(isStatement).sort();
    Object.assign(files, {
      'statements.json': oneALine(statements),
      'last-minutes/sent.json': oneALine(
        sent.map(({ text, ...rest }) => ({
          text: isStatement(text) ? statements.indexOf(text) : text,
          ...rest,
        })),
      ),
      'last-minutes/answers.json': oneALine(changed),
      'last-minutes/replays.json': oneALine(world.replays),
      'last-minutes/refresh.json': `${JSON.stringify(newcomers, null, 2)}\n`,
    });
    for (const part of ['programs', 'imports', 'last-minutes'])
      mkdirSync(join(folder, part), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    process.stdout.write(
      `${folder}: ${answers.length} answers, ${explained.length} movements, ${sent.length} statements of its last minutes\n`,
    );
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await app.close();
    await db.destroy();
    await staffDb.destroy();
  }
}

/** Goes on for a while on one connection, so that statements run in the order in which they are sent. */
async function inLastMinutes(world: World, url: string, trace: Traced[]) {
  const sent: Traced[] = [];
  const onConnection = (client: PoolClient) => watchStatements(client, sent);
  world.db = openDatabase({ url, poolSize: 1, preparedStatements: false, onConnection });
  world.app = await buildApp({ db: world.db, log: false, secret: [SECRET] });
  world.replays = [];
  try {
    await liveLastMinutes(world);
    trace.push(...sent);
    const all = [...sent];
    await assertBooksAgree(world.db);
    return { sent: all, later: await recordAnswers(world) };
  } finally {
    await world.app.close();
    await world.db.destroy();
  }
}

async function assertBooksAgree(db: Database): Promise<void> {
  const { differences } = await verifyLedger(db);
  assert.deepEqual(differences, []);
}

/** Not a transaction's own word, nor a setting. */
function isStatement(text: string): boolean {
  return /^(--[^\n]*\n)?\s*(select|insert|update|delete|with)\b/.test(text);
}

/** The mails so far leave: one is refused for good, one is put off. Those that come later stay in the outbox. */
async function sendMails({ db, staffDb }: World): Promise<void> {
  const mailer: Mailer = {
    keepsMails: false,
    close: () => {},
    send: ({ recipient }) => {
      if (recipient === 'gabi@example.com') return Promise.reject(new UndeliverableMail('no such mailbox'));
      if (recipient === 'hugo@example.com') return Promise.reject(new Error('the mailbox is full'));
      return Promise.resolve();
    },
  };
  const sender = startMailSender({
    secret: ['a secret of the releases, 32 characters'],
    db,
    mailer,
    log: createLog({ level: 'silent' }),
    base: 'https://club.example',
  });
  for (;;) {
    const { rows } = await sql`
      select from outbox where sent_at is null and failed_at is null and due_at <= now() limit 1`.execute(
      staffDb,
    );
    if (rows.length === 0) break;
    sender.wake();
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
  await sender.stop();
}

/** Codes that members, people whose points wait and strangers have asked for; one burned, one expired. */
async function leaveCodesOnTheirWay({ staffDb, app }: World, luna: Shop, bodega: Shop) {
  const ask = async (shop: Shop, email: string) => {
    const headers = { 'x-commerce-id': String(shop.id) };
    await app.inject({ method: 'POST', url: '/v1/auth/otp/request', headers, payload: { email } });
    return { at: shop.slug, email, otp: await mailedCode(staffDb, shop.id, email) };
  };
  const live = [
    await ask(luna, 'rita@example.com'),
    await ask(luna, 'gabi@example.com'),
    await ask(luna, 'newcomer@example.com'),
    await ask(bodega, 'walter@example.com'),
  ];
  const burned = await ask(luna, 'burned@example.com');
  const wrong = burned.otp === '000000' ? '000001' : '000000';
  for (let tries = 0; tries < 5; tries++) {
    const headers = { 'x-commerce-id': String(luna.id) };
    const payload = { email: burned.email, otp: wrong };
    await app.inject({ method: 'POST', url: '/v1/auth/otp/verify', headers, payload });
  }
  const expired = await ask(luna, 'expired@example.com');
  await sql`
    update sign_in_codes set issued_at = issued_at - interval '1 hour', expires_at = expires_at - interval '1 hour'
     where email = ${expired.email}`.execute(staffDb);
  return { live, dead: [burned, expired] };
}

async function explainAll({ db, staffDb, shops }: World): Promise<Explained[]> {
  const explained: Explained[] = [];
  for (const { id, slug } of shops.values()) {
    const { rows } = await sql<{ id: number }>`
      select id from movements where commerce_id = ${id} order by id`.execute(staffDb);
    for (const movement of rows) {
      const { sentence } = (await readExplanation(db, id, movement.id))!;
      explained.push({ at: slug, movement: movement.id, sentence });
    }
  }
  return explained;
}

/** A few minutes on, when all that is written down here has happened. */
async function clocksOf({ db, shops }: World): Promise<Map<number, Date>> {
  const commerces = await Promise.all([...shops.values()].map(({ id }) => readCommerce(db, id)));
  return new Map(
    commerces.flatMap((commerce) =>
      commerce!.sandbox ? [[commerce!.id, new Date(commerce!.now.getTime() + 300_000)]] : [],
    ),
  );
}

async function credentialsOf(
  { db, shops, people, endedSessions }: World,
  codes: Awaited<ReturnType<typeof leaveCodesOnTheirWay>>,
): Promise<Credentials> {
  const [someone] = people.values();
  const [header, payload] = someone!.access
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
  return {
    version: manifest.version,
    commit: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim(),
    secret: SECRET,
    shops: Object.fromEntries(
      await Promise.all(
        [...shops.values()].map(async ({ id, slug, key, officeKey, revokedKey }) => {
          const { status } = (await readCommerce(db, id))!;
          return [slug, { id, status, key, officeKey, revokedKey }] as const;
        }),
      ),
    ),
    refresh: Object.fromEntries([...people.values()].map(({ email, refresh }) => [email, refresh])),
    endedSessions,
    codes: codes.live,
    deadCodes: codes.dead,
    accessToken: {
      email: someone!.email,
      header: header!,
      payload: { ...payload, iat: undefined, exp: undefined },
      key: Buffer.from(hkdfSync('sha256', SECRET, '', 'access token', 32)).toString('hex'),
    },
  };
}

async function programsOf({ db, shops }: World): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const shop of shops.values()) {
    const { program, status } = (await readCommerce(db, shop.id))!;
    if (status === 'closed') continue;
    files[`programs/${shop.slug}.yaml`] = shop.programFile();
    files[`programs/${shop.slug}.exported.yaml`] = writeProgram(program);
  }
  return files;
}

function importsOf({ shops }: World): Record<string, string> {
  const files = [...shops.values()].flatMap(({ slug, imports }) =>
    imports.map(({ kind, text }) => [`imports/${slug}.${kind}.csv`, text]),
  );
  return Object.fromEntries(files) as Record<string, string>;
}

/** A JSON list with an entry a line, so that a change of one is a change of one line. */
function oneALine(entries: readonly (object | string)[]): string {
  return `[\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`;
}
