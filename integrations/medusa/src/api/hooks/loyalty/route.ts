import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { createReceiver, type Received } from '@loyalty/shop-core';
import { receiveEvents } from '../../../lib/events';
import { sqlOf } from '../../../lib/database';
import { connectionOf } from '../../../lib/follower';
import { handledWebhooks } from '../../../lib/handled-webhooks';

/** Takes the webhooks of all commerces of this shop, each signed with the secret of its own. */
export async function POST(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  const secrets = connectionOf(request.scope)
    .commerces()
    .flatMap(({ webhookSecret }) => webhookSecret ?? []);
  response.status(secrets.length === 0 ? 404 : await receive(request, secrets)).end();
}

async function receive(request: MedusaRequest, secret: string[]): Promise<Received> {
  const { rawBody } = request as unknown as { rawBody?: Buffer };
  const receiver = createReceiver({
    secret,
    handlers: receiveEvents(request.scope),
    handled: handledWebhooks(sqlOf(request.scope)),
  });
  return receiver(rawBody?.toString('utf8') ?? '', request.headers);
}
