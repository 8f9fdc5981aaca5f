import { transaction, type Database, type Tx } from './database.ts';

/** Does work in a transaction that is always rolled back, and returns its result: a dry run. */
export async function takeBack<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    await transaction(database, async (tx) => {
      throw new TakenBack(await work(tx));
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.result as T;
    throw error;
  }
  throw new Error('a dry run was committed');
}

class TakenBack extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('a dry run takes back what it did');
    this.result = result;
  }
}
