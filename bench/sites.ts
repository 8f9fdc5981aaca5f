import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Database } from '../server/src/db/database.ts';
import { startService, type Child } from './child.ts';
import { withDatabaseOn } from './database.ts';
import { loadMembers, type Loaded } from './load-members.ts';

/** The service as a process of its own, on a database of its own with so many members. */
export interface Site {
  readonly db: Database;
  readonly url: string;
  readonly loaded: Loaded;
  readonly service: Child;
  /** Signs the tokens that the service believes. */
  readonly secret: string;
}

const MOVEMENTS_EACH = 10;

/** Runs `work` with one site for each number of members, all on one PostgreSQL. */
export async function withSites<T>(
  serverUrl: string,
  sizes: readonly number[],
  work: (sites: Site[]) => Promise<T>,
): Promise<T> {
  const [members, ...others] = sizes;
  if (members === undefined) return work([]);
  return withDatabaseOn(serverUrl, async ({ db, url }) => {
    const loaded = await loadMembers(db, { members, movements: members * MOVEMENTS_EACH, commerces: 50 });
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

/** No demo commerce among what is measured; nothing that is measured sends a mail. */
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
