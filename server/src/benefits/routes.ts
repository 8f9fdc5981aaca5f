import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { NotFound, Unauthorized } from '#problems/problem.ts';
import type { SendReady } from '#http/ready-answer.ts';
import type { App } from '#http/server.ts';
import { readBenefit } from './benefit.ts';
import type { ShelfReader } from './shelf-reader.ts';
import { Benefit, benefitOf } from './wire.ts';

/** A commerce reads its own catalog, automatic rewards included. */
export function benefitRoutes(
  app: App,
  { db, shelfOf, sendReady }: { db: Database; shelfOf: ShelfReader; sendReady: SendReady },
): void {
  app.get(
    '/v1/benefits/list',
    {
      schema: {
        operationId: 'listBenefits',
        summary: 'List the full catalog',
        description: 'Automatic rewards included, unfiltered by validity and by member.',
        tags: ['Benefits'],
        response: { 200: Type.Array(Benefit) },
      },
      config: { credential: 'key', document: 'contract', cacheControl: 'private, no-cache' },
    },
    async (request, reply) => {
      const shelf = await shelfOf(request.commerceId);
      if (shelf === undefined) throw new Unauthorized('the API key is not valid');
      return sendReady(reply, shelf.all.name, () => shelf.all.offers.map(benefitOf));
    },
  );

  app.get(
    '/v1/benefits/:benefit_id',
    {
      schema: {
        operationId: 'getBenefit',
        summary: 'Look up a benefit',
        tags: ['Benefits'],
        params: Type.Object({ benefit_id: Type.String({ description: 'Id of a benefit of the catalog.' }) }),
        response: { 200: Benefit },
      },
      config: { credential: 'key', document: 'contract', refusals: { 404: 'The benefit does not exist.' } },
    },
    async (request) => {
      const benefit = await readBenefit(db, request.commerceId, request.params.benefit_id);
      if (benefit === undefined) throw new NotFound('the benefit does not exist');
      return benefitOf(benefit);
    },
  );
}
