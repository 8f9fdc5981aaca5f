import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import type { z } from '@medusajs/framework/zod';
import { addCode, keepCodes, listCodes, removeCode } from '../../../../../lib/cart-codes';
import { answer } from '../../../../answers';
import type { Code } from '../../../../validators';

/** Returns the codes of a cart and extends their holds. A code that was used elsewhere meanwhile is taken out and named in `lost`. */
export async function GET(request: MedusaRequest, response: MedusaResponse): Promise<void> {
  const { id } = request.params as { id: string };
  await answer(response, async () => {
    const lost = await keepCodes(request.scope, id);
    return { codes: await listCodes(request.scope, id), lost };
  });
}

/** Holds a code for the cart and takes its discount off. */
export async function POST(
  request: MedusaRequest<z.infer<typeof Code>>,
  response: MedusaResponse,
): Promise<void> {
  const { id } = request.params as { id: string };
  await answer(response, async () => {
    await addCode(request.scope, id, request.validatedBody.code);
    return { codes: await listCodes(request.scope, id), lost: [] };
  });
}

/** Takes a code out of the cart again. */
export async function DELETE(
  request: MedusaRequest<z.infer<typeof Code>>,
  response: MedusaResponse,
): Promise<void> {
  const { id } = request.params as { id: string };
  await answer(response, async () => {
    await removeCode(request.scope, id, request.validatedBody.code);
    return { codes: await listCodes(request.scope, id), lost: [] };
  });
}
