import { openDatabase, type Database } from '#db/database.ts';
import { cluster, onEnd, PATIENT, testDatabaseUrl } from './database.ts';

/** A pool of its own on the tests' database that counts the statements sent through it. */
export interface CountingDatabase {
  readonly db: Database;
  /** Returns the statements that `work` sends, in order, including `begin` and `commit`, and their names. */
  readonly count: (
    work: () => Promise<unknown>,
  ) => Promise<{ statements: number; names: string[]; texts: string[] }>;
}

/** A process asks these now and then, whatever it does. */
const OF_THE_CLUSTER =
  /^-- (has-citus|read-shard-map|begin-to-roll-back|limit-question|ask-machines|roll-back|(first-)?heartbeat)\n/;

export async function countingDatabase(): Promise<CountingDatabase> {
  const sent: string[] = [];
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 1,
    preparedStatements: true,
    cluster,
    statementTimeoutMs: 60_000,
    patience: PATIENT,
    onConnection: (client) => {
      const query = client.query.bind(client) as (text: unknown, values?: unknown) => Promise<unknown>;
      client.query = ((text: unknown, values?: unknown) => {
        const words = typeof text === 'string' ? text : (text as { text: string }).text;
        if (!OF_THE_CLUSTER.test(words)) sent.push(words);
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
      const names = sent.map((text) => /^(?:-- )?([a-z-]+)/.exec(text)?.[1] ?? '?');
      return { statements: sent.length, names, texts: [...sent] };
    },
  };
}
