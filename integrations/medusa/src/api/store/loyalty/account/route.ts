import type { AuthenticatedMedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import { isProved, readCustomer } from '../../../../lib/customer';
import { connectionOf } from '../../../../lib/follower';
import { answer } from '../../../answers';

/** The account of the customer. `state` is `unproved` until the address was proved with a code, then `member`. */
export async function GET(request: AuthenticatedMedusaRequest, response: MedusaResponse): Promise<void> {
  await answer(response, async () => {
    const customer = await readCustomer(request.scope, request.auth_context.actor_id);
    if (!(await isProved(request.scope, customer))) return { state: 'unproved', account: null };
    const { customers } = connectionOf(request.scope).commerceOf(null);
    const account = await customers.readAccount(customer.email);
    return { state: account === null ? 'unproved' : 'member', account };
  });
}
