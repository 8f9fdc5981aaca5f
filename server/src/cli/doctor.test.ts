import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { storeSettingsOfRole } from '#db/pooler.ts';
import { loyalty } from '#test/command.ts';
import { anotherDatabase, cluster, databaseUrl, nameOf } from '#test/database.ts';
import { openSmtpSink } from '#test/smtp-sink.ts';

interface Report {
  readonly healthy: boolean;
  readonly findings: readonly { level: string; about: string; says: string; fix: string }[];
  readonly facts: Record<string, Record<string, unknown>>;
  readonly configuration: readonly { name: string; value: string | null; from: string }[];
}

async function examine(env: Record<string, string>) {
  const { code, stdout, stderr } = await loyalty(['doctor', '--json'], { env });
  const report = JSON.parse(stdout) as Report;
  for (const { says, fix } of report.findings)
    for (const sentence of [says, fix]) assert.match(sentence, /^[A-Z\d].*[.);]$|^[a-z_]+ is /s);
  return {
    code,
    stdout,
    stderr,
    report,
    problems: report.findings.filter(({ level }) => level === 'problem'),
  };
}

test('a healthy installation has no problem, and no secret is printed', async () => {
  const db = await anotherDatabase();
  // The databases of the tests do not wait for the disk.
  const sink = await openSmtpSink();
  const smtp = new URL(sink.url);
  const { code, stdout, problems, report } = await examine({
    DATABASE_URL: databaseUrl(await nameOf(db)),
    SECRET_KEY: 'o1Bc0QDrmYhmUcAKkxKs1wGq6aQZcCmAEYBLQjvQQvE=',
    SMTP_URL: smtp.href,
    MAIL_FROM: 'points@luna.example',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=collector-secret',
  });
  assert.deepEqual(
    problems.filter(
      ({ says }) =>
        !/^(fsync|full_page_writes|synchronous_commit) is off|^This server has no Citus/.test(says),
    ),
    [],
  );
  assert.equal(code, problems.length === 0 ? 0 : 1);
  assert.equal(report.facts['mail']!['answers'], true);
  assert.deepEqual(report.facts['database']!['pendingMigrations'], []);
  const { password } = new URL(databaseUrl(await nameOf(db)));
  for (const secret of ['o1Bc0QDr', 'collector-secret', ...(password === '' ? [] : [password])])
    assert.ok(!stdout.includes(secret), secret);
  assert.equal(report.configuration.find(({ name }) => name === 'SECRET_KEY')!.value, '(set)');
  await sink.close();
});

test('behind a pooler, the limits are examined on the connections of calls', async () => {
  const url = databaseUrl(await nameOf(await anotherDatabase()));
  const direct = new URL(url);
  direct.searchParams.set('application_name', 'direct');
  const env = { DATABASE_URL: url, DATABASE_DIRECT_URL: direct.href, SECRET_KEY: 'x'.repeat(44) };
  const missing = await examine(env);
  const told = missing.problems.filter(({ about }) => about === 'pooler');
  assert.equal(missing.code, 1);
  assert.equal(told.length, 1);
  assert.match(
    told[0]!.says,
    /^The time limits do not hold: \w+ is missing on connections to DATABASE_URL\.$/,
  );
  assert.match(told[0]!.fix, /Run these statements as a superuser/);
  assert.equal(typeof missing.report.facts['database']!['version'], 'string');

  await storeSettingsOfRole(direct.href, { preparedStatements: true, cluster, sendsSettings: false });
  const healthy = await examine(env);
  assert.deepEqual(
    healthy.problems.filter(({ about }) => about === 'pooler'),
    [],
  );
});

test('whatever is wrong is told in a sentence, with what to do', async () => {
  const db = await anotherDatabase();
  await sql`
    insert into commerces (slug, status, sandbox, time_zone, program_version)
    values ('luna', 'active', false, 'Europe/Nowhere', 1), ('sol', 'active', false, 'Europe/Madrid', 1)`.execute(
    db,
  );
  await sql`
    insert into outbox (commerce_id, kind, recipient, content, urgent, created_at)
    select id, 'sign-in-code', 'a@example.com', '{}', true, now() - interval '1 hour' from commerces limit 1`.execute(
    db,
  );
  await sql`
    insert into jobs (name, started_at, finished_at, failing_since, last_error)
    values ('birthdays', now(), now() - interval '1 hour', null, null),
           ('reports', now(), now(), now() - interval '1 hour', 'broken'),
           ('verify', now() - interval '1 hour', null, null, null)`.execute(db);
  await sql`
    insert into ledger_checks (commerce_id, checked_at, differences) select id, now() - interval '3 days', 3 from commerces limit 1`.execute(
    db,
  );
  const { code, report } = await examine({
    DATABASE_URL: databaseUrl(await nameOf(db)),
    SMTP_URL: 'smtp://me:mail-password@127.0.0.1:1',
    DATABASE_POOL_SIZE: '1000',
  });
  assert.equal(code, 1);
  const said = report.findings.map(({ about, says, fix }) => `${about}: ${says} ${fix}`).join('\n');
  assert.match(said, /^mail: The mail server cannot be used \(.*ECONNREFUSED/m);
  assert.match(said, /^mail: Mails are sent from loyalty@localhost/m);
  assert.match(said, /^mail: 1 mails? waits? to be sent, the oldest for 6\d minutes/m);
  assert.match(said, /^time zones: Node does not know the time zone Europe\/Nowhere/m);
  assert.doesNotMatch(said, /Madrid/);
  assert.match(said, /^database: DATABASE_POOL_SIZE is 1000/m);
  assert.match(said, /^jobs: The job birthdays has not finished a round for 6\d minutes\. Its rounds begin/m);
  assert.match(said, /^jobs: The job verify has not finished a round for 6\d minutes\. Start a service/m);
  assert.match(said, /^books: The books of a commerce have not been checked for 72 hours/m);
  assert.match(said, /^jobs: The job reports has been failing for 6\d minutes/m);
  assert.match(said, /^books: The last checks found 3 differences/m);
  // The books of all databases are checked at the end, and nobody can count days in that zone.
  await sql`update commerces set time_zone = 'UTC'`.execute(db);
});

test('a schema that is behind or ahead, a database out of reach and a wrong variable are problems', async () => {
  const db = await anotherDatabase();
  const url = databaseUrl(await nameOf(db));
  await sql`delete from schema_migrations where name = (select max(name) from schema_migrations)`.execute(db);
  const behind = await examine({ DATABASE_URL: url });
  assert.match(JSON.stringify(behind.problems), /The schema is behind this program: \d+_\w+ is missing/);
  await sql`insert into schema_migrations values ('9999_future', now()::text)`.execute(db);
  const ahead = await examine({ DATABASE_URL: url });
  assert.match(
    JSON.stringify(ahead.problems),
    /The database schema is newer than this program.*it has the migration 9999_future/,
  );
  const away = await examine({ DATABASE_URL: 'postgres://me:db-password@127.0.0.1:1/x' });
  assert.deepEqual([away.code, away.problems.map(({ about }) => about)], [1, ['database']]);
  assert.ok(!away.stdout.includes('db-password'));
  const wrong = await examine({ DATABASE_URL: url, PORT: 'abc' });
  assert.match(wrong.problems[0]!.says, /^PORT must be a port number/);
  assert.equal(wrong.code, 1);
});
