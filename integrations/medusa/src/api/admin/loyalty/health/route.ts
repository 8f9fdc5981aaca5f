import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { wordsOf } from '@loyalty/shop-core';
import { connectionOf, followerOf } from '../../../../lib/follower';

/** Says how the connection fares: what waits, what failed, and whether the service knows the key. */
export async function GET(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  const connection = connectionOf(request.scope);
  const [health, service] = await Promise.all([
    followerOf(request.scope).health(),
    connection
      .commerceOf(null)
      .client.listBenefits({ attempts: 1, timeoutMs: 3_000 })
      .then(
        () => null,
        (error: unknown) => wordsOf(error),
      ),
  ]);
  response.json({ ...health, serviceError: service, consoleUrl: `${connection.consoleUrl}/console` });
}
