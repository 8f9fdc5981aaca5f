import type { Database } from '#db/database.ts';
import { createSemaphore } from '#http/semaphore.ts';
import { Overloaded } from '#problems/problem.ts';

const CONNECTIONS = 2;
const LONGEST_WAIT_MS = 2_000;

/**
 * Returns the database for phones, which share two connections. All phones of a shop may call in the same minute, and a call
 * of a till must not wait for them. Their routes take no turn, because a card is signed after the last statement.
 */
export function useFewConnections(database: Database): Database {
  const semaphore = createSemaphore(CONNECTIONS);
  const query: Database['query'] = async (text, values) => {
    if (!(await semaphore.enter('', performance.now() + LONGEST_WAIT_MS)))
      throw new Overloaded('too many calls at once');
    try {
      return await database.query(text, values);
    } finally {
      semaphore.leave('');
    }
  };
  return Object.create(database, { query: { value: query } }) as Database;
}
