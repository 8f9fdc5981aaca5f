import { z } from '@medusajs/framework/zod';

export const Code = z.object({ code: z.string().min(1).max(64) });

/** Without a code, one is mailed. */
export const Proof = z.object({ code: z.string().min(1).max(16).optional() });

export const Bought = z.object({
  benefit_id: z.string().min(1).max(100),
  /** The same key buys once, also after a lost answer. */
  idempotency_key: z.string().min(8).max(200).optional(),
});

/** A cart of the shop, or an amount that a product page shows. */
export const AskedPreview = z.union([
  z.object({ cart_id: z.string().min(1).max(100) }),
  z.object({
    product_id: z.string().min(1).max(100),
    amount: z.number().min(0).max(1_000_000_000),
    currency_code: z.string().length(3),
  }),
]);

export const SendAgain = z.object({ order_ids: z.array(z.string().max(100)).max(100).optional() });
