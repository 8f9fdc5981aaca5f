import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { Database } from '../server/src/db/database.ts';
import { startService, type Child } from './child.ts';
import { withDatabaseOn } from './database.ts';
import { loadMembers, type Loaded, type LoadSize } from './load-members.ts';

/** The service as a process of its own, on a database of its own with so many members. */
export interface Site {
  readonly db: Database;
  readonly url: string;
  readonly loaded: Loaded;
  readonly service: Child;
  /** Signs the tokens that the service believes. */
  readonly secret: string;
}

/** Commerces of every size, and a usual past. */
export function usual(members: number): LoadSize {
  return { members, movements: 10 * members, commerces: 50 };
}

/** All members in one list. */
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
  return withDatabaseOn(serverUrl, async ({ db, url }) => {
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
