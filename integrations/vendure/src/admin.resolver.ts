import { ApiError } from '@loyalty/sdk';
import { checkService } from '@loyalty/shop-core';
import { Inject } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, Customer, type ID, Logger, Permission, type RequestContext } from '@vendure/core';
import { TransactionalConnection } from '@vendure/core';
import { codeOf, dateOf } from './account.resolver.ts';
import { LoyaltyService } from './loyalty.service.ts';
import { LOG, LOYALTY_OPTIONS, type LoyaltyPluginOptions } from './options.ts';

/** What the shop's staff see: how the connection is, and how a customer stands. */
@Resolver()
export class AdminResolver {
  constructor(
    @Inject(LOYALTY_OPTIONS) private readonly options: LoyaltyPluginOptions,
    @Inject(LoyaltyService) private readonly loyalty: LoyaltyService,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
  ) {}

  @Query()
  @Allow(Permission.ReadOrder)
  async loyaltyHealth(): Promise<object> {
    const [health, serviceError] = await Promise.all([
      this.loyalty.follower.health(),
      checkService(...this.loyalty.commerces().map(({ client }) => client)),
    ]);
    return { ...health, serviceError, consoleUrl: this.consoleUrl() };
  }

  @Mutation()
  @Allow(Permission.UpdateOrder)
  async sendLoyaltyOrdersAgain(@Args() { orderIds }: { orderIds?: ID[] | null }): Promise<number> {
    return this.loyalty.sendAgain(orderIds?.map(String));
  }

  @Query()
  @Allow(Permission.ReadCustomer)
  async loyaltyCustomer(
    @Ctx() ctx: RequestContext,
    @Args() { customerId }: { customerId: ID },
  ): Promise<object | null> {
    const customer = await this.connection.getEntityOrThrow(ctx, Customer, customerId, {
      channelId: ctx.channelId,
    });
    const { client } = this.loyalty.commerceFor(ctx);
    try {
      const { code } = await client.getClientByEmail(customer.emailAddress);
      const [{ points, waiting, level }, codes, purchases] = await Promise.all([
        client.getClientStanding(code),
        client.listClientBenefits(code),
        client.listConsumptions({ client_code: code }),
      ]);
      return {
        clientCode: String(code),
        points,
        waiting: waiting.reduce((sum, one) => sum + one.points, 0),
        tier: level?.name ?? null,
        codes: codes.map((one) => ({ ...codeOf(one), used: one.used })),
        purchases: purchases.results.map((one) => ({
          date: dateOf(one.date),
          amount: one.amount - one.reversed_amount,
          points: one.points - one.reversed_points,
          externalId: one.external_id,
          explanation: one.explanation,
        })),
        consoleUrl: this.consoleUrl(),
      };
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404))
        Logger.warn(`could not read a customer: ${String(error)}`, LOG);
      return null;
    }
  }

  private consoleUrl(): string {
    const { consoleUrl, baseUrl } = this.options;
    return `${(consoleUrl ?? baseUrl).replace(/\/$/, '')}/console`;
  }
}
