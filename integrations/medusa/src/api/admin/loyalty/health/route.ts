import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { checkService } from '@loyalty/shop-core';
import { connectionOf, followerOf } from '../../../../lib/follower';

/** Says how the connection fares: what waits, what failed, and whether the service knows the keys. */
export async function GET(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  const connection = connectionOf(request.scope);
  const [health, serviceError] = await Promise.all([
    followerOf(request.scope).health(),
    checkService(...connection.commerces().map(({ client }) => client)),
  ]);
  response.json({ ...health, serviceError, consoleUrl: `${connection.consoleUrl}/console` });
}
