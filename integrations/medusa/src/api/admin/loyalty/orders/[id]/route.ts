import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { ApiError } from '@loyalty/sdk';
import { connectionOf } from '../../../../../lib/follower';
import { readOrder } from '../../../../../lib/read-order';
import { answer } from '../../../../answers';

/** What the service knows of an order; null if it was not told of it. */
export async function GET(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  await answer(response, async () => {
    const read = await readOrder(request.scope, (request.params as { id: string }).id);
    if (read === null) return { order: null };
    const { client } = connectionOf(request.scope).commerceOf(read.salesChannelId);
    try {
      return { order: await client.getOrder({ external_id: read.externalId }) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return { order: null };
      throw error;
    }
  });
}
