import { openDatabase, type Database } from '#db/database.ts';
import { onEnd, testDatabaseUrl } from './database.ts';

/** A pool of its own on the tests' database that counts the statements sent through it. */
export interface CountingDatabase {
  readonly db: Database;
  /** Returns how many statements `work` sends, including `begin` and `commit`, and their names in order. */
  readonly count: (work: () => Promise<unknown>) => Promise<{ statements: number; names: string[] }>;
}

export async function countingDatabase(): Promise<CountingDatabase> {
  const sent: string[] = [];
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    statementTimeoutMs: 60_000,
    onConnection: (client) => {
      const query = client.query.bind(client) as (text: unknown, values?: unknown) => Promise<unknown>;
      client.query = ((text: unknown, values?: unknown) => {
        sent.push(/^(?:-- )?([a-z-]+)/.exec(String(text))?.[1] ?? '?');
        return query(text, values);
      }) as typeof client.query;
    },
  });
  onEnd(() => db.destroy());
  return {
    db,
    count: async (work) => {
      sent.length = 0;
      await work();
      return { statements: sent.length, names: [...sent] };
    },
  };
}
