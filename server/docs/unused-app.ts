import { buildApp } from '../src/app.ts';
import { openDatabase } from '../src/platform/db/database.ts';
import type { App } from '../src/platform/http/server.ts';

/** Builds the service without a database, which nothing that describes it needs, and asks it something. */
export async function withUnusedApp<T>(ask: (app: App) => Promise<T>): Promise<T> {
  const db = openDatabase({
    url: 'postgresql://nobody@127.0.0.1:1/none',
    poolSize: 1,
    preparedStatements: false,
  });
  const app = await buildApp({ db, log: false, secret: ['of nobody'] });
  try {
    await app.ready();
    return await ask(app);
  } finally {
    await app.close();
    await db.destroy();
  }
}
