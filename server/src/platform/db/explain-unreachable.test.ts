import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseUrl } from '#test/database.ts';
import { onOneServer } from '#test/on-cluster.ts';
import { NoConnection } from './database-errors.ts';
import { openDatabase, sql } from './database.ts';
import { explainUnreachable, Unreachable } from './explain-unreachable.ts';

async function tellOf(url: string): Promise<string> {
  const database = openDatabase({ url, poolSize: 1, preparedStatements: false });
  try {
    await sql`select 1`.execute(database);
    return assert.fail('it was reached');
  } catch (error) {
    const explained = explainUnreachable(error, { name: 'DATABASE_DIRECT_URL', url });
    assert.ok(explained instanceof Unreachable, String(error));
    return explained.message;
  } finally {
    await database.destroy();
  }
}

function changed(change: (url: URL) => void): string {
  const url = new URL(databaseUrl('postgres'));
  change(url);
  return url.href;
}

test(
  'a database that cannot be reached is told with the variable, the reason and the next step, without its password',
  { skip: onOneServer('the servers of the tests let everybody in') },
  async () => {
    const cases: [string, RegExp][] = [
      ['postgres://u:hunter2@127.0.0.1:1/x', /nothing listens on 127\.0\.0\.1:1, .*Start PostgreSQL there/],
      [
        'postgres://u:hunter2@nowhere.invalid/x',
        /names the host nowhere\.invalid, which this machine cannot find/,
      ],
      ['postgres://u:hunter2@/x?host=/nowhere', /no socket of a PostgreSQL at \/nowhere/],
      [changed((url) => (url.pathname = '/no_such')), /has no database "no_such"\. Create it/],
      [changed((url) => (url.username = 'nobody_here')), /refuses the sign-in of the role "nobody_here"/],
      [
        changed((url) => (url.password = 'hunter2')),
        /refuses the sign-in of the role "postgres".*pg_hba\.conf/,
      ],
      [changed((url) => url.searchParams.set('sslmode', 'verify-full')), /speaks no TLS/],
    ];
    for (const [url, expected] of cases) {
      const told = await tellOf(url);
      assert.match(told, expected);
      assert.match(told, /^The database cannot be reached: [^\n]*DATABASE_DIRECT_URL[^\n]*\.$/);
      assert.doesNotMatch(told, /hunter2|E[A-Z]{6,}|getaddrinfo/);
    }
  },
);

test('a certificate of an unknown authority is told with sslrootcert', () => {
  for (const code of [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ]) {
    const error = new NoConnection(Object.assign(new Error('self-signed certificate'), { code }));
    const told = explainUnreachable(error, { name: 'DATABASE_URL', url: 'postgres://u:p@db.example/x' });
    assert.match(
      (told as Error).message,
      /db\.example:5432 is not trusted .*sslrootcert=\/path\/to\/ca\.pem.* to DATABASE_URL/,
    );
  }
});

test('the failure of a statement stays as it is, whatever its code', () => {
  const denied = Object.assign(new Error('permission denied for table members'), { code: '42501' });
  assert.equal(explainUnreachable(denied, { name: 'DATABASE_URL', url: 'postgres://db/x' }), denied);
});
