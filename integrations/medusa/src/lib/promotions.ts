import type { CreatePromotionDTO, MedusaContainer } from '@medusajs/framework/types';
import { CodeRefused, type DiscountTarget, type UsableCode } from '@loyalty/shop-core';
import { readGraph } from './graph';

/**
 * Returns the promotion of Medusa that takes a code's discount off in one cart. It is named by the code, so that an order tells which codes it
 * used.
 * @throws CodeRefused if the shop does not sell the product or has no such category
 */
export async function promotionOf(
  container: MedusaContainer,
  cart: { id: string; currency_code: string },
  { code, discount }: UsableCode,
): Promise<CreatePromotionDTO> {
  const isShipping = discount.kind === 'shipping';
  const target = isShipping ? null : discount.on;
  const targetRule = target === null || target.what === 'order' ? null : await ruleOf(container, target);
  return {
    code: String(code).padStart(14, '0'),
    type: 'standard',
    status: 'active',
    is_automatic: false,
    is_tax_inclusive: true,
    rules: [{ attribute: 'id', operator: 'eq', values: [cart.id] }],
    application_method: {
      type: discount.kind === 'absolute' ? 'fixed' : 'percentage',
      value: discount.value,
      currency_code: cart.currency_code,
      target_type: isShipping ? 'shipping_methods' : targetRule === null ? 'order' : 'items',
      ...(targetRule !== null && { allocation: 'across', target_rules: [targetRule] }),
      ...(targetRule === null && { allocation: 'across' }),
    },
  } as CreatePromotionDTO;
}

async function ruleOf(container: MedusaContainer, target: Exclude<DiscountTarget, { what: 'order' }>) {
  const [entity, attribute, names] =
    target.what === 'product'
      ? (['product', 'items.product.id', target.ids] as const)
      : (['product_category', 'items.product.categories.id', [target.id]] as const);
  const found = new Set<string>();
  for (const field of entity === 'product' ? ['id', 'handle', 'external_id'] : ['id', 'handle']) {
    const rows = await readGraph<{ id: string }>(container, {
      entity,
      fields: ['id'],
      filters: { [field]: [...names] },
    });
    for (const { id } of rows) found.add(id);
  }
  if (found.size === 0) throw new CodeRefused('not_for_online_shops');
  return { attribute, operator: 'in' as const, values: [...found] };
}
