/**
 * Lists the answers of frozen releases that changed, under the decision that changed them:
 * `npm run release:accept -- 'docs/decisions/0012-….md: expired points have a line in the history'`. What is listed
 * already stays under its own decision; what is answered as ever again is taken off the list.
 */
import { isDeepStrictEqual } from 'node:util';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, sql, type Database } from '#db/database.ts';
import { startScratchServer } from '../postgres.ts';
import { changedAnswers, changedLastMinutes, type Changed } from './changed-answers.ts';
import { upgrade, upgradeUnderOldService } from './load-release.ts';
import { readReleases, type Change, type Release } from './release.ts';

const [decision] = process.argv.slice(2);
if (decision === undefined) {
  process.stderr.write('Say which decision changed the answers, in one argument.\n');
  process.exit(2);
}
const server = await startScratchServer();
try {
  for (const release of readReleases()) {
    const changed = await changesOf(server.adminUrl, release);
    const changes = listed(release.changes, changed, decision);
    writeFileSync(join(release.folder, 'changes.json'), `${JSON.stringify(changes, null, 2)}\n`);
    process.stdout.write(`${release.version}: ${changed.length} answers differ from the release's\n`);
  }
} finally {
  await server.stop();
}

async function changesOf(adminUrl: string, release: Release): Promise<Changed[]> {
  const first = await onDatabase(adminUrl, 'first', async (db) => {
    const upgraded = await upgrade(db, release);
    const changed = await changedAnswers(upgraded, release);
    await upgraded.app.close();
    return changed;
  });
  const last = await onDatabase(adminUrl, 'last', async (db, url) => {
    const upgraded = await upgradeUnderOldService(db, url, release);
    const changed = await changedLastMinutes(upgraded, release);
    await upgraded.app.close();
    return changed;
  });
  return [...first, ...last];
}

async function onDatabase<T>(
  adminUrl: string,
  name: string,
  work: (db: Database, url: string) => Promise<T>,
): Promise<T> {
  const admin = openDatabase({ url: adminUrl, poolSize: 1, preparedStatements: false });
  await sql`drop database if exists ${sql.id(name)}`.execute(admin);
  await sql`create database ${sql.id(name)}`.execute(admin);
  await admin.destroy();
  const url = Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  const db = openDatabase({ url, poolSize: 4, preparedStatements: true });
  try {
    return await work(db, url);
  } finally {
    await db.destroy();
  }
}

/** Each answer under the decision that it is listed under, as long as that list says it right; else under the new one. */
function listed(before: readonly Change[], changed: readonly Changed[], decision: string): Change[] {
  const lists = new Map<string, Record<string, Changed['is']>>();
  for (const { name, is } of changed) {
    const known = before.find(({ answers }) => isDeepStrictEqual(answers[name], is));
    const under = known?.decision ?? decision;
    lists.set(under, { ...lists.get(under), [name]: is });
  }
  return Array.from(lists, ([decision, answers]) => ({ decision, answers }));
}
