import { ApiError, type Benefit, type RedeemableBenefit } from '@loyalty/sdk';
import type { CustomerAccount } from '@loyalty/shop-core';
import { Inject } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import {
  Allow,
  Ctx,
  type Customer,
  CustomerService,
  ForbiddenError,
  Logger,
  Permission,
  type RequestContext,
  UserInputError,
} from '@vendure/core';
import { writtenCode } from './cart-codes.ts';
import { LoyaltyService } from './loyalty.service.ts';
import { LOG } from './options.ts';

type AccountState = 'NOT_SIGNED_IN' | 'ADDRESS_NOT_PROVED' | 'NOT_A_MEMBER' | 'MEMBER' | 'UNAVAILABLE';

/** What the customer who is signed in at the shop sees and does: no second sign-in, once the address was proved at the service. */
@Resolver()
export class AccountResolver {
  constructor(
    @Inject(LoyaltyService) private readonly loyalty: LoyaltyService,
    @Inject(CustomerService) private readonly customers: CustomerService,
  ) {}

  @Query()
  @Allow(Permission.Public)
  async loyaltyAccount(@Ctx() ctx: RequestContext): Promise<object> {
    const customer = await this.customerOf(ctx);
    if (customer === null) return emptyAccount('NOT_SIGNED_IN');
    if (!this.loyalty.hasProvedAddress(customer)) return emptyAccount('ADDRESS_NOT_PROVED');
    try {
      const account = await this.loyalty.commerceFor(ctx).customers.readAccount(customer.emailAddress);
      return account === null ? emptyAccount('NOT_A_MEMBER') : accountOf(account);
    } catch (error) {
      Logger.warn(`could not read an account: ${String(error)}`, LOG);
      return emptyAccount('UNAVAILABLE');
    }
  }

  @Mutation()
  @Allow(Permission.Owner)
  async buyLoyaltyBenefit(
    @Ctx() ctx: RequestContext,
    @Args() { benefitId, key }: { benefitId: string; key?: string },
  ): Promise<object> {
    const { emailAddress } = await this.provedCustomer(ctx);
    const member = await inWords(this.loyalty.commerceFor(ctx).customers.signIn(emailAddress));
    if (member === null) throw new ForbiddenError();
    const options = key === undefined || key === null ? {} : { idempotencyKey: key };
    return codeOf(await inWords(member.exchangeBenefit(benefitId, options)));
  }

  @Mutation()
  @Allow(Permission.Owner)
  async requestLoyaltyCode(@Ctx() ctx: RequestContext): Promise<boolean> {
    const { emailAddress } = await this.provedCustomer(ctx);
    await inWords(this.loyalty.commerceFor(ctx).visitor.requestOneTimeCode(emailAddress));
    return true;
  }

  @Mutation()
  @Allow(Permission.Owner)
  async joinLoyalty(@Ctx() ctx: RequestContext, @Args() { code }: { code: string }): Promise<object> {
    const { emailAddress } = await this.provedCustomer(ctx);
    await inWords(this.loyalty.proveAtService(ctx, emailAddress, code));
    return this.loyaltyAccount(ctx);
  }

  private async customerOf(ctx: RequestContext): Promise<Customer | null> {
    if (ctx.activeUserId === undefined) return null;
    return (await this.customers.findOneByUserId(ctx, ctx.activeUserId)) ?? null;
  }

  private async provedCustomer(ctx: RequestContext): Promise<Customer> {
    const customer = await this.customerOf(ctx);
    if (customer === null || !this.loyalty.hasProvedAddress(customer)) throw new ForbiddenError();
    return customer;
  }
}

/** What a customer can do something about, in the words of the service. */
const CUSTOMERS_AFFAIR = [400, 404, 409, 422];

/** Everything else says something about the shop, and goes into its log. */
async function inWords<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && CUSTOMERS_AFFAIR.includes(error.status))
      throw new UserInputError(error.message);
    Logger.error(`a call for a customer failed: ${String(error)}`, LOG);
    throw new UserInputError('Points cannot be used at the moment. Try again later.');
  }
}

function emptyAccount(state: AccountState): object {
  return {
    state,
    points: null,
    expiring: null,
    waiting: [],
    tier: null,
    stamps: [],
    catalog: [],
    codes: [],
  };
}

function accountOf({ points, expiring, waiting, tier, stamps, catalog, codes }: CustomerAccount): object {
  return {
    state: 'MEMBER' satisfies AccountState,
    points,
    expiring: expiring && { points: expiring.points, on: new Date(expiring.on) },
    waiting: waiting.map((one) => ({ points: one.points, availableAt: dateOf(one.available_at) })),
    tier: tier && {
      name: tier.name,
      multiplier: tier.points_multiplier,
      expiresAt: dateOf(tier.expiration_date),
      nextName: tier.next_level?.name ?? null,
      nextThreshold: tier.next_level?.threshold ?? null,
    },
    stamps: stamps.map(({ benefit, ...card }) => ({ ...card, benefit: benefit.title })),
    catalog: catalog.map((benefit) => ({
      id: benefit.id,
      title: titleOf(benefit),
      description: benefit.description,
      cost: benefit.cost,
      image: benefit.prize?.image ?? null,
    })),
    codes: codes.map(codeOf),
  };
}

export function codeOf({ client_benefit_code: code, benefit, due_date: due }: RedeemableBenefit): object {
  return { code: writtenCode(code), title: titleOf(benefit), expiresAt: dateOf(due) };
}

export function titleOf({ id, prize }: Benefit): string {
  return prize?.title ?? id;
}

export function dateOf(instant: string | null): Date | null {
  return instant === null ? null : new Date(instant);
}
