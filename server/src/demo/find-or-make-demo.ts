import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKey, findKey } from '#commerces/api-keys.ts';
import { sql, transaction, type Database } from '#db/database.ts';
import { readProgram } from '#program/read-program.ts';
import { applyProgram } from '#program/apply-program.ts';
import { liveHalfAYear } from './live-half-a-year.ts';

/** What the start-up block shows of the demo commerce. */
export interface Demo {
  readonly commerceId: number;
  readonly name: string;
  readonly slug: string;
  readonly key: string;
  readonly clientCode: number;
}

const PROGRAM = new URL('./demo-program.yaml', import.meta.url);

/**
 * The demo commerce of the first run: made once in a database that has no commerce yet, and found again by every
 * later start, with the key kept in `DATA_DIR/demo.json`. Null where there are commerces and no demo.
 */
export async function findOrMakeDemo(database: Database, dataDir: string): Promise<Demo | null> {
  const file = join(dataDir, 'demo.json');
  const kept = await readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as Demo,
    () => null,
  );
  if (kept !== null && (await findKey(database, kept.key))?.commerceId === kept.commerceId) return kept;

  const { rows } = await sql`select 1 from commerces limit 1`.execute(database);
  if (rows.length > 0) return null;
  const demo = await makeDemo(database);
  await mkdir(dataDir, { recursive: true });
  await writeFile(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  return demo;
}

async function makeDemo(database: Database): Promise<Demo> {
  const start = new Date(Date.now() - 182 * 24 * 60 * 60 * 1000);
  const read = readProgram(demoProgram(await readFile(PROGRAM, 'utf8'), start));
  if (!read.ok) throw new Error(`the demo's program is not valid: ${JSON.stringify(read.problems)}`);
  const { commerceId } = await applyProgram(database, read.program, { clock: start });
  if (commerceId === null) throw new Error('the demo was not created');
  const clientCode = await liveHalfAYear(database, commerceId, start);
  const { key } = await transaction(database, (db) => createKey(db, commerceId, 'demo'));
  return { commerceId, name: read.program.name, slug: read.program.slug, key, clientCode };
}

/** The window of double points is this coming weekend's: the file cannot know the day. */
function demoProgram(text: string, start: Date): string {
  const day = 24 * 60 * 60 * 1000;
  const from = new Date(start.getTime() + 60 * day);
  const to = new Date(from.getTime() + 3 * day);
  return text.replace('{from}', from.toISOString()).replace('{to}', to.toISOString());
}
