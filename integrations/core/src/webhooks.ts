import {
  verifyWebhook,
  WebhookRefused,
  type Event,
  type WebhookHeaders,
  type WebhookRequest,
} from '@loyalty/sdk';

type EventType = WebhookRequest['type'];

/** What a shop does about events. An event without a handler is taken and ignored, because later releases send more types. */
export type EventHandlers = {
  [Type in EventType]?: (event: Event & { type: Type }, webhookId: string) => Promise<void> | void;
};

export interface ReceiverOptions {
  /** The secret that begins with `whsec_`; both while you change over. */
  secret: string | readonly string[];
  handlers: EventHandlers;
  /** Takes the events that have no handler of their own, also of types of later releases: for a shop that passes all of them on. */
  otherwise?: (event: Event, webhookId: string) => Promise<void> | void;
  /** Only needed where an event should not be handled again when it comes again: the service sends it once more if it got no answer. */
  handled?: HandledEvents;
}

/** The ids of the events that were handled, in the shop's database. */
export interface HandledEvents {
  has(webhookId: string): Promise<boolean>;
  /**
   * Called after the handler has succeeded, never before: an event whose handler failed is handled when it comes again. So a handler runs at
   * least once, and twice if two requests with one event meet or the process dies between the two. One that must not run twice stores the id in
   * its own transaction.
   */
  add(webhookId: string): Promise<void>;
}

/** The status to answer with. */
export type Received = 204 | 401 | 413;

/** The service sends less than 20 kB. */
const MOST_BYTES = 32_768;

/**
 * Returns a function that takes a request of a webhook: verifies it, hands it to the handler of its type, and returns the status to answer with. Pass the
 * body as it arrived. An error of a handler is thrown on: answer 500 then, and the service sends the event again.
 */
export function createReceiver({ secret, handlers, otherwise, handled }: ReceiverOptions) {
  return async (body: string | Uint8Array<ArrayBuffer>, headers: WebhookHeaders): Promise<Received> => {
    if (body.length > MOST_BYTES) return 413;
    let request: WebhookRequest;
    try {
      request = await verifyWebhook(body, headers, secret);
    } catch (error) {
      if (error instanceof WebhookRefused) return 401;
      throw error;
    }
    const handler = (handlers[request.type] ?? otherwise) as ReceiverOptions['otherwise'];
    if (handler === undefined) return 204;
    const id = headers instanceof Headers ? headers.get('webhook-id')! : String(headers['webhook-id']);
    if (await handled?.has(id)) return 204;
    await handler(request.data, id);
    await handled?.add(id);
    return 204;
  };
}
