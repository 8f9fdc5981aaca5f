import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { ApiError } from '@loyalty/sdk';
import { readCustomer } from '../../../../../lib/customer';
import { connectionOf } from '../../../../../lib/follower';
import { answer } from '../../../../answers';

/** What the shop's people see of a customer: points, tier, the last purchases and the codes. Null for somebody who has not joined. */
export async function GET(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  await answer(response, async () => {
    const connection = connectionOf(request.scope);
    const { client } = connection.commerceOf(null);
    const { email } = await readCustomer(request.scope, (request.params as { id: string }).id);
    const consoleUrl = `${connection.consoleUrl}/console`;
    try {
      const { code } = await client.getClientByEmail(email);
      const [{ points, waiting, level }, purchases, benefits] = await Promise.all([
        client.getClientStanding(code),
        client.listConsumptions({ client_code: code }),
        client.listClientBenefits(code),
      ]);
      return {
        consoleUrl,
        member: {
          code,
          points,
          waiting: waiting.reduce((sum, one) => sum + one.points, 0),
          tier: level?.name ?? null,
          purchases: purchases.results.slice(0, 10),
          codes: benefits.filter(({ used }) => !used).slice(0, 10),
        },
      };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return { consoleUrl, member: null };
      throw error;
    }
  });
}
