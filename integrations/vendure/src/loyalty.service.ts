import {
  createMemberClient,
  createShopClient,
  type MemberClient,
  type Order as SentOrder,
  type ShopClient,
} from '@loyalty/sdk';
import {
  CodeRefused,
  createCustomers,
  createPreviews,
  followOrders,
  holdCode,
  type Customers,
  type OrderFollower,
  type UsableCode,
} from '@loyalty/shop-core';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  ChannelEvent,
  ConfigService,
  type Customer,
  EventBus,
  Logger,
  Order,
  OrderEvent,
  OrderLineEvent,
  OrderPlacedEvent,
  OrderStateTransitionEvent,
  PaymentStateTransitionEvent,
  ProcessContext,
  RefundEvent,
  RefundStateTransitionEvent,
  type RequestContext,
  TransactionalConnection,
  type VendureEvent,
} from '@vendure/core';
import { merge } from 'rxjs';
import { codesOf, fieldsOf, writtenCode } from './cart-codes.ts';
import { unitsPerWhole } from './money.ts';
import { LoyaltyMark } from './entities.ts';
import { LOG, LOYALTY_OPTIONS, type Commerce, type LoyaltyPluginOptions } from './options.ts';
import { OwnPromotion } from './own-promotion.ts';
import { changedOrders, channelsOf, readOrder } from './read-order.ts';
import { repeat, type Repetition } from './repeat.ts';
import { vendureOutbox, type VendureOutbox } from './vendure-outbox.ts';

/** One commerce of the service, as the plugin talks to it. */
export interface ConnectedCommerce {
  commerceId: number;
  client: ShopClient;
  /** Amounts are counted in it, and never converted. */
  currency: () => Promise<string | null>;
  customers: Customers;
  /** Acts for nobody: it asks for sign-in codes. */
  visitor: MemberClient;
  preview: ReturnType<typeof createPreviews>;
}

/** Changes of an order that can change what the service must know. */
const CHANGES = [
  OrderPlacedEvent,
  OrderStateTransitionEvent,
  OrderEvent,
  OrderLineEvent,
  PaymentStateTransitionEvent,
  RefundEvent,
  RefundStateTransitionEvent,
];
type Change = InstanceType<(typeof CHANGES)[number]>;

/** The name of the mark that says when the plugin was installed. */
const INSTALLED = 'installed';
const SEND_EVERY_MS = 2_000;
const SWEEP_EVERY_MS = 5 * 60_000;
/** A customer waits for the service no longer than this. */
const PATIENCE_MS = 5_000;
/** Of each process. */
const MOST_WARNED = 1_000;

/** What all parts of the plugin share: the clients of the service, and the orders that follow. */
@Injectable()
export class LoyaltyService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly follower: OrderFollower;
  private readonly outbox: VendureOutbox;
  private readonly main: ConnectedCommerce;
  private readonly others: ReadonlyMap<string, ConnectedCommerce>;
  /** The warnings of this process so far, or the last ones. */
  private readonly warned = new Set<string>();
  private installedAt: Date | null = null;
  private jobs: Repetition[] = [];

  constructor(
    @Inject(LOYALTY_OPTIONS) private readonly options: LoyaltyPluginOptions,
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(ConfigService) private readonly config: ConfigService,
    @Inject(EventBus) private readonly eventBus: EventBus,
    @Inject(ProcessContext) private readonly process: ProcessContext,
    @Inject(OwnPromotion) private readonly promotion: OwnPromotion,
  ) {
    const { baseUrl } = options;
    this.main = connect(baseUrl, options);
    const others = Object.entries(options.channels ?? {});
    this.others = new Map(others.map(([code, commerce]) => [code, connect(baseUrl, commerce)]));
    this.outbox = vendureOutbox(connection);
    const reading = {
      connection,
      options,
      promotionId: () => promotion.find(),
      perWhole: unitsPerWhole(config),
      installedAt: () => this.readInstalledAt(),
    };
    this.follower = followOrders({
      outbox: this.outbox,
      readOrder: (id) => readOrder(reading, id),
      changedSince: (since) => changedOrders(connection, since),
      client: (order) => this.commerceOf(channelsOf(order)).client,
      onSent: (_orderId, answer) => this.warnOfRefusedCodes(answer),
    });
  }

  /**
   * The buyer has got the discount, so the shop's people should know that the code was not used for it. Each state of an order is sent, and
   * all of them have the same answer, so it is told once.
   */
  private warnOfRefusedCodes({ external_id: orderCode, codes }: SentOrder): void {
    for (const { client_benefit_code: code, state, reason } of codes) {
      // A code that was refused may still be good, so it is not logged whole.
      const warning = `the code of ${orderCode} that ends in ${writtenCode(code).slice(-4)} was refused: ${reason}`;
      if (state !== 'refused' || this.warned.has(warning)) continue;
      if (this.warned.size === MOST_WARNED) this.warned.clear();
      this.warned.add(warning);
      Logger.warn(warning, LOG);
    }
  }

  /** The commerce of an order or a request, by the codes of its sales channels. */
  commerceOf(channelCodes: readonly string[]): ConnectedCommerce {
    for (const code of channelCodes) {
      const other = this.others.get(code);
      if (other !== undefined) return other;
    }
    return this.main;
  }

  /** All commerces of this shop, each once. */
  commerces(): ConnectedCommerce[] {
    return [this.main, ...this.others.values()];
  }

  /** The commerce of the sales channel of a request. */
  commerceFor({ channel }: RequestContext): ConnectedCommerce {
    return this.commerceOf([channel.code]);
  }

  /** True if the shop knows that the customer can read mails to the address. */
  hasProvedAddress({ user }: Customer): boolean {
    if (!user?.verified) return false;
    return this.options.addressesAreProved ?? this.config.authOptions.requireVerification;
  }

  /**
   * Signs a customer in at the service with a code from a mail, so that the shop can vouch for them from then on. The session itself is not
   * kept.
   */
  async proveAtService(ctx: RequestContext, email: string, oneTimeCode: string): Promise<void> {
    const member = this.newVisitor(this.commerceFor(ctx).commerceId);
    await member.verifyOneTimeCode(email, oneTimeCode);
    await member.logOut().catch(() => undefined);
  }

  /** Holds a code for a cart. @throws CodeRefused, or another error if the service did not answer */
  async holdCode(ctx: RequestContext, order: Order, code: number): Promise<UsableCode> {
    const { client, currency } = this.commerceFor(ctx);
    if ((await inTime(currency())) !== order.currencyCode) throw new CodeRefused('currency');
    return inTime(holdCode(client, order.code, code));
  }

  /** Lets go of a code of a cart, or of all that it holds. The hold ends by itself too, so it does not matter if the service does not answer. */
  async release(ctx: RequestContext, orderCode: string, code?: number): Promise<void> {
    const which = code === undefined ? {} : { client_benefit_code: code };
    const { client } = this.commerceFor(ctx);
    await inTime(client.releaseHold({ external_id: orderCode, ...which })).catch((error: unknown) =>
      Logger.warn(`could not let go of the codes of ${orderCode}: ${String(error)}`, LOG),
    );
  }

  /**
   * Holds the codes of a cart again, since its customer is about to pay. Returns what to tell them if one cannot be used any more. The shop goes on
   * selling while the service does not answer: a code that was used elsewhere meanwhile is then found when the order is sent.
   */
  async holdAgain(ctx: RequestContext, order: Order): Promise<string | undefined> {
    for (const { code, title } of codesOf(order)) {
      try {
        await this.holdCode(ctx, order, code);
      } catch (error) {
        if (error instanceof CodeRefused)
          return `The code for “${title}” cannot be used any more. Remove it.`;
        Logger.warn(`could not hold a code of ${order.code} again: ${String(error)}`, LOG);
      }
    }
    return undefined;
  }

  /** Sends orders again that were given up. Returns how many. */
  async sendAgain(orderIds: readonly string[] | undefined): Promise<number> {
    const due = await this.follower.sendAgain(orderIds);
    this.jobs[0]?.now();
    return due;
  }

  async onApplicationBootstrap(): Promise<void> {
    this.eventBus.registerBlockingEventHandler<Change>({
      event: CHANGES,
      id: 'loyalty-note-order',
      handler: (event) => this.noteChange(event),
    });
    const committed = merge(...CHANGES.map((change) => this.eventBus.ofType<VendureEvent>(change)));
    const failed = (what: string) => (error: unknown) =>
      Logger.error(`${what} failed: ${String(error)}`, LOG, error instanceof Error ? error.stack : undefined);
    const { sendEveryMs = SEND_EVERY_MS, sweepEveryMs = SWEEP_EVERY_MS } = this.options;
    const sender = repeat(() => this.follower.send(), sendEveryMs, failed('sending orders'));
    const sweeper = repeat(() => this.follower.sweep(), sweepEveryMs, failed('looking for changed orders'));
    this.jobs = [sender, sweeper];
    committed.subscribe(() => sender.now());
    this.eventBus.ofType(OrderEvent).subscribe(({ ctx, order, type }) => {
      if (type === 'deleted' && !order.orderPlacedAt) void this.releaseAll(ctx, order);
    });
    this.eventBus.ofType(OrderStateTransitionEvent).subscribe(({ ctx, order, toState }) => {
      if (toState === 'Cancelled' && !order.orderPlacedAt) void this.releaseAll(ctx, order);
    });
    this.eventBus.ofType(ChannelEvent).subscribe(({ ctx, type }) => {
      if (type === 'created') void this.promotion.prepare(ctx).catch(failed('preparing the promotion'));
    });
    if (this.process.isServer) {
      await this.readInstalledAt();
      await this.promotion.prepare();
    }
    sweeper.now();
  }

  /** The first process that asks stores the answer for all. */
  private async readInstalledAt(): Promise<Date> {
    if (this.installedAt !== null) return this.installedAt;
    const marks = this.connection.rawConnection.getRepository(LoyaltyMark);
    const first = { name: INSTALLED, value: new Date().toISOString() };
    await marks.createQueryBuilder().insert().values(first).orIgnore().execute();
    const { value } = await marks.findOneByOrFail({ name: INSTALLED });
    return (this.installedAt = new Date(value));
  }

  private newVisitor(commerceId: number): MemberClient {
    return createMemberClient({ baseUrl: this.options.baseUrl, commerceId });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }

  /** In the transaction of the change: a change is noted exactly if it is stored. */
  private async noteChange(event: Change): Promise<void> {
    const { ctx, order } = event;
    if (event instanceof OrderPlacedEvent) await this.keepBuyer(ctx, order);
    if (order.orderPlacedAt) await this.outbox.noteWith(ctx, String(order.id), new Date());
  }

  /** Vendure stores the order once more after this event, as it is in memory. */
  private async keepBuyer(ctx: RequestContext, order: Order): Promise<void> {
    const email = order.customer?.emailAddress;
    if (email === undefined) return;
    fieldsOf(order).loyaltyBuyer = email;
    const customFields = { loyaltyBuyer: email } as Order['customFields'];
    await this.connection.getRepository(ctx, Order).update(order.id, { customFields });
  }

  private async releaseAll(ctx: RequestContext, order: Order): Promise<void> {
    if (codesOf(order).length > 0) await this.release(ctx, order.code);
  }
}

function connect(baseUrl: string, { commerceId, apiKey }: Commerce): ConnectedCommerce {
  const client = createShopClient({ baseUrl, apiKey });
  const visitor = createMemberClient({ baseUrl, commerceId });
  let currency: string | null = null;
  return {
    commerceId,
    client,
    currency: async () => (currency ??= (await visitor.getCommerce()).currency),
    customers: createCustomers({ baseUrl, commerceId, client }),
    visitor,
    preview: createPreviews({ client }),
  };
}

/** Somebody waits in a shop, and the client of the service would try for longer. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the service did not answer in time')), PATIENCE_MS);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}
