import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sql, transaction, type Database, type Db } from '#db/database.ts';
import { migrate } from '#db/migrate.ts';
import { emptyDatabase } from '#test/database.ts';
import { examineSchema, REFERENCE } from './examine-schema.ts';
import { readCatalog, type SchemaPart } from './read-catalog.ts';

async function told(db: Db): Promise<string[]> {
  const { findings } = await examineSchema(db);
  return findings.map(({ says, fix }) => `${says} ${fix}`);
}

/** Examines the schema after a change that is taken back. */
async function afterChange(db: Database, change: string): Promise<string[]> {
  let found: string[] = [];
  const back = new Error('taken back');
  await transaction(db, async (tx) => {
    await sql.raw(change).execute(tx);
    found = await told(tx);
    throw back;
  }).catch((error: unknown) => {
    if (error !== back) throw error;
  });
  return found;
}

test('the reference is the schema that the migrations make: `npm run docs` writes it', async (t) => {
  const db = await emptyDatabase(t, 2);
  await migrate(db);
  const reference = JSON.parse(readFileSync(REFERENCE, 'utf8')) as SchemaPart[];
  const compared = ({ name, is }: SchemaPart) => `${name}: ${is}`;
  assert.deepEqual((await readCatalog(db)).map(compared), reference.map(compared));
  assert.ok(reference.length > 400, String(reference.length));
  assert.deepEqual(await told(db), []);
});

test('each part of the schema that is not as it was made is told by name, with the way back', async (t) => {
  const db = await emptyDatabase(t, 2);
  await migrate(db);
  const changes: [string, RegExp][] = [
    [
      'alter table members rename column username to title',
      /^The column members\.username is missing, and members\.title is there instead\. .*`alter table members rename column title to username`/,
    ],
    ['alter table members drop column phone cascade', /^The column members\.phone is missing\./],
    [
      'alter table members alter column block_reason type varchar(50)',
      /^The column members\.block_reason is character varying\(50\)/,
    ],
    [
      'alter table balances drop constraint balances_pkey',
      /^The constraint balances_pkey of balances is missing\. .*`alter table balances add constraint balances_pkey PRIMARY KEY/,
    ],
    [
      'alter table idempotency_keys drop constraint idempotency_keys_pkey',
      /^The constraint idempotency_keys_pkey of idempotency_keys is missing\./,
    ],
    [
      'alter table balances drop constraint points_are_exact',
      /^The constraint points_are_exact of balances is missing\./,
    ],
    [
      'alter table movements disable trigger user',
      /^The trigger movements_are_append_only of movements is disabled\. .*ledger verify.*`alter table movements enable trigger movements_are_append_only`/,
    ],
    [
      'drop trigger audit_is_append_only on audit',
      /^The trigger audit_is_append_only of audit is missing\. .*CREATE TRIGGER audit_is_append_only/,
    ],
    [
      'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
      /^The function refuse_change\(\) has another text\./,
    ],
    ['drop table reminders', /^The table reminders is missing\./],
  ];
  const { rows } = await sql<{ name: string }>`
    select n.relname::text as name from pg_index i join pg_class n on n.oid = i.indexrelid join pg_class c on c.oid = i.indrelid
     where c.relname = 'movements' and not exists (select from pg_constraint where conindid = i.indexrelid) order by 1 limit 1`.execute(
    db,
  );
  changes.push([
    `drop index ${rows[0]!.name}`,
    new RegExp(`^The index ${rows[0]!.name} of movements is missing\\. .*CREATE.* INDEX ${rows[0]!.name}`),
  ]);
  for (const [change, expected] of changes) {
    const found = await afterChange(db, change);
    assert.ok(
      found.some((sentence) => expected.test(sentence)),
      `${change}: ${found.join('\n')}`,
    );
    assert.ok(found.length <= 8, `${change}: ${found.join('\n')}`);
  }
  assert.deepEqual(await told(db), []);
  await sql`create index of_an_operator on members (username)`.execute(db);
  await sql`create table of_an_operator_too (id integer)`.execute(db);
  assert.deepEqual(await told(db), [], 'what is added does not matter');
});
