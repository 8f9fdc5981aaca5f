import { Type } from 'typebox';
import type { Database } from '#db/database.ts';
import { Int64 } from '#http/schema.ts';
import { route } from '#http/route.ts';
import type { MemberRef } from '#members/lock-members.ts';
import { UnknownMember } from '#members/refusals.ts';
import type { HolderReader } from '#points/holder-reader.ts';
import { balanceOn } from '#points/lots.ts';
import { readShownCards } from '#stamps/shown-cards.ts';
import { createPastPages, pastPageQuery } from '#vouchers/past-page.ts';
import { readVouchersOf } from '#vouchers/voucher.ts';
import { PastBenefitsPageSchema, RedeemableBenefitSchema, redeemableBenefitToWire } from '#vouchers/wire.ts';
import { LARGEST_PAGE, type ClientReader } from './client-reader.ts';
import {
  ClientSchema,
  ClientPageSchema,
  ClientStandingSchema,
  clientStandingToWire,
  clientToWire,
} from './shop-wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const params = Type.Object({
  client_code: Int64({
    description: 'The member’s 9-digit code.',
    examples: [482915374],
    'x-hint':
      'It is the 9 digits of the card of the member. With an e-mail address, call POST /v1/clients/email.',
    'x-error-codes': { wrong: 'not_a_client_code' },
  }),
});
const refusals = { 404: 'The client does not exist.' };

/** A commerce looks up its members. */
export function clientRoutes({
  db,
  clients,
  holderOf,
  secret,
}: {
  db: Database;
  clients: ClientReader;
  holderOf: HolderReader;
  secret: SecretKeys;
}) {
  const readPastPage = createPastPages({ db, secret });
  return {
    listClients: route({
      schema: {
        operationId: 'listClients',
        summary: 'List the clients',
        description:
          'In order of enrolment. To read all clients, add `limit` to `offset` until it reaches `total`.',
        tags: ['Clients'],
        querystring: Type.Object({
          limit: Type.Optional(
            Int64({
              minimum: 1,
              maximum: LARGEST_PAGE,
              default: 20,
              description: 'How many to return at most.',
            }),
          ),
          offset: Type.Optional(Int64({ minimum: 0, default: 0, description: 'How many to skip.' })),
        }),
        response: { 200: ClientPageSchema },
      },
      config: { turn: 'none', credential: 'key', scope: 'read', document: 'contract' },
      handler: async ({ commerceId, query }) => {
        const { limit = 20, offset = 0 } = query;
        const page = await clients.page({ commerceId, limit, offset });
        return { items: page.clients.map(clientToWire), total: page.total, limit, offset };
      },
    }),

    getClient: route({
      schema: {
        operationId: 'getClient',
        summary: 'Look up a client and their balance',
        description: 'By the 9-digit code on the member’s card.',
        tags: ['Clients'],
        params,
        response: { 200: ClientSchema },
      },
      config: { turn: 'none', credential: 'key', scope: 'read', document: 'contract', refusals },
      handler: async ({ commerceId, params }) => {
        const code = params.client_code;
        const client = await clients.byCode({ commerceId, code });
        if (client === null) throw new UnknownMember(code);
        return clientToWire(client);
      },
    }),

    getClientByEmail: route({
      schema: {
        operationId: 'getClientByEmail',
        summary: 'Look up a client by e-mail',
        description: 'The e-mail address is sent in the body, so that it does not appear in logs of URLs.',
        tags: ['Clients'],
        body: Type.Object({
          client_email: Type.String({
            format: 'email',
            description: 'The member’s e-mail address.',
            examples: ['eva@example.com'],
            'x-hint': 'With the 9 digits of the card, call GET /v1/clients/{client_code}.',
          }),
        }),
        response: { 200: ClientSchema },
      },
      config: { turn: 'none', credential: 'key', scope: 'read', document: 'contract', refusals },
      handler: async ({ commerceId, body }) => {
        const { member, commerce } = await findClient({ commerceId, email: body.client_email });
        const { code, username, email, lots } = member;
        return clientToWire({ code, username, email, points: balanceOn(lots, commerce.today) });
      },
    }),

    getClientStanding: route({
      schema: {
        operationId: 'getClientStanding',
        summary: 'Look up how a client stands',
        description:
          'The balance, what of it expires when, the points that wait, the tier and the stamp cards, in one call. For pages of the shop’s staff. A page for customers asks with their own session.',
        tags: ['Clients'],
        params,
        response: { 200: ClientStandingSchema },
      },
      config: { turn: 'read', credential: 'key', scope: 'members', document: 'extensions', refusals },
      handler: async ({ commerceId, params, serviceUrl }) => {
        const client = await findClient({ commerceId, code: params.client_code });
        const cards = await readShownCards(db, client.commerce, client.member);
        return clientStandingToWire(client, cards, serviceUrl);
      },
    }),

    listClientBenefits: route({
      schema: {
        operationId: 'listClientBenefits',
        summary: 'List the benefits of a client',
        description: 'The benefits that the client has bought or received, newest first.',
        tags: ['Clients'],
        params,
        response: { 200: Type.Array(RedeemableBenefitSchema) },
      },
      config: { turn: 'list', credential: 'key', scope: 'read', document: 'contract', refusals },
      handler: async (request) => {
        const { commerceId, serviceUrl } = request;
        const { member } = await findClient({ commerceId, code: request.params.client_code });
        const vouchers = await readVouchersOf(db, commerceId, member.id);
        return vouchers.map((voucher) => redeemableBenefitToWire(voucher, serviceUrl));
      },
    }),

    listPastBenefitsOfClient: route({
      schema: {
        operationId: 'listPastBenefitsOfClient',
        summary: 'List the past benefits of a client',
        description:
          'The benefits that were used or have expired, newest first, in pages. The list of the client’s benefits shows the newest 1,000 of them.',
        tags: ['Clients'],
        params,
        querystring: pastPageQuery,
        response: { 200: PastBenefitsPageSchema },
      },
      config: { turn: 'read', credential: 'key', scope: 'read', document: 'extensions', refusals },
      handler: async (request) => {
        const { commerceId, params, query } = request;
        const { member } = await findClient({ commerceId, code: params.client_code });
        return readPastPage(request, member.id, query.cursor);
      },
    }),
  };

  /** Invited people, who have points but have not joined, are not clients yet. */
  async function findClient(ref: MemberRef) {
    const { member, commerce } = await holderOf(ref);
    if (member === null || member.state === 'invited')
      throw new UnknownMember('code' in ref ? ref.code : undefined);
    return { member, commerce };
  }
}
