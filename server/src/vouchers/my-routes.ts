import { Type } from 'typebox';
import type { ShelfReader } from '#benefits/shelf-reader.ts';
import { Benefit, benefitOf } from '#benefits/wire.ts';
import type { Database } from '#db/database.ts';
import { cursorsOf } from '#http/cursor.ts';
import { idempotencyHeader } from '#http/idempotency-header.ts';
import { NotFound } from '#problems/problem.ts';
import type { SendReady } from '#http/ready-answer.ts';
import type { App } from '#http/server.ts';
import type { BenefitExchanger } from './benefit-exchanger.ts';
import { readVouchersOf } from './voucher.ts';
import { RedeemableBenefit, redeemableBenefitOf } from './wire.ts';
import { ActivityPage, activityItemOf } from '#history/wire.ts';
import { readAccount, type AccountSource } from '#accounts/my-account.ts';
import { readActivity } from '#history/read-history.ts';

/** What a signed-in person can buy, buys, and did. */
export function buyingRoutes(
  app: App,
  source: AccountSource & {
    db: Database;
    secret: string;
    shelfOf: ShelfReader;
    sendReady: SendReady;
    exchanger: BenefitExchanger;
  },
): void {
  const { db, secret, shelfOf, sendReady, exchanger } = source;
  app.get(
    '/v1/me/benefits/available',
    {
      schema: {
        operationId: 'listAvailableBenefits',
        summary: 'The live catalog',
        description: 'Not filtered by balance.',
        tags: ['My account'],
        response: { 200: Type.Array(Benefit) },
      },
      config: { credential: 'user', document: 'contract', cacheControl: 'private, no-cache' },
    },
    async (request, reply) => {
      const shelf = await shelfOf(request.commerceId);
      if (shelf === undefined) throw new NotFound('the commerce does not exist');
      return sendReady(reply, shelf.live.name, () => shelf.live.offers.map(benefitOf));
    },
  );

  app.post(
    '/v1/me/benefits/exchange',
    {
      schema: {
        operationId: 'exchangeBenefit',
        summary: 'Buy a benefit with points',
        description:
          'Sending the same `Idempotency-Key` again does not repeat the purchase: it gives the first answer.',
        tags: ['My account'],
        headers: idempotencyHeader,
        body: Type.Object({
          benefit_id: Type.String({
            description: 'As the available list gives it.',
            examples: ['flat-white'],
          }),
        }),
        response: { 200: RedeemableBenefit },
      },
      config: {
        credential: 'user',
        document: 'contract',
        refusals: { 400: 'The benefit does not exist, is not valid, or the points fall short.' },
      },
    },
    async (request, reply) => {
      const { voucher, replayed } = await exchanger.exchange({
        commerceId: request.commerceId,
        userId: request.userId,
        benefitId: request.body.benefit_id,
        idempotencyKey: request.headers['idempotency-key'],
      });
      if (replayed) reply.header('idempotency-replayed', 'true');
      // As it was issued, so that a repeat gets the first answer to the byte.
      return redeemableBenefitOf({ ...voucher, usedAt: null });
    },
  );

  app.get(
    '/v1/me/benefits',
    {
      schema: {
        operationId: 'listMyBenefits',
        summary: 'The benefits that I have bought',
        description: 'Newest first.',
        tags: ['My account'],
        response: { 200: Type.Array(RedeemableBenefit) },
      },
      config: { credential: 'user', document: 'contract' },
    },
    async (request) => {
      const { member } = await readAccount(source, request.commerceId, request.userId);
      return member === null
        ? []
        : (await readVouchersOf(db, request.commerceId, member.id)).map(redeemableBenefitOf);
    },
  );

  app.get(
    '/v1/me/activity',
    {
      schema: {
        operationId: 'listMyActivity',
        summary: 'My history',
        description:
          'Newest first. Pass the previous `next_cursor` as `cursor`; null means that there are no more pages.',
        tags: ['My account'],
        querystring: Type.Object({
          cursor: Type.Optional(Type.String({ maxLength: 512, description: 'Omitted, the first page.' })),
        }),
        response: { 200: ActivityPage },
      },
      config: { credential: 'user', document: 'contract' },
    },
    async (request) => {
      const { commerceId, userId, query } = request;
      const cursors = cursorsOf(secret, `activity/${commerceId}/${userId}`);
      const position = query.cursor === undefined || query.cursor === '' ? null : cursors.open(query.cursor);
      const { member } = await readAccount(source, commerceId, userId);
      if (member === null) return { results: [], next_cursor: null, previous_cursor: null };
      const page = await readActivity(db, commerceId, member.id, position);
      return {
        results: page.items.map(activityItemOf),
        next_cursor: page.next && cursors.seal(page.next),
        previous_cursor: page.previous && cursors.seal(page.previous),
      };
    },
  );
}
