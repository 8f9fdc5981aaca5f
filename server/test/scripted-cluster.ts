import type { TestContext } from 'node:test';
import { openDatabase } from '#db/database.ts';
import type { Shard } from '#db/cluster/shards.ts';
import { testDatabaseUrl } from './database.ts';

/** What each machine answers when it is asked for its number; null if it does not. */
export type Answers = Record<string, number | null>;

/** A coordinator whose machines say these numbers, once `until` lets them, and the statements that it was sent. */
export async function openCluster(
  t: TestContext,
  answers: Answers,
  {
    trustsMachines = false,
    until = () => Promise.resolve(),
    shards,
    refuses = () => null,
  }: {
    trustsMachines?: boolean;
    until?: (question: number) => Promise<void>;
    /** By default, what the database says. */
    shards?: readonly Shard[];
    /** Returns the error that the coordinator answers a statement with, if it does. */
    refuses?: (name: string | undefined, values: readonly unknown[]) => Error | null;
  } = {},
) {
  const asked: string[] = [];
  const db = openDatabase({
    url: await testDatabaseUrl(),
    poolSize: 3,
    preparedStatements: true,
    cluster: 'citus',
    trustsMachines,
    onConnection: (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = (async (...args: unknown[]) => {
        const name = /^-- ([\w-]+)/.exec(String(args[0]))?.[1];
        const refusal = refuses(name, (args[1] ?? []) as unknown[]);
        if (refusal !== null) throw refusal;
        if (name === 'has-citus') return { rows: [{ has: true }] };
        if (name === 'read-shard-map' && shards !== undefined) return { rows: shards };
        if (name === 'read-newest-place') return { rows: [{ newest: 1 }] };
        if (name !== 'ask-machines' && name !== 'heartbeat') return query(...args);
        asked.push(name);
        if (name === 'heartbeat') return { rows: [] };
        await until(asked.length);
        return {
          rows: Object.entries(answers).map(([machine, beat]) => ({
            machine,
            said: beat === null ? null : String(beat),
          })),
        };
      }) as typeof client.query;
    },
  });
  t.after(() => db.destroy());
  return { db, asked };
}
