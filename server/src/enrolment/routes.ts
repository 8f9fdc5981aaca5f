import { benefitOf } from '#benefits/wire.ts';
import { transaction, type Database } from '#db/database.ts';
import { enrolMember } from './enrol-member.ts';
import { Unauthorized } from '#problems/problem.ts';
import { Message } from '#http/schema.ts';
import type { App } from '#http/server.ts';
import { leaveProgram } from '#members/leave-program.ts';
import { readAccount, type AccountSource } from '#accounts/my-account.ts';
import { JoinResult } from '#accounts/my-wire.ts';

/** Joining a commerce's program and leaving it. */
export function subscriptionRoutes(app: App, source: AccountSource & { db: Database }): void {
  const { db } = source;
  app.post(
    '/v1/me/subscription',
    {
      schema: {
        operationId: 'joinProgram',
        summary: 'Join the program',
        description: 'For the first time, or again after leaving. The welcome reward is given once.',
        tags: ['My account'],
        response: { 200: JoinResult },
      },
      config: { credential: 'user', document: 'contract' },
    },
    async (request) => {
      const { email } = await readAccount(source, request.commerceId, request.userId);
      // Erased meanwhile: there is no person any more whom the token could stand for.
      if (email === null) throw new Unauthorized();
      const enrolment = await transaction(db, (db) => enrolMember(db, request.commerceId, email));
      return {
        message: enrolment.joined ? 'joined the program' : 'already in the program',
        welcome_benefit: enrolment.welcomeBenefit && benefitOf(enrolment.welcomeBenefit),
        welcome_points: enrolment.welcomePoints,
      };
    },
  );

  app.delete(
    '/v1/me/subscription',
    {
      schema: {
        operationId: 'leaveProgram',
        summary: 'Leave the program',
        description: 'Points and codes are kept.',
        tags: ['My account'],
        response: { 200: Message },
      },
      config: { credential: 'user', document: 'contract' },
    },
    async (request) => {
      await leaveProgram(db, request.commerceId, request.userId);
      return { message: 'left the program' };
    },
  );
}
