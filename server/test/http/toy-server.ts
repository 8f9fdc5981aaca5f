import { Type } from 'typebox';
import type { CommerceIdentity, Lookups } from '#http/credentials.ts';
import { Problem } from '#problems/problem.ts';
import { Instant, Int64, Message, Nullable, StrEnum } from '#http/schema.ts';
import { type App, createServer, type ServerOptions } from '#http/server.ts';

/** Commerce 7 with one key and one member, which is all the business that these tests need. */
const lookups: Lookups = {
  key: (token) => (token === 'lk_good' ? identity({ commerceId: 7, scopes: [] }) : null),
  user: async (token) => (token === 'good-access' ? identity({ userId: 3, onlyAt: null }) : null),
  commerce: async (id) => (id === 7 ? identity({ id }) : null),
  staffSession: () => null,
  staffKey: () => null,
};

/** Makes an identity without the fields that slices add to its type. It can be assigned to each of them. */
export function identity(known: object): never {
  return known as never;
}

class Sleeping extends Problem {
  constructor() {
    super(400, 'paused', 'the shop sleeps');
  }
}

export const Toy = Type.Object(
  {
    code: Int64(),
    name: Nullable(Type.String()),
    kind: Nullable(StrEnum(['soft', 'hard'])),
    madeAt: Instant(),
    soldAt: Nullable(Instant()),
    maker: Nullable(Type.Object({ name: Type.String() }, { title: 'Maker' })),
  },
  { title: 'Toy' },
);

/** Creates a server with a toy route of every kind. */
export async function toyServer(options: Partial<ServerOptions> = {}): Promise<App> {
  const app = await createServer({ log: false, lookups, ...options });
  toyRoutes(app);
  return app;
}

function toyRoutes(app: App): void {
  app.post(
    '/v1/toys',
    {
      config: {
        credential: 'key',
        scope: 'any',
        document: 'contract',
        refusals: { 400: 'The shop sleeps.' },
      },
      schema: {
        operationId: 'createToy',
        body: Type.Object({
          amount: Int64({ minimum: 1, maximum: 1_000_000 }),
          code: Type.Optional(Int64()),
          name: Type.Optional(Type.String({ minLength: 2, maxLength: 4, pattern: '^[^#]*$' })),
          email: Type.Optional(Type.String({ format: 'email' })),
          kind: Type.Optional(StrEnum(['soft', 'hard'])),
          note: Type.Optional(Nullable(Type.String())),
          maker: Type.Optional(Type.Object({ name: Type.String() })),
          tags: Type.Optional(Type.Array(Type.String(), { maxItems: 2 })),
          extra: Type.Optional(Type.Unknown()),
        }),
        response: { 201: Type.Object({ commerce: Int64(), body: Type.Unknown() }) },
      },
    },
    (request, reply) => {
      reply.code(201);
      return { commerce: request.commerceId, body: request.body };
    },
  );

  app.post(
    '/v1/swaps',
    {
      config: { credential: 'user', document: 'contract' },
      schema: {
        operationId: 'swapToy',
        headers: Type.Object({
          'idempotency-key': Type.Optional(Type.String({ pattern: '^[!-~ ]{1,255}$' })),
        }),
        querystring: Type.Object({ limit: Type.Optional(Int64({ minimum: 1, maximum: 100, default: 20 })) }),
        body: Type.Object({ toy_id: Type.String() }),
        response: { 200: Type.Object({ user: Int64(), limit: Nullable(Int64()) }) },
      },
    },
    (request) => ({ user: request.userId, limit: request.query.limit ?? null }),
  );

  app.get(
    '/v1/toys/:code',
    {
      config: { credential: 'key', scope: 'any', document: 'contract' },
      schema: { operationId: 'getToy', params: Type.Object({ code: Int64() }), response: { 200: Toy } },
    },
    (request) => ({
      code: request.params.code,
      name: null,
      kind: null,
      madeAt: new Date(0),
      soldAt: null,
      maker: { name: 'Ana' },
    }),
  );

  app.get(
    '/v1/list',
    {
      config: { credential: 'header', document: 'contract', cacheControl: 'public, max-age=5' },
      schema: {
        operationId: 'listToys',
        querystring: Type.Object({
          limit: Type.Optional(Int64({ minimum: 1, maximum: 100, default: 20 })),
          cursor: Type.Optional(Nullable(Type.String({ maxLength: 512 }))),
        }),
        response: {
          200: Type.Object({ commerce: Int64(), limit: Int64(), cursor: Nullable(Type.String()) }),
        },
      },
    },
    (request) => {
      const { limit = 20, cursor = null } = request.query;
      return { commerce: request.commerceId, limit, cursor };
    },
  );

  app.post(
    '/v1/wishes',
    {
      config: { credential: 'header', document: 'extensions', unknownCommerce: 'allowed' },
      schema: { operationId: 'wish', response: { 200: Type.Object({ known: Type.Boolean() }) } },
    },
    (request) => ({ known: (request.commerce satisfies CommerceIdentity | null) !== null }),
  );

  app.delete(
    '/v1/toys/:code',
    { config: { credential: 'none' }, schema: { response: { 200: Message } } },
    () => ({
      message: 'gone',
    }),
  );
  app.get('/staff', { config: { credential: 'staff', role: 'cashier' } }, () => ({}));
  app.get('/hello', { config: { credential: 'none' } }, () => ({ hello: 'world' }));
  app.get('/asleep', { config: { credential: 'none' } }, () => {
    throw new Sleeping();
  });
  app.get('/bug', { config: { credential: 'none' } }, () => {
    throw new Error('a secret of ana@example.com');
  });
}
