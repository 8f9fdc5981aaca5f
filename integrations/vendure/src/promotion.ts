/**
 * Takes off what the codes of a cart are worth, by Vendure's own promotions: one promotion, whose condition reads the codes of the order
 * and works out what each line, the order and the shipping lose. So taxes, other promotions and the limits of a price are Vendure's affair.
 */
import type { Discount, DiscountTarget } from '@loyalty/shop-core';
import {
  ConfigService,
  type Injector,
  LanguageCode,
  type Order,
  type OrderLine,
  ProductVariant,
  PromotionCondition,
  PromotionLineAction,
  PromotionOrderAction,
  PromotionShippingAction,
  type RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { In } from 'typeorm';
import { type CartCode, codesOf } from './cart-codes.ts';
import { unitsPerWhole } from './money.ts';
import { LOYALTY_OPTIONS, type LoyaltyPluginOptions } from './options.ts';
import { ACTIONS, CONDITION, OwnPromotion } from './own-promotion.ts';
import { categoriesOf, productOf } from './read-order.ts';

/** What the codes of an order take off, in Vendure's units of money. The shapes are those of `PromotionConditionState`. */
interface TakenOff extends Record<string, unknown> {
  /** By the id of the line. */
  lines: Record<string, number>;
  /** Of the whole order, in the order of the codes. */
  order: { kind: 'percentage' | 'absolute'; value: number }[];
  /** Of the shipping, in per cent. */
  shipping: number[];
}

/** Returns the condition and the actions to add to Vendure's configuration. */
export function promotionParts() {
  let connection: TransactionalConnection;
  let perWhole: number;
  let options: LoyaltyPluginOptions;
  let own: OwnPromotion;
  const categories = new WeakMap<RequestContext, Map<string, string[]>>();

  const condition = new PromotionCondition({
    code: CONDITION,
    description: [{ languageCode: LanguageCode.en, value: 'The order has codes of the loyalty program' }],
    args: {},
    init(injector: Injector) {
      connection = injector.get(TransactionalConnection);
      perWhole = unitsPerWhole(injector.get(ConfigService));
      options = injector.get<LoyaltyPluginOptions>(LOYALTY_OPTIONS);
      own = injector.get(OwnPromotion);
    },
    async check(ctx, order, _args, promotion): Promise<false | TakenOff> {
      // Another promotion that somebody makes of these parts takes nothing off a second time.
      if (String(promotion.id) !== String(own.id)) return false;
      const codes = codesOf(order);
      return codes.length === 0 ? false : takenOff(ctx, order, codes);
    },
  });
  const stateOf = (state: Record<string, unknown>) => state[CONDITION] as TakenOff;

  const line = new PromotionLineAction({
    code: ACTIONS.line,
    description: [{ languageCode: LanguageCode.en, value: 'Take the codes for products off their lines' }],
    args: {},
    conditions: [condition],
    execute: (_ctx, { id }, _args, state) => -(stateOf(state).lines[String(id)] ?? 0),
  });
  const whole = new PromotionOrderAction({
    code: ACTIONS.order,
    description: [{ languageCode: LanguageCode.en, value: 'Take the codes for the order off it' }],
    args: {},
    conditions: [condition],
    execute: (ctx, order, _args, state) => {
      const total = ctx.channel.pricesIncludeTax ? order.subTotalWithTax : order.subTotal;
      let left = total;
      for (const { kind, value } of stateOf(state).order)
        left -= kind === 'percentage' ? (left * value) / 100 : Math.min(left, value * perWhole);
      return left - total;
    },
  });
  const shipping = new PromotionShippingAction({
    code: ACTIONS.shipping,
    description: [{ languageCode: LanguageCode.en, value: 'Take the codes for shipping off it' }],
    args: {},
    conditions: [condition],
    execute: (ctx, { price, priceWithTax }, _order, _args, state) => {
      const total = ctx.channel.pricesIncludeTax ? priceWithTax : price;
      const left = stateOf(state).shipping.reduce((rest, value) => rest * (1 - value / 100), total);
      return left - total;
    },
  });
  return { conditions: [condition], actions: [line, whole, shipping] };

  async function takenOff(ctx: RequestContext, order: Order, codes: readonly CartCode[]): Promise<TakenOff> {
    const off: TakenOff = { lines: {}, order: [], shipping: [] };
    for (const { discount } of codes) {
      if (discount.kind === 'shipping') off.shipping.push(discount.value);
      else if (discount.on.what === 'order') off.order.push({ kind: discount.kind, value: discount.value });
      else takeOffLines(off, discount, await linesMeant(ctx, order, discount.on));
    }
    return off;
  }

  function takeOffLines(
    { lines: off }: TakenOff,
    discount: Exclude<Discount, { kind: 'shipping' }>,
    lines: readonly OrderLine[],
  ): void {
    let left = discount.kind === 'absolute' ? discount.value * perWhole : Infinity;
    for (const { id, listPrice, quantity } of isGift(discount) ? lines.slice(0, 1) : lines) {
      const key = String(id);
      const rest = Math.max(0, listPrice * quantity - (off[key] ?? 0));
      const price = isGift(discount) ? Math.min(listPrice, rest) : rest;
      const amount = discount.kind === 'absolute' ? Math.min(price, left) : (price * discount.value) / 100;
      left -= amount;
      off[key] = (off[key] ?? 0) + amount;
    }
  }

  /** All of the price of a product is a gift: one of it, and not as many as fit in a cart. */
  function isGift(discount: Discount): boolean {
    return discount.kind === 'percentage' && discount.value === 100 && discount.on.what === 'product';
  }

  async function linesMeant(
    ctx: RequestContext,
    order: Order,
    on: Exclude<DiscountTarget, { what: 'order' }>,
  ): Promise<OrderLine[]> {
    if (on.what === 'product')
      return order.lines.filter((line) =>
        [productOf(line, options), line.productVariant.sku].some((name) => on.ids.includes(name)),
      );
    const known = await categoriesBy(ctx, order);
    return order.lines.filter((line) => known.get(String(line.productVariant.id))?.includes(on.id));
  }

  /** Asked once a request: Vendure works prices out many times for one change of a cart. */
  async function categoriesBy(ctx: RequestContext, order: Order): Promise<Map<string, string[]>> {
    const known = categories.get(ctx) ?? new Map<string, string[]>();
    categories.set(ctx, known);
    const missing = order.lines.filter((line) => !known.has(String(line.productVariant.id)));
    if (missing.length === 0) return known;
    const variants = await connection.getRepository(ctx, ProductVariant).find({
      where: { id: In(missing.map((line) => line.productVariant.id)) },
      relations: { collections: true },
    });
    for (const variant of variants)
      known.set(String(variant.id), categoriesOf({ productVariant: variant } as OrderLine));
    return known;
  }
}
