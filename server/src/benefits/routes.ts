import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { NotFound } from '#http/problem.ts';
import type { App } from '#http/server.ts';
import { readBenefit, readCatalog } from './benefit.ts';
import { Benefit, benefitOf } from './wire.ts';

/** A commerce reads its own catalog, automatic rewards included. */
export function benefitRoutes(app: App, { db }: { db: Database }): void {
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
      config: { credential: 'key', document: 'contract' },
    },
    async (request) => (await readCatalog(db, request.commerceId)).map(benefitOf),
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
