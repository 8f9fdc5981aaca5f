import type { Previewed, ShopLine } from '@loyalty/shop-core';
import { Inject } from '@nestjs/common';
import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
  Allow,
  ConfigService,
  Ctx,
  CustomerService,
  type ID,
  Logger,
  Order,
  OrderLine,
  Permission,
  ProductVariantService,
  type RequestContext,
  TransactionalConnection,
} from '@vendure/core';
import { LoyaltyService } from './loyalty.service.ts';
import { unitsPerWhole } from './money.ts';
import { LOG, LOYALTY_OPTIONS, type LoyaltyPluginOptions } from './options.ts';
import { OwnPromotion } from './own-promotion.ts';
import { linesOf, namesOf, ownSourceOf, WITH_LINES } from './read-order.ts';

const MOST_UNITS = 999;

/** What product and cart pages say: what will be earned. They are shown without it while the service does not answer. */
@Resolver('Order')
export class PreviewResolver {
  private readonly perWhole: number;

  constructor(
    @Inject(LOYALTY_OPTIONS) private readonly options: LoyaltyPluginOptions,
    @Inject(LoyaltyService) private readonly loyalty: LoyaltyService,
    @Inject(OwnPromotion) private readonly promotion: OwnPromotion,
    @Inject(ProductVariantService) private readonly variants: ProductVariantService,
    @Inject(CustomerService) private readonly customers: CustomerService,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(ConfigService) config: ConfigService,
  ) {
    this.perWhole = unitsPerWhole(config);
  }

  @Query('loyaltyPreview')
  @Allow(Permission.Public)
  async ofProduct(
    @Ctx() ctx: RequestContext,
    @Args() { productVariantId, quantity }: { productVariantId: ID; quantity?: number },
  ): Promise<Previewed | null> {
    const units = Math.min(MOST_UNITS, Math.max(1, quantity ?? 1));
    const variant = await this.variants.findOne(ctx, productVariantId, ['collections']);
    if (variant === undefined) return null;
    const total = (variant.priceWithTax * units) / this.perWhole;
    const line = new OrderLine({ productVariant: variant, quantity: units });
    return this.preview(ctx, total, [{ id: '1', units, total, ...namesOf(line, this.options) }]);
  }

  @ResolveField('loyaltyPreview')
  async ofOrder(@Ctx() ctx: RequestContext, @Parent() { id }: Order): Promise<Previewed | null> {
    const order = await this.connection.getRepository(ctx, Order).findOne({
      where: { id },
      relations: WITH_LINES,
      relationLoadStrategy: 'query',
    });
    if (order === null) return null;
    const context = {
      perWhole: this.perWhole,
      ownSource: ownSourceOf(this.promotion.id),
      options: this.options,
    };
    return this.preview(ctx, order.totalWithTax / this.perWhole, linesOf(order, context));
  }

  private async preview(ctx: RequestContext, total: number, lines: ShopLine[]): Promise<Previewed | null> {
    const email = await this.provedAddressOf(ctx);
    try {
      return await this.loyalty.commerceFor(ctx).preview({
        total,
        email,
        currency: ctx.currencyCode,
        channel: this.options.channel ?? 'web',
        lines,
      });
    } catch (error) {
      Logger.debug(`no preview: ${String(error)}`, LOG);
      return null;
    }
  }

  /** Null for a visitor, and for whoever has registered with an address without proving it: it may be somebody else's. */
  private async provedAddressOf(ctx: RequestContext): Promise<string | null> {
    if (ctx.activeUserId === undefined) return null;
    const customer = await this.customers.findOneByUserId(ctx, ctx.activeUserId);
    return customer !== undefined && this.loyalty.hasProvedAddress(customer) ? customer.emailAddress : null;
  }
}
