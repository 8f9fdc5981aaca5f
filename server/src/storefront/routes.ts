import { Type } from 'typebox';
import { readLiveCatalog } from '#benefits/live-catalog.ts';
import { Benefit, benefitOf } from '#benefits/wire.ts';
import { readCommerce, type Commerce as CommerceRead } from '#commerces/commerce.ts';
import { Commerce, commerceOf } from '#commerces/wire.ts';
import type { Database } from '#db/database.ts';
import { NotFound } from '#http/problem.ts';
import type { App } from '#http/server.ts';

/** What a shop shows to anyone: its branding and its live catalog. */
export function storefrontRoutes(app: App, { db }: { db: Database }): void {
  app.get(
    '/v1/public/commerce',
    {
      schema: {
        operationId: 'getCommerce',
        summary: 'Branding of the commerce',
        tags: ['Public'],
        response: { 200: Commerce },
      },
      config: { credential: 'header', document: 'contract' },
    },
    async (request) => commerceOf(await existing(db, request.commerceId)),
  );

  app.get(
    '/v1/public/benefits',
    {
      schema: {
        operationId: 'listPublicBenefits',
        summary: 'The live catalog',
        tags: ['Public'],
        response: { 200: Type.Array(Benefit) },
      },
      config: { credential: 'header', document: 'contract' },
    },
    async (request) => (await readLiveCatalog(db, await existing(db, request.commerceId))).map(benefitOf),
  );
}

async function existing(db: Database, id: number): Promise<CommerceRead> {
  const commerce = await readCommerce(db, id);
  if (commerce === undefined) throw new NotFound('the commerce does not exist');
  return commerce;
}
