import { Type } from 'typebox';
import { EVENT_TYPE_NAMES } from '#events/event-types.ts';
import { EventSchema } from '#events/wire.ts';
import { Instant, StrEnum } from '#http/schema.ts';
import { TEST_TYPE } from './payload.ts';

const RequestSchema = Type.Object(
  {
    type: StrEnum([...EVENT_TYPE_NAMES, TEST_TYPE], {
      description: `The type of the event. \`${TEST_TYPE}\` is a test, which is in no feed. Expect more types later.`,
      examples: ['voucher.used'],
    }),
    timestamp: Instant({ description: 'When the event was recorded: its `at`.' }),
    data: EventSchema,
  },
  { title: 'WebhookRequest' },
);

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** The requests that webhooks send, for the OpenAPI document of the extensions. */
export const WEBHOOKS = {
  event: {
    post: {
      operationId: 'receiveEvent',
      summary: 'An event of the shop',
      description:
        'Sent to each webhook of the shop that wants the type, at least once and roughly in the order of the feed. It is signed as Standard Webhooks 1.0 says.',
      tags: ['Events'],
      parameters: [
        header(
          'webhook-id',
          'The id of the event, the same in each attempt. Ignore one that you have.',
          'evt_446165214474872',
        ),
        header('webhook-timestamp', 'When it was signed, in seconds of real time.', '1795680000'),
        header(
          'webhook-signature',
          'Signatures with the secret of the webhook, separated by blanks. After the secret was replaced there are two for a day.',
          'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
        ),
      ],
      requestBody: { required: true, content: { 'application/json': { schema: RequestSchema } } },
      responses: {
        '2XX': {
          description: 'The event was taken. Anything else, and no answer within 15 seconds, is tried again.',
        },
        '410': { description: 'Nothing should be sent here any more. The webhook is switched off.' },
      },
    },
  },
} as const;
