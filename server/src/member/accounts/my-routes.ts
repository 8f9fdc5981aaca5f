import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { transaction, type Database } from '#db/database.ts';
import { NotFound } from '#problems/problem.ts';
import { Nullable } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { editProfile, type ProfileEdit } from '#members/edit-profile.ts';
import { lockMember } from '#members/lock-members.ts';
import { PHONE, USERNAME } from '#members/profile.ts';
import { pictureUrl } from '#pictures/picture-url.ts';
import { readShownCards } from '#stamps/shown-cards.ts';
import { StampCardSchema, stampCardsToWire } from '#stamps/wire.ts';
import { expiringOf, pendingOf, readAccount, type Account, type AccountSource } from './my-account.ts';
import {
  ExpiringPointsSchema,
  expiringPointsToWire,
  MyAccountSchema,
  myAccountToWire,
  MyCardSchema,
  myCardToWire,
  MyProfileSchema,
  myProfileToWire,
  PendingPointsSchema,
  pendingPointsToWire,
} from './my-wire.ts';

/** A signed-in person at one commerce: their profile and their points. */
export function myAccountRoutes(source: AccountSource & { db: Database }) {
  const { db } = source;
  const readMyAccount = async (request: FastifyRequest): Promise<Account> => {
    const account = await readAccount(source, request.commerceId, request.userId);
    request.commerceTime = account.commerce.now;
    return account;
  };
  return {
    getMyAccount: route({
      schema: {
        operationId: 'getMyAccount',
        summary: 'Get my account at this commerce',
        description: 'The profile, the balance, and the points that expire next.',
        tags: ['My account'],
        response: { 200: MyAccountSchema },
      },
      config: { turn: 'none', credential: 'user', document: 'contract' },
      handler: async (request) => myAccountToWire(await readMyAccount(request), request.serviceUrl),
    }),

    getMyCard: route({
      schema: {
        operationId: 'getMyCard',
        summary: 'Get my card',
        description: 'The code that the till scans to record a purchase. It never changes.',
        tags: ['My account'],
        response: { 200: MyCardSchema },
      },
      config: {
        turn: 'none',
        credential: 'user',
        document: 'extensions',
        refusals: { 404: 'The person has never joined the program, or the commerce does not exist.' },
      },
      handler: async (request) => {
        const card = myCardToWire(await readMyAccount(request));
        if (card === null) throw new NotFound('no card yet: join the program first');
        return card;
      },
    }),

    getMyProfile: route({
      schema: {
        operationId: 'getMyProfile',
        summary: 'Get my profile at this commerce',
        description: 'All fields are null for anyone who has never joined the program.',
        tags: ['My account'],
        response: { 200: MyProfileSchema },
      },
      config: { turn: 'none', credential: 'user', document: 'extensions' },
      handler: async (request) => myProfileToWire(await readMyAccount(request)),
    }),

    editMyAccount: route({
      schema: {
        operationId: 'editMyAccount',
        summary: 'Change my profile at this commerce',
        description: 'Changes only the fields that you send. Null clears a field.',
        tags: ['My account'],
        body: Type.Object({
          username: Type.Optional(
            Nullable(Type.String({ ...USERNAME, description: 'The name at this shop.', examples: ['Eva'] })),
          ),
          phone: Type.Optional(
            Nullable(
              Type.String({
                ...PHONE,
                'x-hint': 'Send it with the country code: "+351912345678".',
                description: 'In E.164 format.',
                examples: ['+351912345678'],
              }),
            ),
          ),
          birth_date: Type.Optional(
            Nullable(
              Type.String({
                format: 'date',
                description: 'From 1900-01-01 to today.',
                examples: ['1990-05-14'],
              }),
            ),
          ),
        }),
        response: { 200: MyAccountSchema },
      },
      config: {
        turn: { write: ({ userId }) => `user ${userId}` },
        credential: 'user',
        signedIn: true,
        document: 'extensions',
        refusals: { 400: 'The person has never joined the program.' },
      },
      handler: async (request) => {
        const { commerceId, userId, body } = request;
        // Also tells the commerce's time, with which a refusal is answered too.
        await readMyAccount(request);
        await transaction(db, async (tx) => {
          const member = await lockMember(tx, { commerceId, userId });
          await editProfile(tx, commerceId, member, profileEditOf(body));
        });
        return myAccountToWire(await readMyAccount(request), request.serviceUrl);
      },
    }),

    listMyPending: route({
      schema: {
        operationId: 'listMyPending',
        summary: 'List which of my points wait',
        description:
          'Points of purchases that cannot be spent yet: those that wait for a day, soonest first, and those that wait for the shop to confirm the purchase. They are not in `points` of the account.',
        tags: ['My account'],
        response: { 200: Type.Array(PendingPointsSchema) },
      },
      config: { turn: 'none', credential: 'user', document: 'extensions' },
      handler: async (request) => pendingOf(await readMyAccount(request)).map(pendingPointsToWire),
    }),

    listMyStamps: route({
      schema: {
        operationId: 'listMyStamps',
        summary: 'List my stamp cards',
        description:
          'A card of each kind that the program has, in its order, whether or not it has stamps. The code of a full card is among the member’s benefits.',
        tags: ['My account'],
        response: { 200: Type.Array(StampCardSchema) },
      },
      config: { turn: 'none', credential: 'user', document: 'extensions' },
      handler: async (request) => {
        const { commerce, member } = await readMyAccount(request);
        const cards = await readShownCards(db, commerce, member);
        return stampCardsToWire(cards, commerce, (image) => pictureUrl(image, request.serviceUrl));
      },
    }),

    listMyExpirations: route({
      schema: {
        operationId: 'listMyExpirations',
        summary: 'List when my points expire',
        description: 'Soonest first.',
        tags: ['My account'],
        response: { 200: Type.Array(ExpiringPointsSchema) },
      },
      config: { turn: 'none', credential: 'user', document: 'extensions' },
      handler: async (request) => expiringOf(await readMyAccount(request)).map(expiringPointsToWire),
    }),
  };
}

function profileEditOf(body: {
  username?: string | null;
  phone?: string | null;
  birth_date?: string | null;
}): ProfileEdit {
  const { birth_date: birthDate, ...rest } = body;
  return { ...rest, ...(birthDate !== undefined && { birthDate }) };
}
