import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import type { z } from '@medusajs/framework/zod';
import { askForProof, giveProof, readCustomer } from '../../../../lib/customer';
import { answer } from '../../../answers';
import type { Proof } from '../../../validators';

/** Mails a code to the customer's address, or takes it. */
export async function POST(
  request: AuthenticatedMedusaRequest<z.infer<typeof Proof>>,
  response: MedusaResponse,
): Promise<void> {
  await answer(response, async () => {
    const customer = await readCustomer(request.scope, request.auth_context.actor_id);
    const { code } = request.validatedBody;
    if (code === undefined) await askForProof(request.scope, customer);
    else await giveProof(request.scope, customer, code);
    return { state: code === undefined ? 'mailed' : 'member' };
  });
}
