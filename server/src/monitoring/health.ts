import { Type } from 'typebox';
import { sql, type Database } from '#db/database.ts';
import { Unavailable } from '#problems/problem.ts';
import { Message } from '#http/schema.ts';
import type { App } from '#http/server.ts';

const response = { 200: Message, 503: Message };

/** For whoever watches the process: `/healthz` says that it lives, `/readyz` that it can serve. */
export function healthRoutes(app: App, { db }: { db: Database }): void {
  app.get('/healthz', { schema: { hide: true, response }, config: { credential: 'none' } }, () => ({
    message: 'alive',
  }));

  app.get(
    '/readyz',
    { schema: { hide: true, response, querystring: Type.Object({}) }, config: { credential: 'none' } },
    async () => {
      await sql`select 1`.execute(db).catch(() => {
        throw new Unavailable('the database does not answer');
      });
      return { message: 'ready' };
    },
  );
}
