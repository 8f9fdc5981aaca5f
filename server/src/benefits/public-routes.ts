import { Type } from 'typebox';
import type { Shelf, ShelfReader } from './shelf-reader.ts';
import { Benefit, benefitOf } from './wire.ts';
import { Commerce, commerceOf } from '#commerces/wire.ts';
import { NotFound } from '#problems/problem.ts';
import type { SendReady } from '#http/ready-answer.ts';
import type { App } from '#http/server.ts';

/** What a shop shows to anyone: its branding and its live catalog. */
export function storefrontRoutes(
  app: App,
  { shelfOf, sendReady }: { shelfOf: ShelfReader; sendReady: SendReady },
): void {
  app.get(
    '/v1/public/commerce',
    {
      schema: {
        operationId: 'getCommerce',
        summary: 'Branding of the commerce',
        tags: ['Public'],
        response: { 200: Commerce },
      },
      config: { credential: 'header', document: 'contract', cacheControl: 'public, no-cache' },
    },
    async (request, reply) => {
      const shelf = existing(await shelfOf(request.commerceId));
      return sendReady(reply, `commerce ${shelf.id}/${shelf.version}`, () => commerceOf(shelf));
    },
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
      config: { credential: 'header', document: 'contract', cacheControl: 'public, no-cache' },
    },
    async (request, reply) => {
      const { live } = existing(await shelfOf(request.commerceId));
      return sendReady(reply, live.name, () => live.offers.map(benefitOf));
    },
  );
}

function existing(shelf: Shelf | undefined): Shelf {
  if (shelf === undefined) throw new NotFound('the commerce does not exist');
  return shelf;
}
