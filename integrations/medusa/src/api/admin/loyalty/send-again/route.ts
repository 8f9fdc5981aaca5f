import type { MedusaRequest, MedusaResponse } from '@medusajs/framework/http';
import type { z } from '@medusajs/framework/zod';
import { followerOf } from '../../../../lib/follower';
import type { SendAgain } from '../../../validators';

/** Sends orders again that were given up: those that are named, or all. */
export async function POST(
  request: MedusaRequest<z.infer<typeof SendAgain>>,
  response: MedusaResponse,
): Promise<void> {
  const follower = followerOf(request.scope);
  const due = await follower.sendAgain(request.validatedBody.order_ids);
  const sending = await follower.send({ forMs: 5_000 });
  response.json({ due, ...sending });
}
