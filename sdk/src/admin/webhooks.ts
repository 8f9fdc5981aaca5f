import type {
  DeletedWebhook,
  EventTypeName,
  NewWebhook,
  Webhook,
  WebhookDeliveries,
  WebhookDeliveryState,
  WebhookReplay,
  WebhookScope,
  WebhookTest,
  WholeWebhookDelivery,
} from '../admin-wire.ts';
import { fields, list, optional, orNull, queryOf, text, texts, word } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { AdminCalls } from './calls.ts';

/** What the shop chooses for a webhook. */
export interface WebhookTerms {
  name: string;
  url: string;
  /** Null means all types. */
  types?: EventTypeName[] | null;
  scopes?: WebhookScope[];
}

const optionalTerms = { types: orNull(texts), scopes: optional(list) };

/** The webhooks of the shop: where its events are sent to. */
export function createWebhookMethods({ get, post, write }: AdminCalls) {
  return {
    /** Returns the webhooks, oldest first. */
    listWebhooks: (callOptions?: CallOptions) => get<Webhook[]>('/webhooks', callOptions),

    /** Returns a webhook and how it fares. */
    getWebhook: async (webhookId: string, callOptions?: CallOptions) =>
      get<Webhook>(`/webhooks/${word(webhookId)}`, callOptions),

    /** Has events sent to an address from now on. The secret in the answer is not shown again. */
    createWebhook: async (terms: WebhookTerms, callOptions?: CallOptions) =>
      post<NewWebhook>('/webhooks', fields(terms, { name: text, url: text, ...optionalTerms }), callOptions),

    /** Changes what is named. */
    changeWebhook: async (webhookId: string, changes: Partial<WebhookTerms>, callOptions?: CallOptions) =>
      write<Webhook>(
        'PATCH',
        `/webhooks/${word(webhookId)}`,
        fields(changes, { name: optional(text), url: optional(text), ...optionalTerms }),
        callOptions,
      ),

    /** Deletes a webhook with its deliveries. */
    deleteWebhook: async (webhookId: string, callOptions?: CallOptions) =>
      write<DeletedWebhook>('DELETE', `/webhooks/${word(webhookId)}`, undefined, callOptions),

    /** Switches a webhook on: it goes on where it stopped, or now. */
    enableWebhook: async (
      webhookId: string,
      start: { from?: 'where_it_stopped' | 'now' } = {},
      callOptions?: CallOptions,
    ) =>
      post<Webhook>(
        `/webhooks/${word(webhookId)}/enable`,
        fields(start, { from: optional(text) }),
        callOptions,
      ),

    /** Switches a webhook off. Events are kept. */
    disableWebhook: async (webhookId: string, callOptions?: CallOptions) =>
      post<Webhook>(`/webhooks/${word(webhookId)}/disable`, {}, callOptions),

    /**
     * Replaces the secret. The one before signs too for 24 hours. With the `old_secret_until` that you know, the call can be repeated if
     * the answer is lost: it then returns the same secret again.
     */
    rotateWebhookSecret: async (
      webhookId: string,
      known: { seen_old_secret_until?: string | null } = {},
      callOptions?: CallOptions,
    ) =>
      post<NewWebhook>(
        `/webhooks/${word(webhookId)}/rotation`,
        fields(known, { seen_old_secret_until: orNull(text) }),
        callOptions,
      ),

    /** Sends a test, once. */
    testWebhook: async (webhookId: string, callOptions?: CallOptions) =>
      post<WebhookTest>(`/webhooks/${word(webhookId)}/test`, {}, callOptions),

    /** Sends all deliveries again that were given up, or all events of a stretch of time. */
    replayWebhook: async (
      webhookId: string,
      stretch: { since?: string; until?: string } = {},
      callOptions?: CallOptions,
    ) =>
      post<WebhookReplay>(
        `/webhooks/${word(webhookId)}/replay`,
        fields(stretch, { since: optional(text), until: optional(text) }),
        callOptions,
      ),

    /** Returns a page of the last deliveries, those with the last attempts first. */
    listWebhookDeliveries: async (
      webhookId: string,
      page: { state?: WebhookDeliveryState | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) =>
      get<WebhookDeliveries>(
        `/webhooks/${word(webhookId)}/deliveries${queryOf(page, { state: orNull(text), cursor: orNull(text) })}`,
        callOptions,
      ),

    /** Returns a delivery with what was sent and answered. */
    getWebhookDelivery: async (webhookId: string, deliveryId: string, callOptions?: CallOptions) =>
      get<WholeWebhookDelivery>(`/webhooks/${word(webhookId)}/deliveries/${word(deliveryId)}`, callOptions),

    /** Sends a delivery again. */
    replayWebhookDelivery: async (webhookId: string, deliveryId: string, callOptions?: CallOptions) =>
      post<WebhookReplay>(
        `/webhooks/${word(webhookId)}/deliveries/${word(deliveryId)}/replay`,
        {},
        callOptions,
      ),
  };
}
