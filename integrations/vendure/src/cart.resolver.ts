import { codeIn, CodeRefused } from '@loyalty/shop-core';
import { Inject } from '@nestjs/common';
import { Args, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import {
  ACTIVE_ORDER_INPUT_FIELD_NAME,
  ActiveOrderService,
  Allow,
  Ctx,
  Logger,
  Order,
  OrderService,
  Permission,
  Promotion,
  type RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { IsNull } from 'typeorm';
import { type CartCode, codesOf, fieldsOf, textOf, writtenCode } from './cart-codes.ts';
import { LoyaltyService } from './loyalty.service.ts';
import { LOG } from './options.ts';

interface CouponArgs {
  couponCode: string;
  [ACTIVE_ORDER_INPUT_FIELD_NAME]?: Record<string, unknown>;
}

/** An error as Vendure's own coupon codes have it, with words of its own. */
interface CouponError {
  __typename: 'CouponCodeInvalidError' | 'CouponCodeExpiredError' | 'CouponCodeLimitError';
  errorCode: string;
  message: string;
  couponCode: string;
  limit?: number;
}

/** The service takes no more in one order. */
const MOST_CODES = 20;

const WORDS: Readonly<Record<CodeRefused['word'], string>> = {
  unknown: 'There is no such code.',
  used: 'This code was used before.',
  expired: 'This code has expired.',
  void: 'This code is not valid any more.',
  held: 'This code is in another cart.',
  too_many: 'Too many of your codes are in carts. Wait until they are free again.',
  not_for_online_shops: 'This code is not for the online shop.',
  currency: 'This code cannot be used in another currency.',
  refused: 'This code cannot be used.',
};

/**
 * A code of the loyalty program works where a coupon code does: the storefront needs no change. Its own coupons go on to Vendure, also
 * one of 14 digits.
 */
@Resolver('Order')
export class CartResolver {
  constructor(
    @Inject(LoyaltyService) private readonly loyalty: LoyaltyService,
    @Inject(OrderService) private readonly orders: OrderService,
    @Inject(ActiveOrderService) private readonly activeOrders: ActiveOrderService,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
  ) {}

  /** Replaces Vendure's mutation of this name. */
  @Mutation()
  @Allow(Permission.UpdateOrder, Permission.Owner)
  async applyCouponCode(@Ctx() ctx: RequestContext, @Args() args: CouponArgs): Promise<unknown> {
    const { couponCode } = args;
    const order = await this.activeOrder(ctx, args);
    const code = codeIn(couponCode);
    if (code === null || (await this.isCouponOfShop(ctx, couponCode)))
      return this.connection.withTransaction(ctx, (tx) =>
        this.orders.applyCouponCode(tx, order.id, couponCode),
      );
    const has = codesOf(order);
    if (has.some((one) => one.code === code)) return order;
    if (has.length >= MOST_CODES)
      return couponError('CouponCodeLimitError', couponCode, 'No more codes fit in one order.', MOST_CODES);
    try {
      const held = await this.loyalty.holdCode(ctx, order, code);
      return await this.changeCodes(ctx, order, (codes) => [
        ...codes.filter((one) => one.code !== code),
        held,
      ]);
    } catch (error) {
      if (error instanceof CodeRefused)
        return couponError(
          error.word === 'expired' ? 'CouponCodeExpiredError' : 'CouponCodeInvalidError',
          couponCode,
          WORDS[error.word],
        );
      Logger.warn(`could not look a code up: ${String(error)}`, LOG);
      return couponError(
        'CouponCodeInvalidError',
        couponCode,
        'Codes cannot be checked at the moment. Try again later.',
      );
    }
  }

  /** Replaces Vendure's mutation of this name. */
  @Mutation()
  @Allow(Permission.UpdateOrder, Permission.Owner)
  async removeCouponCode(@Ctx() ctx: RequestContext, @Args() args: CouponArgs): Promise<Order> {
    const order = await this.activeOrder(ctx, args);
    const code = codeIn(args.couponCode);
    if (code === null || !codesOf(order).some((one) => one.code === code))
      return this.connection.withTransaction(ctx, (tx) =>
        this.orders.removeCouponCode(tx, order.id, args.couponCode),
      );
    const without = await this.changeCodes(ctx, order, (codes) => codes.filter((one) => one.code !== code));
    await this.loyalty.release(ctx, order.code, code);
    return without;
  }

  /** Vendure's own coupons, and the codes: a storefront lists and removes them alike. */
  @ResolveField()
  couponCodes(@Parent() order: Order): string[] {
    return [...order.couponCodes, ...codesOf(order).map(({ code }) => writtenCode(code))];
  }

  private async activeOrder(ctx: RequestContext, args: CouponArgs): Promise<Order> {
    const { id } = await this.activeOrders.getActiveOrder(ctx, args[ACTIVE_ORDER_INPUT_FIELD_NAME], true);
    return this.read(ctx, id);
  }

  private async read(ctx: RequestContext, id: Order['id']): Promise<Order> {
    const order = await this.orders.findOne(ctx, id);
    if (order === undefined) throw new Error(`there is no order ${id}`);
    return order;
  }

  private isCouponOfShop(ctx: RequestContext, couponCode: string): Promise<boolean> {
    return this.connection
      .getRepository(ctx, Promotion)
      .existsBy({ couponCode, enabled: true, deletedAt: IsNull() });
  }

  /** Stores other codes and works the prices out anew. Of two changes at once, the second starts again. */
  private async changeCodes(
    ctx: RequestContext,
    from: Order,
    change: (codes: CartCode[]) => CartCode[],
  ): Promise<Order> {
    for (;;) {
      const changed = await this.connection.withTransaction(ctx, async (tx) => {
        const order = await this.read(tx, from.id);
        const text = textOf(change(codesOf(order)));
        const before = fieldsOf(order).loyaltyCodes;
        const orders = this.connection.getRepository(tx, Order);
        const { affected } = await orders.update(
          { id: order.id, customFields: { loyaltyCodes: before ?? IsNull() } as object },
          { customFields: { loyaltyCodes: text } },
        );
        if (affected !== 1) return null;
        fieldsOf(order).loyaltyCodes = text;
        return this.orders.applyPriceAdjustments(tx, order);
      });
      if (changed !== null) return changed;
    }
  }
}

/** Which codes an order has, in both APIs. */
@Resolver('Order')
export class OrderCodesResolver {
  @ResolveField()
  loyaltyCodes(@Parent() order: Order): { code: string; title: string }[] {
    return codesOf(order).map(({ code, title }) => ({ code: writtenCode(code), title }));
  }
}

function couponError(
  __typename: CouponError['__typename'],
  couponCode: string,
  message: string,
  limit?: number,
): CouponError {
  const errorCode = __typename.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return { __typename, errorCode, message, couponCode, ...(limit !== undefined && { limit }) };
}
