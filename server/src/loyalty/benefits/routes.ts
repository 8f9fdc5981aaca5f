import { Type } from 'typebox';
import { CommerceSchema, commerceToWire } from '#commerces/wire.ts';
import type { Database } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';
import { UnknownCommerce } from '#http/credential-hooks.ts';
import { InvalidKey } from '#http/refused-credentials.ts';
import type { SendReady } from '#http/ready-answer.ts';
import { route } from '#http/route.ts';
import { PATH_PARAMETER_CHARACTERS, Text } from '#http/schema.ts';
import { readBenefit } from './benefit.ts';
import { nameOfPublicProgram, PublicProgramSchema, publicProgramToWire } from './public-program.ts';
import type { Shelf, ShelfReader } from './shelf-reader.ts';
import { BenefitSchema, benefitToWire } from './wire.ts';

/**
 * The catalog, in full for the shop and only what is for sale for members and visitors, and the commerce's branding.
 */
export function benefitRoutes({
  db,
  shelfOf,
  sendReady,
}: {
  db: Database;
  shelfOf: ShelfReader;
  sendReady: SendReady;
}) {
  return {
    listBenefits: route({
      schema: {
        operationId: 'listBenefits',
        summary: 'List the full catalog',
        description:
          'Includes automatic rewards, and benefits that have expired or are not for sale. The same for every member.',
        tags: ['Benefits'],
        response: { 200: Type.Array(BenefitSchema) },
      },
      config: {
        turn: 'none',
        credential: 'key',
        scope: 'any',
        document: 'contract',
        cacheControl: 'private, no-cache',
      },
      handler: async (request, reply) => {
        const shelf = await shelfOf(request.commerceId);
        if (shelf === undefined) throw new InvalidKey();
        const { serviceUrl } = request;
        return sendReady(reply, `${serviceUrl} ${shelf.all.name}`, () =>
          shelf.all.offers.map((offer) => benefitToWire(offer, serviceUrl)),
        );
      },
    }),

    getBenefit: route({
      schema: {
        operationId: 'getBenefit',
        summary: 'Look up a benefit',
        description: 'By its id. Finds every benefit of the catalog, also one that is not for sale.',
        tags: ['Benefits'],
        params: Type.Object({
          benefit_id: Text(
            { description: 'The id of a benefit in the catalog.', examples: ['coffee'] },
            PATH_PARAMETER_CHARACTERS,
          ),
        }),
        response: { 200: BenefitSchema },
      },
      config: {
        turn: 'read',
        credential: 'key',
        scope: 'any',
        document: 'contract',
        refusals: { 404: 'The benefit does not exist.' },
      },
      handler: async (request) => {
        const benefit = await readBenefit(db, request.commerceId, request.params.benefit_id);
        if (benefit === undefined) throw new UnknownBenefit(request.params.benefit_id);
        return benefitToWire(benefit, request.serviceUrl);
      },
    }),

    listAvailableBenefits: route({
      schema: {
        operationId: 'listAvailableBenefits',
        summary: 'List the benefits that are for sale',
        description: 'Includes benefits that cost more points than the member has.',
        tags: ['My account'],
        response: { 200: Type.Array(BenefitSchema) },
      },
      config: { turn: 'none', credential: 'user', document: 'contract', cacheControl: 'private, no-cache' },
      handler: async (request, reply) => {
        const { live } = existing(await shelfOf(request.commerceId));
        const { serviceUrl } = request;
        return sendReady(reply, `${serviceUrl} ${live.name}`, () =>
          live.offers.map((offer) => benefitToWire(offer, serviceUrl)),
        );
      },
    }),

    getCommerce: route({
      schema: {
        operationId: 'getCommerce',
        summary: 'Get the branding of the commerce',
        description: 'Name, logo and color, for a page of your own.',
        tags: ['Public'],
        response: { 200: CommerceSchema },
      },
      config: { turn: 'none', credential: 'header', document: 'contract', cacheControl: 'public, no-cache' },
      handler: async (request, reply) => {
        const shelf = existing(await shelfOf(request.commerceId));
        const { serviceUrl } = request;
        return sendReady(reply, `${serviceUrl} commerce ${shelf.id}/${shelf.version}`, () =>
          commerceToWire(shelf, serviceUrl),
        );
      },
    }),

    listPublicBenefits: route({
      schema: {
        operationId: 'listPublicBenefits',
        summary: 'List the benefits that are for sale',
        description: 'For visitors: the same list that members see.',
        tags: ['Public'],
        response: { 200: Type.Array(BenefitSchema) },
      },
      config: { turn: 'none', credential: 'header', document: 'contract', cacheControl: 'public, no-cache' },
      handler: async (request, reply) => {
        const { live } = existing(await shelfOf(request.commerceId));
        const { serviceUrl } = request;
        return sendReady(reply, `${serviceUrl} ${live.name}`, () =>
          live.offers.map((offer) => benefitToWire(offer, serviceUrl)),
        );
      },
    }),

    getProgram: route({
      schema: {
        operationId: 'getProgram',
        summary: 'Get the rules of the program',
        description:
          'Everything that a visitor needs to know before joining: how purchases earn points, when points expire, the tiers and the rewards.',
        tags: ['Public'],
        response: { 200: PublicProgramSchema },
      },
      config: {
        turn: 'none',
        credential: 'header',
        document: 'extensions',
        cacheControl: 'public, no-cache',
      },
      handler: async (request, reply) => {
        const shelf = existing(await shelfOf(request.commerceId));
        const { serviceUrl } = request;
        return sendReady(reply, `${serviceUrl} ${nameOfPublicProgram(shelf)}`, () =>
          publicProgramToWire(shelf, serviceUrl),
        );
      },
    }),
  };
}

/** The program has no such benefit. The message about an id depends on nothing but the id. */
class UnknownBenefit extends NotFound {
  constructor(id: string) {
    let next = 'GET /v1/benefits/list lists the ids';
    if (id === 'redeem') next = 'to redeem a code, send POST';
    else if (/^[0-9]{14}$/.test(id) || id === 'preview')
      next =
        'to look up the 14 digits of a bought benefit, call GET /v2/benefits/preview/{client_benefit_code}';
    super(`the benefit does not exist: ${next}`);
  }
}

function existing(shelf: Shelf | undefined): Shelf {
  if (shelf === undefined) throw new UnknownCommerce();
  return shelf;
}
