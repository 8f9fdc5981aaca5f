import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '#db/migrate.ts';
import { sql } from '#db/database.ts';
import { verifyLedger } from '#books/verify-ledger.ts';
import { exportFrom, importInto } from '#test/archives.ts';
import { anotherDatabase, emptyDatabase } from '../database.ts';
import { loadRelease, notePins } from './load-release.ts';
import { readReleases } from './release.ts';

for (const release of readReleases())
  test(`every commerce that ${release.version} has stored moves to another installation`, async (t) => {
    const here = await emptyDatabase(t, 2);
    await loadRelease(here, release);
    await migrate(here);
    await notePins(here);
    const there = await anotherDatabase();
    const { rows } = await sql<{ id: number }>`select id from commerces order by id`.execute(here);
    assert.ok(rows.length > 0);
    for (const { id } of rows) await importInto(there, await exportFrom(here, id));
    const { commerces, differences } = await verifyLedger(there);
    assert.deepEqual([commerces, differences], [rows.length, []]);
  });
