import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { sql, type Database } from '../server/src/platform/db/database.ts';
import { jobNames } from '../server/src/operations/jobs/run-jobs.ts';
import { historiesOf } from './cast.ts';
import { startService, type Child } from './child.ts';
import { withDatabase } from './database.ts';
import { loadMembers, type Loaded, type LoadSize } from './load-members.ts';

/** One process of the service on a database of its own. */
export interface Site {
  readonly db: Database;
  readonly url: string;
  readonly loaded: Loaded;
  readonly service: Child;
  /** Signs the tokens that the service accepts. */
  readonly secret: string;
}

/** 50 commerces of all sizes, with ten movements a member and `long` movements of one of them. */
export function usual(members: number, long = 0): LoadSize {
  return { members, movements: 10 * members, commerces: 50, more: historiesOf(members, long) };
}

/** All members in one commerce, so that they form one list. */
export function inOneCommerce(members: number): LoadSize {
  return { members, movements: members, commerces: 1 };
}

/** Runs `work` with one site of each size, all on one PostgreSQL. */
export async function withSites<T>(
  serverUrl: string,
  sizes: readonly LoadSize[],
  work: (sites: Site[]) => Promise<T>,
): Promise<T> {
  const [size, ...others] = sizes;
  if (size === undefined) return work([]);
  return withDatabase(serverUrl, 'migrated', async ({ db, url }) => {
    const loaded = await loadMembers(db, size);
    const secret = randomBytes(32).toString('base64');
    const service = await startService(inProduction(url, secret));
    try {
      return await withSites(serverUrl, others, (sites) =>
        work([{ db, url, loaded, service, secret }, ...sites]),
      );
    } finally {
      await service.stop();
    }
  });
}

/** In production form the service creates no demo commerce. Nothing that is measured sends mail. */
export function inProduction(databaseUrl: string, secret: string): Record<string, string> {
  return {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATA_DIR: tmpdir(),
    SECRET_KEY: secret,
    PUBLIC_URL: 'https://bench.example',
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
}

/** Waits until every job of a site has had a whole round, because what was loaded in bulk is new to all of them. */
export async function jobsAreDone(db: Database): Promise<void> {
  for (let tries = 0; tries < 7_200; tries++) {
    const { rows } = await sql<{ done: number }>`
      select count(*) as done from jobs where finished_at is not null and leased_until is null`.execute(db);
    if (rows[0]!.done === jobNames.length) return;
    await setTimeout(1_000);
  }
  throw new Error('the jobs of a site were not done within two hours');
}
