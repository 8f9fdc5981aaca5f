import { benefitToWire } from '#benefits/wire.ts';
import { transaction, type Database } from '#db/database.ts';
import { enrolMember } from './enrol-member.ts';
import { Unauthorized } from '#problems/problem.ts';
import { Message } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { leaveProgram } from '#members/leave-program.ts';
import { readEmail } from '#members/read-email.ts';
import { JoinResultSchema } from './wire.ts';

/** Joining and leaving a commerce's program. */
export function enrolmentRoutes({ db }: { db: Database }) {
  return {
    joinProgram: route({
      schema: {
        operationId: 'joinProgram',
        summary: 'Join the program',
        description: 'For the first time, or again after leaving. The welcome reward is given once.',
        tags: ['My account'],
        response: { 200: JoinResultSchema },
      },
      config: {
        turn: { write: ({ userId }) => `user ${userId}` },
        credential: 'user',
        signedIn: true,
        document: 'contract',
      },
      handler: async (request) => {
        const email = await readEmail(db, request.userId);
        // The person was erased after signing in, so the token stands for nobody.
        if (email === null) throw new Unauthorized();
        const enrolment = await transaction(db, (tx) => enrolMember(tx, request.commerceId, email));
        return {
          message: enrolment.joined ? 'joined the program' : 'already in the program',
          welcome_benefit:
            enrolment.welcomeBenefit && benefitToWire(enrolment.welcomeBenefit, request.serviceUrl),
          welcome_points: enrolment.welcomePoints,
        };
      },
    }),

    leaveProgram: route({
      schema: {
        operationId: 'leaveProgram',
        summary: 'Leave the program',
        description: 'Points and codes are kept.',
        tags: ['My account'],
        response: { 200: Message },
      },
      config: {
        turn: { write: ({ userId }) => `user ${userId}` },
        credential: 'user',
        signedIn: true,
        document: 'contract',
      },
      handler: async (request) => {
        await leaveProgram(db, request.commerceId, request.userId);
        return { message: 'left the program' };
      },
    }),
  };
}
