import type { Event } from '@loyalty/sdk';
import { createReceiver } from '@loyalty/shop-core';
import { type EventBus, Logger, VendureEvent } from '@vendure/core';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LOG, type LoyaltyPluginOptions } from './options.ts';

/** Something happened at the loyalty service: `eventBus.ofType(LoyaltyEvent)`. The same event may come twice, with the same `event.id`. */
export class LoyaltyEvent extends VendureEvent {
  readonly event: Event;

  constructor(event: Event) {
    super();
    this.event = event;
  }
}

export const WEBHOOK_ROUTE = '/loyalty/webhook';
/** The service sends less than 20 kB. */
const MOST_BYTES = 32_768;

/**
 * Takes the requests of a webhook and publishes what they tell. It runs before Vendure parses bodies, because the signature is of the bytes as they
 * arrived.
 */
export function webhookReceiver({ webhookSecret }: LoyaltyPluginOptions, eventBus: () => EventBus | null) {
  const receive =
    webhookSecret === undefined
      ? null
      : createReceiver({
          secret: webhookSecret,
          handlers: {},
          otherwise: async (event) => eventBus()?.publish(new LoyaltyEvent(event)),
        });

  return (request: IncomingMessage, response: ServerResponse): void => {
    void answer(request).then((status) => response.writeHead(status).end());
  };

  async function answer(request: IncomingMessage): Promise<number> {
    if (receive === null) return 404;
    if (request.method !== 'POST') return 405;
    try {
      const body = await readBody(request);
      return body === null ? 413 : await receive(body, request.headers);
    } catch (error) {
      Logger.error(`a webhook failed: ${String(error)}`, LOG);
      return 500;
    }
  }
}

/** Null if the body is longer than any of the service. */
async function readBody(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}
