import { NotFound } from '#problems/problem.ts';
import { route } from '#http/route.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import { LevelSchema, levelToWire } from './wire.ts';

/** Shows a signed-in person their tier at one commerce. */
export function tierRoutes({ holderOf }: { holderOf: HolderReader }) {
  return {
    getMyLevel: route({
      schema: {
        operationId: 'getMyLevel',
        summary: 'Get my tier',
        description: 'Progress depends on lifetime figures, not on the balance.',
        tags: ['My account'],
        response: { 200: LevelSchema },
      },
      config: {
        turn: 'none',
        credential: 'user',
        document: 'contract',
        refusals: {
          404: 'The person has no tier yet, the commerce has no tiers, or the commerce does not exist.',
        },
      },
      handler: async (request) => {
        const { commerceId, userId, serviceUrl } = request;
        const holder = await holderOf({ commerceId, userId });
        request.commerceTime = holder.commerce.now;
        const level = levelToWire(holder, serviceUrl);
        if (level === null)
          throw new NotFound(
            'no level yet: this is normal for a new member and where there are no tiers',
            'no_level',
          );
        return level;
      },
    }),
  };
}
