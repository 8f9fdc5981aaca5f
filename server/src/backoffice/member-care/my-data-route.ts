import { NotFound } from '#problems/problem.ts';
import type { Database } from '#db/database.ts';
import { route } from '#http/route.ts';
import { findMember } from '#members/lock-members.ts';
import { PersonDataSchema, streamPersonData } from './person-data.ts';

/** Returns the data stored about a signed-in person at one commerce, as the shop would hand it to them. Repeating it changes nothing. */
export function myDataRoute({ db }: { db: Database }) {
  return {
    getMyData: route({
      schema: {
        operationId: 'getMyData',
        summary: 'Get everything that is stored about me at this commerce',
        description:
          'One JSON document, the same that the shop can hand out. It is sent slowly, because it counts towards the limit of calls by its size.',
        tags: ['My account'],
        response: { 200: PersonDataSchema },
      },
      config: {
        turn: 'list',
        credential: 'user',
        signedIn: true,
        document: 'extensions',
        cacheControl: 'no-store',
        refusals: { 404: 'The person has never joined the program, or the commerce does not exist.' },
      },
      handler: async ({ commerceId, userId }, reply) => {
        const member = await findMember(db, { commerceId, userId });
        if (member === undefined) throw new NotFound('nothing is stored here yet: join the program first');
        const stream = await streamPersonData(db, commerceId, member.id);
        void reply.type('application/json; charset=utf-8');
        return stream as never;
      },
    }),
  };
}
