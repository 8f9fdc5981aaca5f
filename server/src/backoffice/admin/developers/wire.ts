import { Type } from 'typebox';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { STAFF_ROLES } from '#http/staff-roles.ts';
import { CauseSchema } from '../audit/wire.ts';

export const keyId = Int64({ description: 'The key in the list of keys.', examples: [281474976710691] });

export const keyName = Type.String({ description: 'What the key is for.', examples: ['Online shop'] });

const role = StrEnum(STAFF_ROLES, {
  description: 'What a key of the back office may do. Null for a key of the contract.',
});

const key = {
  key_id: keyId,
  name: keyName,
  prefix: Type.String({
    description: 'The first characters of the key. The key itself is not stored.',
    examples: ['lk_live_3fG8'],
  }),
  role: Nullable(role),
  scopes: Nullable(
    Type.Array(StrEnum(KEY_SCOPES), {
      description: 'What a key of the contract may do. Null for a key of the back office.',
      examples: [['read', 'purchases', 'redeem']],
    }),
  ),
  state: StrEnum(['active', 'ending', 'ended'], {
    description: 'An `ending` key was replaced and is accepted until `ends_at`.',
  }),
  created_at: Instant(),
  last_used_at: Nullable(Instant({ description: 'About a minute exact. Null if the key was never used.' })),
  ends_at: Nullable(Instant({ description: 'When the key ends or has ended.' })),
  replaces_id: Nullable(Int64({ description: 'The key that it has replaced.', examples: [281474976710690] })),
  replaced_by_id: Nullable(
    Int64({ description: 'The key that has replaced it.', examples: [281474976710692] }),
  ),
};

export const ApiKeySchema = Type.Object(key, { title: 'ApiKey' });

export const NewApiKeySchema = Type.Object(
  {
    ...key,
    key: Type.String({
      description: 'The whole key. It is not shown again.',
      examples: ['lk_live_3fG8hVb0cZ7sQkTn2yXwLr5uPe9dJa1mBo4iCt6vRgE0lYs8Kq'],
    }),
  },
  { title: 'NewApiKey' },
);

const ProblemCallSchema = Type.Object(
  {
    at: Instant(),
    method: Type.String({ examples: ['POST'] }),
    route: Type.String({
      description: 'The pattern of the path, without the values.',
      examples: ['/v1/clients/:client_code'],
    }),
    status: Type.Integer({ examples: [404] }),
    code: Nullable(Type.String({ description: 'The word in `X-Error-Code`.', examples: ['not_found'] })),
    request_id: Type.String({
      description: 'The `X-Request-Id` of the answer.',
      examples: ['6f1a3c1e-55d0-4c5e-8a44-0e8d3c6a2b90'],
    }),
    key_id: keyId,
    key_name: keyName,
  },
  { title: 'ProblemCall' },
);

export const ProblemCallsSchema = Type.Object(
  {
    results: Type.Array(ProblemCallSchema),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
  },
  { title: 'ProblemCalls' },
);

export const IgnoredFieldsSchema = Type.Object(
  {
    results: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description: 'What was sent, as `X-Unknown-Fields` named it.',
            examples: ['body.externalId'],
          }),
          method: Type.String({ examples: ['POST'] }),
          route: Type.String({
            description: 'The pattern of the path, without the values.',
            examples: ['/v1/consumptions/client-code'],
          }),
          calls: Type.Integer({ description: 'How many calls sent it.', examples: [412] }),
          first_at: Instant(),
          last_at: Instant(),
          key_id: keyId,
          key_name: keyName,
        },
        { title: 'IgnoredField' },
      ),
    ),
  },
  { title: 'IgnoredFields' },
);

export const ExampleCallsSchema = Type.Object(
  {
    base_url: Type.String({ description: 'The address of the service in the commands.' }),
    results: Type.Array(
      Type.Object(
        {
          operation_id: Type.String({ examples: ['recordConsumptionByClientCode'] }),
          summary: Type.String({ examples: ['Record a purchase by client code'] }),
          tag: Type.String({ examples: ['Consumptions'] }),
          method: Type.String({ examples: ['POST'] }),
          path: Type.String({ examples: ['/v1/consumptions/client-code'] }),
          credential: StrEnum(['key', 'user', 'header'], {
            description:
              '`key`: an API key. `user`: the token of a member’s session. `header`: only `X-Commerce-Id`.',
          }),
          curl: Type.String({ description: 'The command.', examples: ['curl http://127.0.0.1:3000/v1/me'] }),
        },
        { title: 'ExampleCall' },
      ),
    ),
  },
  { title: 'ExampleCalls' },
);

const ClockMoveSchema = Type.Object(
  {
    at: Instant({ description: 'When somebody moved it, in real time.' }),
    by: CauseSchema,
    from: Instant({ description: 'The commerce’s time before.' }),
    to: Instant({ description: 'The commerce’s time after.' }),
    state: StrEnum(['moving', 'done', 'stopped'], {
      description: '`stopped`: something failed on the way. Moving the clock again goes on from there.',
    }),
    due: Type.Array(
      Type.Object({
        job: Type.String({ examples: ['expire-points'] }),
        count: Int64({
          description: 'How often it changed a member, on all days together.',
          examples: [12],
        }),
      }),
      { description: 'What fell due on the way, in the order of the jobs.' },
    ),
    failures: Int64({ description: 'Members for whom a job failed.', examples: [0] }),
  },
  { title: 'ClockMove' },
);

export const ShopClockSchema = Type.Object(
  {
    sandbox: Type.Boolean({ description: 'Whether the clock can be moved.' }),
    now: Instant({ description: 'The commerce’s time.' }),
    today: Type.String({ format: 'date', description: 'Its day.', examples: ['2026-11-22'] }),
    is_moving: Type.Boolean(),
    moves: Type.Array(ClockMoveSchema, { description: 'The newest 20, newest first.' }),
  },
  { title: 'ShopClock' },
);
