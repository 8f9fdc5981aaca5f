import { MedusaError } from '@medusajs/framework/utils';
import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import type { z } from '@medusajs/framework/zod';
import { isProved, readCustomer } from '../../../../lib/customer';
import { connectionOf } from '../../../../lib/follower';
import { answer } from '../../../answers';
import type { Bought } from '../../../validators';

/** Buys a benefit with points. The answer has the code for the cart. */
export async function POST(
  request: AuthenticatedMedusaRequest<z.infer<typeof Bought>>,
  response: MedusaResponse,
): Promise<void> {
  await answer(response, async () => {
    const customer = await readCustomer(request.scope, request.auth_context.actor_id);
    const { customers } = connectionOf(request.scope).commerceOf(null);
    const member = (await isProved(request.scope, customer)) ? await customers.signIn(customer.email) : null;
    if (member === null)
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, 'prove the address of the account first');
    const { benefit_id: benefitId, idempotency_key: idempotencyKey } = request.validatedBody;
    const bought = await member.exchangeBenefit(
      benefitId,
      // Keys of two customers must not meet.
      idempotencyKey === undefined ? {} : { idempotencyKey: `${customer.id}/${idempotencyKey}` },
    );
    return { bought };
  });
}
