/** Tries to decide things for other shops with the archive of one, one table after the other. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { hashOfKey } from '#commerces/key-token.ts';
import { sql } from '#db/database.ts';
import { suppressAddresses, readSuppression } from '#mail/suppressions.ts';
import { exportFrom, importInto, liveALittle, otherInstallation, sealed } from '#test/archives.ts';
import { testDatabase } from '#test/database.ts';
import { plainPicture } from '#test/pictures.ts';

type Row = Record<string, unknown>;
interface Content {
  readonly header: { commerce: Row; wire_ids: Row[] };
  readonly tables: Readonly<Record<string, Row[]>>;
}
type Change = (content: Content) => void;

let original: Awaited<ReturnType<typeof liveALittle>>;
let archive: Buffer;

before(async () => {
  original = await liveALittle();
  archive = await exportFrom(await testDatabase(), original.shop.id);
});

const REFUSED: readonly (readonly [table: string, what: string, change: Change, refusal: RegExp])[] = [
  ['commerce', 'a time zone that no database knows', inHeader('time_zone', 'Mars/Olympus'), /time zone/],
  [
    'commerce',
    'a clock that no instant can be added to',
    (content) => Object.assign(content.header.commerce, { sandbox: true, clock_offset: '250000 years' }),
    /clock of the commerce|refuses the commerce/,
  ],
  ['commerce', 'an instant without an end', inHeader('created_at', 'infinity'), /clock of the commerce/],
  [
    'wire_ids',
    'ids that are handed out as they are, beyond all others',
    ({ header }) => (header.wire_ids[0]!['plain_to'] = 2 ** 50),
    /header of the archive is not whole/,
  ],
  [
    'users',
    'an address that mail programs read in two ways',
    ({ tables }) => {
      const address = 'mallory@example.com,victim@example.org';
      for (const table of ['users', 'members']) tables[table]![0]!['email'] = address;
    },
    /a row in users whose email/,
  ],
  [
    'users',
    'an account that no member has',
    add('users', { id: 987, email: 'stranger@example.com', created_at: '2026-01-01T00:00:00Z' }),
    /an account that none of its members has/,
  ],
  ['users', 'an account of another time', all('users', 'created_at', '2999-01-01T00:00:00Z'), /created_at/],
  [
    'members',
    'a member with the account of another address',
    ({ tables }) => {
      const member = tables['members']!.find((row) => row['user_id'] !== null)!;
      member['email'] = 'another@example.com';
    },
    /a member with the account of another address/,
  ],
  ['members', 'a name of two lines', ofMember('username', 'Ana\nBcc: all@example.com'), /whose username/],
  ['members', 'a telephone number that is none', ofMember('phone', 'javascript:alert(1)'), /whose phone/],
  [
    'staff_people',
    'a name with a line break',
    all('staff_people', 'name', 'Owner\r\nBcc: all@example.com'),
    /staff_people whose name/,
  ],
  [
    'staff_people',
    'a person without a role',
    add('staff_people', { id: 987, email: 'p@example.com', name: 'P', created_at: '2026-01-01T00:00:00Z' }),
    /a person of the staff without a role/,
  ],
  ['staff', 'a role that does not exist', all('staff', 'role', 'operator'), /refuses rows/],
  ['api_keys', 'a name of many lines', all('api_keys', 'name', 'a\nb'), /api_keys whose name/],
  ['api_keys', 'a beginning that no key has', all('api_keys', 'prefix', '<script>'), /api_keys whose prefix/],
  ['api_keys', 'an id below all others', ({ tables }) => renumber(tables, -5), /too low/],
  [
    'mail_suppressions',
    'a mailbox of nobody in it',
    add('mail_suppressions', {
      mailbox_hash: bytes(createHash('sha256').update('victim@example.com').digest()),
      reason: 'complaint',
      since: '2026-01-01T00:00:00Z',
    }),
    /stops the mails to a mailbox that none of its members has/,
  ],
  ['programs', 'a logo that is a script', inProgram('logo', 'javascript:alert(1)'), /logo must be/],
  ['programs', 'a color with markup', inProgram('color', '#fff;}</style><b>'), /color must be/],
  ['programs', 'a cover of an insecure address', inProgram('cover', 'http://example.com/x.png'), /cover/],
  ['programs', 'a name of two lines', inProgram('name', 'Shop\nBcc: all@example.com'), /name must be/],
  [
    'programs',
    'a script in a version that is no more in force',
    ({ tables }) => ((tables['programs']![0]!['program'] as Row)['logo'] = 'javascript:alert(1)'),
    /Version 1 .* logo must be/,
  ],
  [
    'programs',
    'figures that the version in force cannot have',
    inProgram('step_up_points', -7),
    /step_up_points/,
  ],
  [
    'benefits',
    'a picture that is a script',
    all('benefits', 'image', 'javascript:alert(1)'),
    /A benefit .* image must be/,
  ],
  [
    'vouchers',
    'a code whose picture is a script',
    ({ tables }) => {
      for (const row of tables['vouchers']!)
        Object.assign(row['benefit'] as Row, { image: 'data:text/html,x' });
    },
    /A benefit .* image must be/,
  ],
  [
    'vouchers',
    'terms that cannot be read',
    ({ tables }) => Object.assign(tables['vouchers']![0]!, { benefit: 7 }),
    /A benefit of the archive|books of the archive/,
  ],
  ['pictures', 'other bytes', all('pictures', 'large', bytes(Buffer.from('<svg onload=alert(1)>'))), /hash/],
  [
    'pictures',
    'a page instead of a picture',
    ({ tables }) => {
      const page = Buffer.from('<!doctype html><script>alert(1)</script>');
      Object.assign(tables['pictures']![0]!, { large: bytes(page), hash: hashOf(page) });
    },
    /pictures whose large/,
  ],
  [
    'pictures',
    'a small one that is a page',
    all('pictures', 'small', bytes(Buffer.from('<html>'))),
    /pictures whose small/,
  ],
  ['movements', 'an instant without an end', last('movements', 'recorded_at', 'infinity'), /movements/],
  [
    'idempotency_keys',
    'an instant before all others',
    all('idempotency_keys', 'created_at', '-infinity'),
    /instant in idempotency_keys/,
  ],
  ['audit', 'a line of tomorrow and later', last('audit', 'at', '2999-01-01T00:00:00Z'), /instant in audit/],
  [
    'seal_logs',
    'a job that has just sealed everything',
    all('seal_logs', 'sealed_at', '2999-01-01T00:00:00Z'),
    /instant in seal_logs/,
  ],
  [
    'seal_logs',
    'heads that are said to be published',
    all('seal_logs', 'published_size', 1_000_000),
    /more of its history was published/,
  ],
];

for (const [table, what, change, refusal] of REFUSED)
  test(`${table}: ${what} is refused`, async () => {
    await assert.rejects(
      importInto(await otherInstallation(), changed(change), { dryRun: true }),
      (error: Error) => {
        assert.match(error.message, refusal);
        assert.match(error.message, /Nothing was imported/);
        return true;
      },
    );
    const { rows } = await sql`select from commerces where slug = ${original.shop.slug}`.execute(
      await otherInstallation(),
    );
    assert.equal(rows.length, 0);
  });

test('pictures: one that carries something beside its pixels is refused', async () => {
  const there = await otherInstallation();
  const picture = plainPicture(20, 10);
  const withPosition = await picture
    .clone()
    .withExif({ IFD0: { Copyright: 'x' } })
    .webp()
    .toBuffer();
  const plain = await picture.clone().webp().toBuffer();
  for (const large of [withPosition, Buffer.concat([plain, Buffer.from('<script>')])]) {
    const change: Change = ({ tables }) =>
      Object.assign(tables['pictures']![0]!, {
        large: bytes(large),
        hash: hashOf(large),
        width: 20,
        height: 10,
      });
    await assert.rejects(importInto(there, changed(change)), /pictures whose large/);
  }
});

test('api_keys: the key of another commerce stays with it, whatever the archive says', async () => {
  const there = await otherInstallation();
  const victim = await liveALittle();
  const { commerceId } = await importInto(there, await exportFrom(await testDatabase(), victim.shop.id));
  const steals: Change = ({ tables }) =>
    (tables['api_keys']![0]!['hash'] = bytes(hashOfKey(victim.shop.key)));
  await assert.rejects(
    importInto(there, changed(steals)),
    /An API key of the archive is in use here already/,
  );
  const { rows } = await sql<{ id: number }>`
    select commerce_id as id from api_keys where hash = ${hashOfKey(victim.shop.key)}`.execute(there);
  assert.deepEqual(rows, [{ id: commerceId }]);
});

test('mail_suppressions: mails of other shops to a member of both go on, and who complained gets none from this shop', async (t) => {
  const there = await otherInstallation();
  const other = await liveALittle();
  await importInto(there, await exportFrom(await testDatabase(), other.shop.id));
  const { email } = other.member;
  const alias = email.replace('@', '+x@');
  await sql`delete from mail_suppressions`.execute(there);
  const hash = await mailboxHash(email);
  const both: Change = ({ tables }) => {
    const waiting = tables['members']!.find((row) => row['state'] === 'invited')!;
    waiting['email'] = alias;
    tables['mail_suppressions']!.push({
      mailbox_hash: hash,
      reason: 'complaint',
      since: '2026-01-01T00:00:00Z',
    });
    const own = tables['mail_suppressions']![0]!;
    assert.notEqual(own['mailbox_hash'], hash);
  };
  const { commerceId } = await importInto(there, changed(both));
  t.after(() => sql`update commerces set slug = slug || '-both' where id = ${commerceId}`.execute(there));
  assert.equal(await readSuppression(there, email), null, 'another shop has this member');
  assert.equal((await readSuppression(there, original.member.email))?.reason, 'bounce', 'nobody else has it');
  const { rows } = await sql<{ email: string; kind: string }>`
    select m.email, s.kind
      from mail_stops s
      join members m on m.commerce_id = s.commerce_id and m.id = s.member_id
     where s.commerce_id = ${commerceId} and s.kind = 'all'`.execute(there);
  assert.deepEqual(rows, [{ email: alias, kind: 'all' }]);
});

test('commerce_jobs: a job that failed there is none that fails here', async () => {
  const there = await otherInstallation();
  const shop = await liveALittle();
  const { commerceId } = await importInto(there, await exportFrom(await testDatabase(), shop.shop.id));
  const { rows } = await sql`
    select from commerce_jobs where commerce_id = ${commerceId} and failing_since is not null`.execute(there);
  assert.equal(rows.length, 0);
});

test('programs: an earlier version that breaks a limit of today moves along, and the one in force does not', async () => {
  const there = await otherInstallation();
  const shop = await liveALittle();
  const exported = await exportFrom(await testDatabase(), shop.shop.id);
  const unusual = (version: number) =>
    changed(({ tables }) => {
      (tables['programs']![version - 1]!['program'] as Row)['currency'] = 'Taler';
    }, exported);
  await assert.rejects(importInto(there, unusual(2)), /currency must be/);
  await importInto(there, unusual(1));
});

test('mail_suppressions: a mailbox that only the archive’s members have is suppressed as before', async () => {
  const there = await otherInstallation();
  const here = await testDatabase();
  const { shop, member } = await liveALittle();
  await suppressAddresses(here, [{ email: member.email, reason: 'complaint' }]);
  await importInto(there, await exportFrom(here, shop.id));
  assert.equal((await readSuppression(there, member.email))?.reason, 'complaint');
});

function changed(change: Change, from = archive): Buffer {
  const [first = '', ...lines] = gunzipSync(from).toString().trimEnd().split('\n');
  const heads: string[] = [];
  const tables: Record<string, Row[]> = {};
  for (const line of lines.slice(0, -1)) {
    const row = JSON.parse(line) as Row;
    if ('columns' in row) {
      heads.push(line);
      tables[String(row['table'])] = [];
    } else Object.values(tables).at(-1)!.push(row);
  }
  const content: Content = { header: JSON.parse(first) as Content['header'], tables };
  const beforeChange = JSON.stringify(content);
  change(content);
  assert.notEqual(JSON.stringify(content), beforeChange, 'nothing was changed');
  const body = heads.flatMap((head, index) => [
    head,
    ...Object.values(tables)[index]!.map((row) => JSON.stringify(row)),
  ]);
  return gzipSync(sealed(`${[JSON.stringify(content.header), ...body, '{}'].join('\n')}\n`));
}

function inHeader(field: string, value: unknown): Change {
  return ({ header }) => (header.commerce[field] = value);
}

function all(table: string, column: string, value: unknown): Change {
  return ({ tables }) => {
    for (const row of tables[table]!) row[column] = value;
  };
}

function last(table: string, column: string, value: unknown): Change {
  return ({ tables }) => (tables[table]!.at(-1)![column] = value);
}

function add(table: string, row: Row): Change {
  return ({ tables }) => tables[table]!.push(row);
}

function ofMember(column: string, value: unknown): Change {
  return ({ tables }) => (tables['members']!.find((row) => row['email'] !== null)![column] = value);
}

/** Changes the version in force. */
function inProgram(field: string, value: unknown): Change {
  return ({ tables }) => ((tables['programs']!.at(-1)!['program'] as Row)[field] = value);
}

function renumber(tables: Content['tables'], id: number): void {
  const [key] = tables['api_keys']!;
  const old = key!['id'];
  key!['id'] = id;
  for (const use of tables['api_key_uses']!) if (use['key_id'] === old) use['key_id'] = id;
}

function bytes(value: Buffer): string {
  return `\\x${value.toString('hex')}`;
}

function hashOf(picture: Buffer): string {
  return createHash('sha256').update(picture).digest().subarray(0, 16).toString('base64url');
}

async function mailboxHash(email: string): Promise<string> {
  const { rows } = await sql<{ hash: Buffer }>`select mailbox_hash_of(${email}) as hash`.execute(
    await testDatabase(),
  );
  return bytes(rows[0]!.hash);
}
