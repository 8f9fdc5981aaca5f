import { Type, type Static } from 'typebox';
import { EVENT_TYPE_NAMES } from '#events/event-types.ts';
import { Instant, Int64, Nullable, StrEnum } from '#http/schema.ts';
import { ONE_LINE } from '#text/plain-text.ts';
import { DELIVERY_ID } from '#webhooks/delivery-ids.ts';
import { TEST_TYPE } from '#webhooks/payload.ts';
import { DELIVERY_STATES } from '#webhooks/read-deliveries.ts';
import { ADDRESS_CHARACTERS } from '#webhooks/webhook-address.ts';
import { MOST_BEHIND, NAME_CHARACTERS, WEBHOOK_SCOPES, type Webhook } from '#webhooks/webhook.ts';

export const webhookId = Type.String({
  pattern: '^we_[0-9A-Za-z]{20}$',
  description: 'The webhook in the list of webhooks.',
  examples: ['we_3fG8hVb0cZ7sQkTn2yXw'],
});

export const deliveryId = Type.String({
  pattern: DELIVERY_ID,
  description: 'The `webhook-id` of the request: the id of the event, or of a test.',
  examples: ['evt_446165214474872'],
});

const ABOUT_TYPES = 'The types of events that are sent. Null means all types, also those of later releases.';
const ABOUT_SCOPES =
  'What its events have besides ids and numbers: `members` adds the person, `redeem` the codes of vouchers.';

/** What the shop chooses, as it sends it. */
export const terms = {
  name: Type.String({
    maxLength: NAME_CHARACTERS,
    pattern: ONE_LINE,
    description: 'What the webhook is for.',
    examples: ['Newsletter'],
  }),
  url: Type.String({
    minLength: 1,
    maxLength: ADDRESS_CHARACTERS,
    description:
      'Where events are sent to: an address on the internet that begins with https://, with port 443 or 8443.',
    examples: ['https://shop.example/loyalty'],
  }),
  types: Nullable(
    Type.Array(StrEnum(EVENT_TYPE_NAMES), {
      minItems: 1,
      maxItems: EVENT_TYPE_NAMES.length,
      description: ABOUT_TYPES,
      examples: [['voucher.used', 'member.erased']],
    }),
  ),
  scopes: Type.Array(StrEnum(WEBHOOK_SCOPES), {
    maxItems: WEBHOOK_SCOPES.length,
    description: ABOUT_SCOPES,
    examples: [[]],
  }),
};

const webhook = {
  webhook_id: webhookId,
  name: terms.name,
  url: terms.url,
  types: Nullable(Type.Array(StrEnum(EVENT_TYPE_NAMES), { description: ABOUT_TYPES })),
  scopes: Type.Array(StrEnum(WEBHOOK_SCOPES), { description: ABOUT_SCOPES }),
  state: StrEnum(['enabled', 'failing', 'disabled'], {
    description: '`failing`: its last requests were not taken. It is tried again, less and less often.',
  }),
  disabled_because: Nullable(
    StrEnum(['owner', 'failing', 'gone'], {
      description:
        'Null unless it is disabled. `owner`: somebody switched it off. `failing`: it took nothing for five days. `gone`: it answered 410.',
    }),
  ),
  created_at: Instant(),
  disabled_at: Nullable(Instant()),
  last_success_at: Nullable(Instant({ description: 'When it last took an event.' })),
  failing_since: Nullable(Instant()),
  old_secret_until: Nullable(
    Instant({ description: 'Until then the secret before signs too. Null if there is none.' }),
  ),
  replaying: Type.Boolean({ description: 'True while events of a stretch of time are sent again.' }),
  waiting: Int64({ description: 'Deliveries that failed and are tried again.', examples: [0] }),
  failed: Int64({ description: 'Deliveries that were given up.', examples: [0] }),
  behind: Int64({
    description: `Events of any type that it has not come to yet, at most ${MOST_BEHIND}.`,
    examples: [0],
  }),
};

export const WebhookSchema = Type.Object(webhook, { title: 'Webhook' });

const secret = Type.String({
  description: 'Signs the requests. It is not shown again.',
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
});

export const NewWebhookSchema = Type.Object({ ...webhook, secret }, { title: 'NewWebhook' });

const delivery = {
  delivery_id: deliveryId,
  type: StrEnum([...EVENT_TYPE_NAMES, TEST_TYPE], { examples: ['voucher.used'] }),
  state: StrEnum(DELIVERY_STATES, {
    description: '`waiting`: it is tried again at `next_at`. `failed`: it was given up.',
  }),
  attempts: Int64({ description: 'Attempts so far, or since it was replayed.', examples: [1] }),
  at: Instant({ description: 'The last attempt, or when somebody asked for one.' }),
  next_at: Nullable(Instant({ description: 'The next attempt. Null unless it waits.' })),
  status: Nullable(
    Int64({
      description: 'The status of the answer. Null if there was none, whatever the reason.',
      examples: [200],
    }),
  ),
  answer_ms: Nullable(Int64({ description: 'How long the answer took, in milliseconds.', examples: [85] })),
};

export const DeliveryPageSchema = Type.Object(
  {
    results: Type.Array(Type.Object(delivery, { title: 'WebhookDelivery' })),
    next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
  },
  { title: 'WebhookDeliveries' },
);

export const WholeDeliverySchema = Type.Object(
  {
    ...delivery,
    body: Nullable(Type.String({ description: 'What was sent. Null before the first attempt.' })),
    answer: Nullable(
      Type.String({ description: 'The first 256 bytes of the answer. Null if it was no text.' }),
    ),
  },
  { title: 'WholeWebhookDelivery' },
);

export const ReplaySchema = Type.Object(
  {
    deliveries: Nullable(
      Int64({
        description:
          'Deliveries that are sent again. Null for a stretch of time, which is counted on the way.',
        examples: [12],
      }),
    ),
    replaying: Type.Boolean({ description: 'True if events of a stretch of time are sent again now.' }),
  },
  { title: 'WebhookReplay' },
);

/** Returns a webhook as the people of the shop get it. */
export function webhookToWire(one: Webhook): Static<typeof WebhookSchema> {
  return {
    webhook_id: one.id,
    name: one.name,
    url: one.address,
    types: one.types.length === 0 ? null : [...one.types],
    scopes: [...one.scopes],
    state: one.disabledAt !== null ? 'disabled' : one.failingSince !== null ? 'failing' : 'enabled',
    disabled_because: one.disabledBecause,
    created_at: one.createdAt,
    disabled_at: one.disabledAt,
    last_success_at: one.lastSuccessAt,
    failing_since: one.failingSince,
    old_secret_until: one.oldSecretUntil,
    replaying: one.isReplaying,
    waiting: one.waiting,
    failed: one.failed,
    behind: one.behind,
  };
}
