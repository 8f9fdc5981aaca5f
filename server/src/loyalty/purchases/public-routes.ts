import { readCommerce } from '#commerces/commerce.ts';
import type { Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import { PublicEarningSchema, publicEarningToWire } from './earning-wire.ts';

/** What anybody may know about how purchases earn. */
export function publicEarningRoutes({ db }: { db: Database }) {
  return {
    getEarningRules: route({
      schema: {
        operationId: 'getEarningRules',
        summary: 'List what earns more now and next',
        description:
          'The public rules of the program that are in force now or in the next seven days, in words and in fields.',
        tags: ['Public'],
        response: { 200: PublicEarningSchema },
      },
      config: { turn: 'read', credential: 'header', document: 'extensions' },
      handler: async ({ commerceId }) => publicEarningToWire((await readCommerce(db, commerceId))!),
    }),
  };
}
