import { Type } from 'typebox';
import { keyedRequest, type Fields } from '#batching/keyed-request.ts';
import { readWireIds, type WireIds } from '#batching/wire-ids.ts';
import { transaction, type Database } from '#db/database.ts';
import { createCursors } from '#http/cursor.ts';
import { idempotencyHeader } from '#http/idempotency-header.ts';
import { refuseBackwardRange } from '#http/sent-range.ts';
import { Int64, Message, Nullable, SentInstant } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { confirmPurchase } from './confirm-purchase.ts';
import type { Line } from '#points/line.ts';
import type { SaidFacts } from '#points/purchase-facts.ts';
import { assertAddUp, assertNamedOnce } from './said-lines.ts';
import { listPurchases } from './list-purchases.ts';
import { previewPurchase } from './preview-purchase.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import { EXTERNAL_ID_CHARACTERS } from './read-purchase-row.ts';
import { readPurchase, UnknownPurchase } from './read-purchase.ts';
import type { PurchaseRecorder, Recorded } from './purchase-recorder.ts';
import {
  addedToCalls,
  BODY_WITH_LINES_BYTES,
  Channel,
  Lines,
  MOST_LINES,
  ReturnedLineSchema,
} from './lines-wire.ts';
import { stampsHeader } from '#stamps/wire.ts';
import { reversePurchase } from './reverse-purchase.ts';
import {
  ConsumptionConfirmationSchema,
  consumptionConfirmationToWire,
  ConsumptionPageSchema,
  ConsumptionSchema,
  consumptionToWire,
  ConsumptionPreviewSchema,
  consumptionPreviewToWire,
  ConsumptionReversalSchema,
  consumptionReversalToWire,
} from './wire.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

const refusals = {
  400: 'The consumption could not be created.',
  403: 'The client exists but is not eligible for consumptions.',
};

const amount = Int64({
  description: 'Whole units of the commerce currency, no decimals: 1,750.50 is sent as 1750.',
  examples: [26],
  'x-hint': 'Amounts are whole currency units: 18, not "18.00" or 18.50.',
});
const purchaseByCode = Type.Object({
  client_code: Int64({
    description: 'The member’s 9-digit code.',
    examples: [482915374],
    'x-hint':
      'It is the 9 digits of the card of the member. With an e-mail address, call POST /v1/consumptions/email.',
    'x-error-codes': { wrong: 'not_a_client_code' },
  }),
  amount,
  counter_id: Type.Optional(
    Nullable(
      Int64({
        description: 'The id of the register, for your own reports.',
        examples: [3],
        'x-hint': 'Leave it out if your registers have no numbers.',
      }),
    ),
  ),
  id_suc: Type.Optional(
    Nullable(
      Int64({
        description: 'The id of the branch, for your own reports.',
        examples: [12],
        'x-hint': 'Leave it out if your branches have no numbers.',
      }),
    ),
  ),
});

const addedHeaders = {
  'X-Consumption-Id': 'The id to look up or reverse the purchase.',
  Location: 'The address of the purchase.',
  'X-Points-Earned': 'The points that it earned. A repeated call gets those of the first.',
  'X-Points-Balance':
    'The balance right after it: what the member can spend, or what waits for an address without an account. A repeated call gets that of the first, and none if a file or an earlier release brought that one.',
  'X-Points-Waiting':
    'Those of the points earned that wait before they can be spent. Left out if none do. A repeated call gets those of the first.',
  'X-Stamps':
    'What it stamped on each kind of card: the id, the stamps that it gave, those on the card after it and those of a full one, how many cards it filled, and stamps beyond the three cards that one purchase can fill. Left out if it stamped none. `"coffee";given=1;have=7;need=10`. A repeated call gets those of the first.',
  'Idempotency-Replayed':
    '`true` if this purchase was recorded before, with the same `Idempotency-Key` or the same `external_id`.',
};

const reversalHeaders = {
  'X-Consumption-Id': 'The id of the purchase.',
  Location: 'The address of the purchase.',
  'X-Points-Balance':
    'The balance right after the reversal, which may be below zero. A repeated call gets that of the first, and none if an earlier release did that one.',
  'Idempotency-Replayed': '`true` if the purchase was reversed before, with the same `Idempotency-Key`.',
};

const EXTERNAL_ID_HINT =
  'Use 1 to 255 printable characters in one line: no line breaks, tabs or other control characters.';

/** The contract has no such field, so only the other document describes it. */
const externalId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: EXTERNAL_ID_CHARACTERS,
    pattern: ONE_LINE,
    description:
      'The shop’s own id of the purchase, unique within the commerce: 1 to 255 printable characters. The same id with the same body returns the first answer and counts once; with another body it is a 409. A refused call leaves the id free. A reversal does not. Rows of `loyalty purchases import` share the ids: a call and a row are the same purchase if the buyer, the amount, the register and the branch are the same.',
    examples: ['order-2026-000123'],
    'x-hint': EXTERNAL_ID_HINT,
    'x-extension': true,
  }),
);
const recordedByCode = Type.Object({
  ...purchaseByCode.properties,
  ...addedToCalls,
  external_id: externalId,
});

const consumptionId = Type.Object({
  consumption_id: Int64({
    description: 'The id from the `X-Consumption-Id` header.',
    examples: [446165214474872],
    'x-hint': 'It is the number in the X-Consumption-Id header of the response that recorded the purchase.',
  }),
});

/** An unknown condition is refused, because the list without it would have purchases that nobody asked for. */
const conditions = Type.Object(
  {
    external_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: EXTERNAL_ID_CHARACTERS,
        pattern: ONE_LINE,
        description: 'The shop’s own id of the purchase.',
        'x-hint': EXTERNAL_ID_HINT,
      }),
    ),
    client_code: Type.Optional(
      Int64({
        description: 'Purchases of this client only.',
        'x-hint': 'It is the 9 digits of the card of the member.',
        'x-error-codes': { wrong: 'not_a_client_code' },
      }),
    ),
    from: Type.Optional(SentInstant('Purchases made at this instant or later.')),
    to: Type.Optional(SentInstant('Purchases made before this instant.')),
    cursor: Type.Optional(Type.String({ maxLength: 512, description: 'Omit it to get the first page.' })),
  },
  { additionalProperties: false, 'x-hint': 'Known are external_id, client_code, from, to and cursor.' },
);

const SEND_NO_BODY = 'The id in the path says all.';
const SEND_NOTHING = 'Send {} to reverse all that is left.';

/** Records, previews, shows, lists and reverses purchases. */
export function purchaseRoutes({
  db,
  purchases,
  secret,
}: {
  db: Database;
  purchases: PurchaseRecorder;
  secret: SecretKeys;
}) {
  return {
    recordConsumptionByClientCode: route({
      schema: {
        operationId: 'recordConsumptionByClientCode',
        summary: 'Record a purchase by client code',
        description:
          'Gives the member the points that the program computes. `X-Consumption-Id` in the response is the id to look the purchase up or to reverse it.',
        tags: ['Consumptions'],
        headers: idempotencyHeader,
        body: recordedByCode,
        response: { 201: Message },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        longOnlyWith: 'lines',
        turn: 'none',
        credential: 'key',
        scope: 'purchases',
        document: 'contract',
        refusals: { ...refusals, 404: 'The client code does not exist.' },
        addedHeaders,
      },
      handler: async (request, reply) => {
        const { client_code: code, ...bought } = request.body;
        // Before the purchase, so that nothing can fail once it is recorded.
        const ids = await readWireIds(db, request.commerceId, 'purchase');
        const recorded = await purchases.record({ ...callOf(request, bought), buyer: { code } });
        return reply.code(201).headers(headersOf(recorded, ids)).send({ message: 'consumption created' });
      },
    }),

    recordConsumptionByEmail: route({
      schema: {
        operationId: 'recordConsumptionByEmail',
        summary: 'Record a purchase by e-mail',
        description:
          'If the address has no account, the points wait for the person, and the service sends an invitation.',
        tags: ['Consumptions'],
        headers: idempotencyHeader,
        body: Type.Object({
          client_email: Type.String({
            format: 'email',
            description: 'The member’s e-mail address.',
            examples: ['eva@example.com'],
            'x-hint': 'With the 9 digits of the card, call POST /v1/consumptions/client-code.',
          }),
          amount,
          ...addedToCalls,
          external_id: externalId,
        }),
        response: { 201: Message },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        longOnlyWith: 'lines',
        turn: 'none',
        credential: 'key',
        scope: 'purchases',
        document: 'contract',
        refusals: { ...refusals, 404: 'The client does not exist.' },
        addedHeaders,
      },
      handler: async (request, reply) => {
        const { client_email: email, ...bought } = request.body;
        const ids = await readWireIds(db, request.commerceId, 'purchase');
        const recorded = await purchases.record({ ...callOf(request, bought), buyer: { email } });
        return reply.code(201).headers(headersOf(recorded, ids)).send({ message: 'consumption created' });
      },
    }),

    previewConsumption: route({
      schema: {
        operationId: 'previewConsumption',
        summary: 'Preview what a purchase would earn',
        description: 'Uses the same rules as recording a purchase. Nothing is recorded.',
        tags: ['Consumptions'],
        body: Type.Object({ ...purchaseByCode.properties, lines: Lines(MOST_LINES), channel: Channel }),
        response: { 200: ConsumptionPreviewSchema },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        longOnlyWith: 'lines',
        turn: 'read',
        credential: 'key',
        scope: 'purchases',
        document: 'extensions',
        refusals: { ...refusals, 404: 'The client code does not exist.' },
      },
      handler: async (request) => {
        const { client_code: code, ...bought } = request.body;
        return consumptionPreviewToWire(
          await previewPurchase(db, { commerceId: request.commerceId, code }, purchaseOf(bought)),
        );
      },
    }),

    getConsumption: route({
      schema: {
        operationId: 'getConsumption',
        summary: 'Look up a recorded purchase',
        description:
          'Returns what was recorded, how its points were computed, and how much of it was reversed.',
        tags: ['Consumptions'],
        params: consumptionId,
        response: { 200: ConsumptionSchema },
      },
      config: {
        turn: 'read',
        credential: 'key',
        scope: 'read',
        document: 'extensions',
        refusals: { 404: 'The consumption does not exist.' },
      },
      handler: async (request) =>
        consumptionToWire(
          await readPurchase(
            db,
            request.commerceId,
            await storedIdOf(request.commerceId, request.params.consumption_id),
          ),
          request.params.consumption_id,
        ),
    }),

    listConsumptions: route({
      schema: {
        operationId: 'listConsumptions',
        summary: 'List purchases, or find one by the shop’s own id',
        description:
          'Newest first, each as its own look-up shows it. All conditions count together, and an unknown one is refused. Pass `next_cursor` as `cursor`, with the same conditions, to get the next page; it is null on the last page. With `client_code` a page may be shorter than the others. A code or an id that the commerce does not know finds nothing.',
        tags: ['Consumptions'],
        querystring: conditions,
        response: { 200: ConsumptionPageSchema },
      },
      config: { turn: 'read', credential: 'key', scope: 'read', document: 'extensions' },
      handler: async ({ commerceId, query }) => {
        const { external_id: externalId, client_code: code, from, to, cursor = '' } = query;
        refuseBackwardRange(from, to);
        const ids = await readWireIds(db, commerceId, 'purchase');
        const scope = JSON.stringify([externalId, code, from, to]);
        const cursors = createCursors(secret, `purchases/${commerceId}/${scope}`);
        const opened = cursor === '' ? null : cursors.open(cursor);
        // The owner of a cursor can read its content, and the ids of movements count up over all shops.
        const position = opened && { ...opened, id: ids.fromWire(opened.id) ?? opened.id };
        const page = await listPurchases(db, commerceId, { externalId, code, from, to }, position);
        return {
          results: page.purchases.map((purchase) => consumptionToWire(purchase, ids.toWire(purchase.id))),
          next_cursor: page.next && cursors.seal({ ...page.next, id: ids.toWire(page.next.id) }),
        };
      },
    }),

    confirmConsumption: route({
      schema: {
        operationId: 'confirmConsumption',
        summary: 'Confirm a purchase whose points wait for that',
        description:
          'For programs with `earning.pending: {until: confirmed}`: what waits of the purchase can be spent from now on. Repeating it changes nothing, and neither does confirming a purchase of which nothing waits for the shop.',
        tags: ['Consumptions'],
        params: consumptionId,
        querystring: Type.Object({}, { additionalProperties: false, 'x-hint': SEND_NO_BODY }),
        response: { 200: ConsumptionConfirmationSchema },
      },
      config: {
        turn: { write: ({ params }) => `purchase ${(params as { consumption_id: number }).consumption_id}` },
        credential: 'key',
        scope: 'purchases',
        document: 'extensions',
        refusals: {
          400: 'The consumption was not confirmed in time and has been cancelled.',
          404: 'The consumption does not exist.',
        },
      },
      handler: async ({ commerceId, params }) => {
        const purchaseId = await storedIdOf(commerceId, params.consumption_id);
        const confirmed = await transaction(db, (tx) => confirmPurchase(tx, { commerceId, purchaseId }));
        return consumptionConfirmationToWire(confirmed);
      },
    }),

    reverseConsumption: route({
      schema: {
        operationId: 'reverseConsumption',
        summary: 'Reverse a purchase or a part of it',
        description:
          'The points are taken back by the rules that applied at the time of the purchase. Partial reversals add up exactly to the whole.',
        tags: ['Consumptions'],
        params: consumptionId,
        headers: idempotencyHeader,
        // A misspelled amount would reverse all that is left.
        querystring: Type.Object({}, { additionalProperties: false, 'x-hint': SEND_NOTHING }),
        body: Type.Object(
          {
            amount: Type.Optional(
              Int64({
                description: 'Whole currency units to reverse. By default, all that is left.',
                examples: [6],
                'x-hint':
                  'Amounts are whole currency units: 18, not "18.00" or 18.50. Leave it out to reverse all that is left.',
              }),
            ),
            lines: Type.Optional(
              Type.Array(ReturnedLineSchema, {
                minItems: 1,
                maxItems: MOST_LINES,
                description:
                  'Which lines came back, if the purchase has lines. Without it the amount comes back from all lines in proportion.',
              }),
            ),
          },
          { additionalProperties: false, 'x-hint': SEND_NOTHING, examples: [{ amount: 6 }] },
        ),
        response: { 201: ConsumptionReversalSchema },
      },
      bodyLimit: BODY_WITH_LINES_BYTES,
      config: {
        longOnlyWith: 'lines',
        addedHeaders: reversalHeaders,
        turn: { write: ({ params }) => `purchase ${(params as { consumption_id: number }).consumption_id}` },
        credential: 'key',
        scope: 'purchases',
        document: 'extensions',
        refusals: {
          400: 'Nothing is left of the consumption, less is left than requested, or its points were spent and the program does not allow that.',
          404: 'The consumption does not exist.',
        },
      },
      handler: async (request, reply) => {
        const { consumption_id: consumptionId } = request.params;
        const purchaseId = await storedIdOf(request.commerceId, consumptionId);
        const { lines, amount = sumOf(lines) } = request.body;
        assertNamedOnce(lines ?? null);
        assertAddUp(lines ?? null, amount ?? 0, 'amount');
        const { answer: reversed } = await transaction(db, (tx) =>
          reversePurchase(tx, {
            commerceId: request.commerceId,
            purchaseId,
            amount,
            lines,
            request: keyedRequest(request),
          }),
        );
        return reply
          .code(201)
          .headers({
            'x-consumption-id': String(consumptionId),
            location: `/v1/consumptions/${consumptionId}`,
            ...(reversed.balance !== null && { 'x-points-balance': String(reversed.balance) }),
            ...(reversed.replayed && { 'idempotency-replayed': 'true' }),
          })
          .send(consumptionReversalToWire(reversed));
      },
    }),
  };

  /** @throws UnknownPurchase if no purchase can have this id */
  async function storedIdOf(commerceId: number, consumptionId: number): Promise<number> {
    const id = (await readWireIds(db, commerceId, 'purchase')).fromWire(consumptionId);
    if (id === null) throw new UnknownPurchase();
    return id;
  }
}

function sumOf(lines: readonly { readonly amount: number }[] | undefined): number | undefined {
  return lines?.reduce((sum, { amount }) => sum + amount, 0);
}

function headersOf(
  { purchaseId, pointsEarned, pointsWaiting, stamps, balance, replayed }: Recorded,
  ids: WireIds,
): Record<string, string> {
  const consumptionId = ids.toWire(purchaseId);
  return {
    'x-consumption-id': String(consumptionId),
    location: `/v1/consumptions/${consumptionId}`,
    'x-points-earned': String(pointsEarned),
    ...(pointsWaiting > 0 && { 'x-points-waiting': String(pointsWaiting) }),
    ...(balance !== null && { 'x-points-balance': String(balance) }),
    ...(stamps.length > 0 && { 'x-stamps': stampsHeader(stamps) }),
    ...(replayed && { 'idempotency-replayed': 'true' }),
  };
}

interface Bought {
  readonly amount: number;
  readonly counter_id?: number | null;
  readonly id_suc?: number | null;
  readonly channel?: string | null;
  readonly lines?: readonly Line[] | null;
  readonly external_id?: string;
}

/** @throws NamedTwice, LinesDoNotAddUp */
function purchaseOf(bought: Bought): SaidFacts {
  const {
    amount,
    counter_id: registerId = null,
    id_suc: branchId = null,
    channel = null,
    lines = null,
  } = bought;
  assertNamedOnce(lines);
  assertAddUp(lines, amount, 'amount');
  return { amount, registerId, branchId, channel, lines };
}

function callOf(request: Parameters<typeof keyedRequest>[0] & { commerceId: number }, bought: Bought) {
  return {
    commerceId: request.commerceId,
    ...purchaseOf(bought),
    request: keyedRequest(request),
    order:
      bought.external_id === undefined
        ? undefined
        : { externalId: bought.external_id, body: request.body as Fields },
  };
}
