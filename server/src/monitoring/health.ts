import { Type } from 'typebox';
import { sql, type Database } from '#db/database.ts';
import { Unavailable } from '#problems/problem.ts';
import { Message } from '#http/schema.ts';
import { route } from '#http/route.ts';

const response = { 200: Message, 503: Message };

/** For monitoring: `/healthz` answers if the process is alive, `/readyz` if it can also reach the database. */
export function healthRoutes({ db }: { db: Database }) {
  return {
    healthz: route({
      schema: { hide: true, response },
      config: { credential: 'none', turn: 'none' },
      handler: () => ({
        message: 'alive',
      }),
    }),

    readyz: route({
      schema: { hide: true, response, querystring: Type.Object({}) },
      config: { credential: 'none', turn: 'none' },
      handler: async () => {
        await sql`select 1`.execute(db).catch(() => {
          throw new Unavailable('the database does not answer');
        });
        return { message: 'ready' };
      },
    }),
  };
}
