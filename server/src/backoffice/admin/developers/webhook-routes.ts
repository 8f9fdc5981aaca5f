import { Type, type Static } from 'typebox';
import type { Database, Db } from '#db/database.ts';
import { readFeed, type EventIds } from '#events/feed.ts';
import { createCursors } from '#http/cursor.ts';
import { Nullable, SentInstant, StrEnum } from '#http/schema.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import {
  changeWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  GOES_ON,
  rotateSecret,
} from '#webhooks/change-webhook.ts';
import { createWebhook } from '#webhooks/create-webhook.ts';
import { deliveryIdOf, eventIdOf } from '#webhooks/delivery-ids.ts';
import {
  DELIVERY_STATES,
  readDeliveries,
  readDelivery,
  UnknownDelivery,
  type Delivery,
  type DeliveryPosition,
} from '#webhooks/read-deliveries.ts';
import { replayFailed, replayOne, replayRange, sendTest } from '#webhooks/replay.ts';
import type { AddressRules } from '#webhooks/webhook-address.ts';
import { createWebhookSecrets } from '#webhooks/webhook-secret.ts';
import { listWebhooks, readWebhook, type WebhookTerms } from '#webhooks/webhook.ts';
import type { AdminRoutes } from '../admin-routes.ts';
import {
  deliveryId,
  DeliveryPageSchema,
  NewWebhookSchema,
  ReplaySchema,
  terms,
  webhookId,
  WebhookSchema,
  webhookToWire,
  WholeDeliverySchema,
} from './webhook-wire.ts';

const tags = ['Developers'];
const params = Type.Object({ webhook_id: webhookId });
const ofDelivery = Type.Object({ webhook_id: webhookId, delivery_id: deliveryId });
/** Changes of the webhooks of a commerce go one after the other. */
const turn = { write: () => 'webhooks' };
const unknown = { 404: 'The commerce has no webhook with this id.' };
const unknownDelivery = { 404: 'The commerce has no such webhook, or this has no such delivery.' };
const disabled = { 409: 'The webhook is disabled.' };

interface WebhookDeps {
  readonly db: Database;
  readonly secret: SecretKeys;
  readonly rules: AddressRules;
}

/** The owner has the events of the shop sent to other systems. */
export function webhookRoutes(
  { adminRead, adminAct }: AdminRoutes,
  { db: database, secret, rules }: WebhookDeps,
) {
  const secrets = createWebhookSecrets(secret);
  return {
    listWebhooks: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks',
        description: 'Oldest first, at most 20.',
        tags,
        response: { 200: Type.Array(WebhookSchema) },
      },
      read: async (db, { commerceId }) => (await listWebhooks(db, commerceId)).map(webhookToWire),
    }),

    getWebhook: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        tags,
        params,
        response: { 200: WebhookSchema },
      },
      refusals: unknown,
      read: (db, { commerceId, params }) => readOne(db, commerceId, params.webhook_id),
    }),

    createWebhook: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description:
          'Events are sent to the address from now on. The answer has the secret that signs them, which cannot be read again. If the answer is lost, replace the secret.',
        tags,
        body: Type.Object({
          name: terms.name,
          url: terms.url,
          types: Type.Optional(terms.types),
          scopes: Type.Optional(terms.scopes),
        }),
        response: { 201: NewWebhookSchema },
      },
      refusals: { 409: 'The commerce has as many webhooks as it can have.' },
      turn,
      act: async (tx, { commerceId, body: { name, url, types = null, scopes = [] } }) => {
        const chosen = { name, address: url, types: types ?? [], scopes: [...new Set(scopes)] };
        const { answer, entry } = await createWebhook(tx, commerceId, chosen, { rules, secrets });
        return { answer: { ...(await readOne(tx, commerceId, answer.id)), secret: answer.secret }, entry };
      },
    }),

    changeWebhook: adminAct({
      role: 'owner',
      freshCode: (_db, { body }) => body.url !== undefined || body.scopes !== undefined,
      schema: {
        operationId: 'changeWebhook',
        summary: 'Change a webhook',
        description:
          'What is left out stays. Another address or other scopes need a fresh code. Deliveries that wait are sent as the webhook is then.',
        tags,
        params,
        body: Type.Object({
          name: Type.Optional(terms.name),
          url: Type.Optional(terms.url),
          types: Type.Optional(terms.types),
          scopes: Type.Optional(terms.scopes),
        }),
        response: { 200: WebhookSchema },
      },
      refusals: unknown,
      turn,
      act: async (tx, { commerceId, params: { webhook_id: id }, body: { name, url, types, scopes } }) => {
        const changes: Partial<WebhookTerms> = {
          ...(name !== undefined && { name }),
          ...(url !== undefined && { address: url }),
          ...(types !== undefined && { types: types ?? [] }),
          ...(scopes !== undefined && { scopes: [...new Set(scopes)] }),
        };
        const { entry } = await changeWebhook(tx, commerceId, id, changes, rules);
        return { answer: await readOne(tx, commerceId, id), entry };
      },
    }),

    enableWebhook: adminAct({
      role: 'owner',
      schema: {
        operationId: 'enableWebhook',
        summary: 'Switch a webhook on',
        tags,
        params,
        body: Type.Object({
          from: Type.Optional(
            StrEnum(GOES_ON, {
              default: 'where_it_stopped',
              description:
                '`where_it_stopped`: events of the time in which it was disabled are sent first. `now`: they are left out, and can be replayed.',
            }),
          ),
        }),
        response: { 200: WebhookSchema },
      },
      refusals: unknown,
      turn,
      act: async (tx, { commerceId, params: { webhook_id: id }, body: { from = 'where_it_stopped' } }) => {
        const { entry } = await enableWebhook(tx, commerceId, id, from);
        return { answer: await readOne(tx, commerceId, id), entry };
      },
    }),

    disableWebhook: adminAct({
      role: 'owner',
      schema: {
        operationId: 'disableWebhook',
        summary: 'Switch a webhook off',
        description: 'A request that is under way may still arrive.',
        tags,
        params,
        response: { 200: WebhookSchema },
      },
      refusals: unknown,
      turn,
      act: async (tx, { commerceId, params: { webhook_id: id } }) => {
        const { entry } = await disableWebhook(tx, commerceId, id);
        return { answer: await readOne(tx, commerceId, id), entry };
      },
    }),

    deleteWebhook: adminAct({
      role: 'owner',
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'For good, with its deliveries.',
        tags,
        params,
        response: { 200: Type.Object({ webhook_id: webhookId }, { title: 'DeletedWebhook' }) },
      },
      refusals: unknown,
      turn,
      act: async (tx, { commerceId, params: { webhook_id: id } }) => {
        const { entry } = await deleteWebhook(tx, commerceId, id);
        return { answer: { webhook_id: id }, entry };
      },
    }),

    rotateWebhookSecret: adminAct({
      role: 'owner',
      freshCode: true,
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the secret of a webhook',
        description:
          'The answer has the new secret, which cannot be read again. For 24 hours requests are signed with both, so that the receiver can change over. If it is replaced again within that time, the oldest secret ends at once. Send `seen_old_secret_until` to be able to repeat the call if the answer is lost.',
        tags,
        params,
        body: Type.Object({
          seen_old_secret_until: Type.Optional(
            Nullable(
              SentInstant(
                'The `old_secret_until` of the webhook that you know. If the secret has been replaced since, the answer has the secret that replaced it, and nothing changes.',
              ),
            ),
          ),
        }),
        response: { 201: NewWebhookSchema },
      },
      refusals: unknown,
      turn,
      act: async (tx, { commerceId, params: { webhook_id: id }, body: { seen_old_secret_until: seen } }) => {
        const { answer, entry } = await rotateSecret(tx, commerceId, id, secrets, seen);
        return { answer: { ...(await readOne(tx, commerceId, id)), secret: answer.secret }, entry };
      },
    }),

    testWebhook: adminAct({
      role: 'owner',
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test',
        description:
          'A signed request of the type `webhook.test`, once. What became of it is in the list of deliveries.',
        tags,
        params,
        response: { 202: Type.Object({ delivery_id: deliveryId }, { title: 'WebhookTest' }) },
      },
      refusals: { ...unknown, ...disabled },
      turn,
      act: async (tx, { commerceId, params: { webhook_id: id } }) => {
        const { ids } = await readFeed(database, commerceId);
        const { answer, entry } = await sendTest(tx, commerceId, id);
        return { answer: { delivery_id: deliveryIdOf(answer.eventId, ids) }, entry };
      },
    }),

    listWebhookDeliveries: adminRead({
      role: 'owner',
      schema: {
        operationId: 'listWebhookDeliveries',
        summary: 'List the last deliveries of a webhook',
        description:
          'Those with the last attempts first: all that wait or were given up in the last 30 days, and the last ones that were taken. While many events are sent, not each of them is listed.',
        tags,
        params,
        querystring: Type.Object({
          state: Type.Optional(StrEnum(DELIVERY_STATES, { description: 'Only those in this state.' })),
          cursor: Type.Optional(
            Type.String({ maxLength: 512, description: 'Omit it to get the first page.' }),
          ),
        }),
        response: { 200: DeliveryPageSchema },
      },
      refusals: unknown,
      read: async (db, { commerceId, params: { webhook_id: id }, query: { state, cursor = '' } }) => {
        await readWebhook(db, commerceId, id);
        const { ids } = await readFeed(database, commerceId);
        const cursors = createCursors(secret, `webhooks/${commerceId}/${id}/${state}`);
        const after = cursor === '' ? null : shown(cursors.open(cursor), ids);
        const { deliveries, next } = await readDeliveries(db, commerceId, id, state ?? null, after);
        return {
          results: deliveries.map((delivery) => deliveryToWire(delivery, ids)),
          next_cursor: next && cursors.seal({ direction: 'older', ...hidden(next, ids) }),
        };
      },
    }),

    getWebhookDelivery: adminRead({
      role: 'owner',
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'Get a delivery with what was sent and answered',
        tags,
        params: ofDelivery,
        response: { 200: WholeDeliverySchema },
      },
      refusals: unknownDelivery,
      read: async (db, { commerceId, params }) => {
        const { ids } = await readFeed(database, commerceId);
        const eventId = knownId(params.delivery_id, ids);
        const delivery = await readDelivery(db, commerceId, params.webhook_id, eventId);
        return { ...deliveryToWire(delivery, ids), body: delivery.body, answer: delivery.answer };
      },
    }),

    replayWebhookDelivery: adminAct({
      role: 'owner',
      schema: {
        operationId: 'replayWebhookDelivery',
        summary: 'Send a delivery again',
        description: 'With the same `webhook-id`, signed anew.',
        tags,
        params: ofDelivery,
        response: { 202: ReplaySchema },
      },
      refusals: { ...unknownDelivery, ...disabled },
      turn,
      act: async (tx, { commerceId, params }) => {
        const { ids } = await readFeed(database, commerceId);
        const eventId = knownId(params.delivery_id, ids);
        const { answer, entry } = await replayOne(tx, commerceId, params.webhook_id, eventId);
        return { answer: { ...answer, replaying: false }, entry };
      },
    }),

    replayWebhook: adminAct({
      role: 'owner',
      schema: {
        operationId: 'replayWebhook',
        summary: 'Send many events again',
        description:
          'All that were given up, or all that were recorded in a stretch of time, whether or not they were taken. They keep their ids, so a receiver recognises what it has.',
        tags,
        params,
        body: Type.Object({
          since: Type.Optional(
            SentInstant('The beginning of the stretch. Without it, all that were given up are sent.'),
          ),
          until: Type.Optional(SentInstant('Its end. Now, if it is left out.')),
        }),
        response: { 202: ReplaySchema },
      },
      refusals: { ...unknown, 409: 'The webhook is disabled, or a replay is under way.' },
      turn,
      takesLong: true,
      act: async (tx, { commerceId, params: { webhook_id: id }, body: { since, until } }) => {
        if (since === undefined) {
          const { answer, entry } = await replayFailed(tx, commerceId, id);
          return { answer: { ...answer, replaying: false }, entry };
        }
        const stretch = { since, until: until ?? new Date() };
        const { answer, entry } = await replayRange(tx, commerceId, id, stretch);
        return { answer: { deliveries: null, replaying: answer.isReplaying }, entry };
      },
    }),
  };
}

async function readOne(db: Db, commerceId: number, id: string): Promise<Static<typeof WebhookSchema>> {
  return webhookToWire(await readWebhook(db, commerceId, id));
}

/** @throws UnknownDelivery */
function knownId(deliveryId: string, ids: EventIds): number {
  const id = eventIdOf(deliveryId, ids);
  if (id === null) throw new UnknownDelivery();
  return id;
}

/** A cursor can be read by anybody, so the ids in it are hidden. */
function hidden({ at, id }: DeliveryPosition, ids: EventIds): DeliveryPosition {
  return { at, id: id < 0 ? -ids.event(-id) : ids.event(id) };
}

function shown({ at, id }: DeliveryPosition, ids: EventIds): DeliveryPosition {
  return { at, id: id < 0 ? -(ids.showEvent(-id) ?? 0) : (ids.showEvent(id) ?? 0) };
}

function deliveryToWire(delivery: Delivery, ids: EventIds) {
  const { eventId, type, state, attempts, at, nextAt, status, answerMs } = delivery;
  return {
    delivery_id: deliveryIdOf(eventId, ids),
    type: type as 'voucher.used',
    state,
    attempts,
    at,
    next_at: nextAt,
    status,
    answer_ms: answerMs,
  };
}
