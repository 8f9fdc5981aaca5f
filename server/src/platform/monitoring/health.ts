import { Type } from 'typebox';
import { Message } from '#http/schema.ts';
import { route } from '#http/route.ts';
import type { Readiness } from './readiness.ts';

const response = { 200: Message, 503: Message };

/** For monitoring: `/healthz` answers if the process is alive, `/readyz` if calls can be served. */
export function healthRoutes({ readiness }: { readiness: Readiness }) {
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
        await readiness.check();
        return { message: 'ready' };
      },
    }),
  };
}
