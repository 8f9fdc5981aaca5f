import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { testDatabase } from './database.ts';
import { readErrors } from './drop-database.ts';
import { onOneServer } from '#test/on-cluster.ts';

test(
  'what the server of the tests writes to its log can be read after an error',
  { skip: onOneServer('each server has a log of its own') },
  async () => {
    const db = await testDatabase();
    await assert.rejects(sql`select 1 / 0 as told_by_its_log`.execute(db));
    assert.ok((await readErrors(db)).some((line) => line.includes('division by zero')));
  },
);
