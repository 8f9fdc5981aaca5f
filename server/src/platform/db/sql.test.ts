import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '#test/random.ts';
import { testDatabase } from '#test/database.ts';
import type { Db } from './database.ts';
import { sql, type Sql } from './sql.ts';

/** Returns the text and values that would be sent. */
async function sent(statement: Sql): Promise<{ text: string; values: unknown[] }> {
  const said: { text: string; values: unknown[] }[] = [];
  const query = (text: string, values: unknown[]) => {
    said.push({ text, values });
    return Promise.resolve({ rows: [] });
  };
  await statement.execute({ query } as unknown as Db);
  return said[0]!;
}

test('values stand apart from the text, numbered in their order, those of nested parts too', async () => {
  const inner = sql`b = ${'two'} and ${sql`c = ${[3]}`}`;
  assert.deepEqual(await sent(sql`select ${1} where ${inner} or d = ${null}`), {
    text: 'select $1 where b = $2 and c = $3 or d = $4',
    values: [1, 'two', [3], null],
  });
});

test('a part can be used twice, and a statement be run twice', async () => {
  const part = sql`x = ${1}`;
  const statement = sql`${part} and ${part}`;
  const once = { text: 'x = $1 and x = $2', values: [1, 1] };
  assert.deepEqual([await sent(statement), await sent(statement)], [once, once]);
});

test('names and numbers can stand in the text itself', async () => {
  const statement = sql`fetch ${sql.lit(500)} from ${sql.id('a "b"')}`;
  assert.deepEqual(await sent(statement), { text: 'fetch 500 from "a ""b"""', values: [] });
});

test('parts are joined', async () => {
  const parts = [1, 2, 3].map((value) => sql`v = ${value}`);
  assert.deepEqual(await sent(sql`(${sql.join(parts, sql` or `)})`), {
    text: '(v = $1 or v = $2 or v = $3)',
    values: [1, 2, 3],
  });
  assert.equal((await sent(sql.join(parts.slice(0, 1), sql` or `))).text, 'v = $1');
  assert.equal((await sent(sql.join([], sql` or `))).text, '');
  assert.equal((await sent(sql.join(parts))).text, 'v = $1, v = $2, v = $3');
});

test('whatever is handed in as a value or a name comes back as it was', async () => {
  const db = await testDatabase();
  const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((value) => !value.includes('\0'));
  const name = fc.string({ minLength: 1, maxLength: 15 }).filter((value) => !value.includes('\0'));
  await fc.assert(
    fc.asyncProperty(text, name, async (value, column) => {
      const { rows } = await sql`select ${value}::text as ${sql.id(column)}`.execute(db);
      assert.deepEqual(rows, [{ [column]: value }]);
    }),
  );
});
