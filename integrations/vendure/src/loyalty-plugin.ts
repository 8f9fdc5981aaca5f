import { Inject, type OnModuleInit, type Type } from '@nestjs/common';
import { EventBus, PluginCommonModule, type RuntimeVendureConfig, VendurePlugin } from '@vendure/core';
import { AccountResolver } from './account.resolver.ts';
import { AdminResolver } from './admin.resolver.ts';
import { ORDER_FIELDS } from './cart-codes.ts';
import { CartResolver, OrderCodesResolver } from './cart.resolver.ts';
import { LoyaltyMark, LoyaltyOutboxRow } from './entities.ts';
import { LoyaltyService } from './loyalty.service.ts';
import { LOYALTY_OPTIONS, type LoyaltyPluginOptions } from './options.ts';
import { holdBeforePayment } from './order-process.ts';
import { OwnPromotion } from './own-promotion.ts';
import { PreviewResolver } from './preview.resolver.ts';
import { promotionParts } from './promotion.ts';
import { adminSchema, shopSchema } from './schema.ts';
import { WEBHOOK_ROUTE, webhookReceiver } from './webhooks.ts';

/**
 * Connects a Vendure shop to the loyalty service:
 *
 * ```ts
 * plugins: [LoyaltyPlugin.init({ baseUrl: 'https://loyalty.example', commerceId: 2, apiKey: process.env.LOYALTY_API_KEY! })],
 * ```
 */
@VendurePlugin({
  imports: [PluginCommonModule],
  compatibility: '^3.5.0',
  entities: [LoyaltyOutboxRow, LoyaltyMark],
  providers: [
    { provide: LOYALTY_OPTIONS, useFactory: () => LoyaltyPlugin.options },
    OwnPromotion,
    LoyaltyService,
  ],
  configuration: (config) => LoyaltyPlugin.configure(config),
  shopApiExtensions: {
    schema: shopSchema,
    resolvers: [CartResolver, OrderCodesResolver, AccountResolver, PreviewResolver],
  },
  adminApiExtensions: { schema: adminSchema, resolvers: [AdminResolver, OrderCodesResolver] },
  dashboard: '../dashboard/index.tsx',
})
export class LoyaltyPlugin implements OnModuleInit {
  static options: LoyaltyPluginOptions;
  private static eventBus: EventBus | null = null;

  constructor(@Inject(EventBus) private readonly eventBus: EventBus) {}

  /**
   * Returns the plugin with these options. Throws nothing itself: if an option is missing or wrong, the start of the shop ends with a TypeError that
   * says which.
   */
  static init(options: LoyaltyPluginOptions): Type<LoyaltyPlugin> {
    LoyaltyPlugin.options = options;
    return LoyaltyPlugin;
  }

  static configure(config: RuntimeVendureConfig): RuntimeVendureConfig {
    const { conditions, actions } = promotionParts();
    config.promotionOptions.promotionConditions.push(...conditions);
    config.promotionOptions.promotionActions.push(...actions);
    config.customFields.Order.push(...ORDER_FIELDS);
    config.orderOptions.process.push(holdBeforePayment());
    config.apiOptions.middleware.push({
      route: WEBHOOK_ROUTE,
      beforeListen: true,
      handler: webhookReceiver(LoyaltyPlugin.options, () => LoyaltyPlugin.eventBus),
    });
    return config;
  }

  onModuleInit(): void {
    LoyaltyPlugin.eventBus = this.eventBus;
  }
}
