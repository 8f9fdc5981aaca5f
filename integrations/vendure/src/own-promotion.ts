import { Inject, Injectable } from '@nestjs/common';
import {
  Channel,
  ChannelService,
  type ID,
  isGraphQlErrorResult,
  Promotion,
  PromotionService,
  RequestContextService,
  TransactionalConnection,
  type RequestContext,
} from '@vendure/core';
import { IsNull } from 'typeorm';
import { LoyaltyMark } from './entities.ts';

const NAME = 'promotion';
const NONE = '';

/** The codes of the promotion's condition and actions. */
export const CONDITION = 'loyalty_codes';
export const ACTIONS = { line: 'loyalty_line', order: 'loyalty_order', shipping: 'loyalty_shipping' };

/** The one promotion of the plugin's own, which takes off what codes are worth. Disabled by the shop, codes take nothing off. */
@Injectable()
export class OwnPromotion {
  /** Null until it is known, which it is in a server that has started. */
  id: ID | null = null;

  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(PromotionService) private readonly promotions: PromotionService,
    @Inject(ChannelService) private readonly channels: ChannelService,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
  ) {}

  /** Looks for the promotion if it is not known, as in a worker. */
  async find(): Promise<ID | null> {
    const marks = this.connection.rawConnection.getRepository(LoyaltyMark);
    const mark = this.id === null ? await marks.findOneBy({ name: NAME }) : null;
    if (mark !== null && mark.value !== NONE) this.id = mark.value;
    return this.id;
  }

  /** Makes the promotion if it is not there, and assigns it to all sales channels. Several servers may start at once. */
  async prepare(ctx?: RequestContext): Promise<void> {
    const from = ctx ?? (await this.contexts.create({ apiType: 'admin' }));
    this.id = await this.connection.withTransaction(from, async (tx) => {
      const id = await this.lockAndRead(tx);
      const known =
        id !== NONE &&
        (await this.connection
          .getRepository(tx, Promotion)
          .existsBy({ id: id as ID as never, deletedAt: IsNull() }));
      const own = known ? id : await this.create(tx);
      const channels = await this.connection.getRepository(tx, Channel).find();
      await this.channels.assignToChannels(
        tx,
        Promotion,
        own,
        channels.map((channel) => channel.id),
      );
      return own;
    });
  }

  /** Whoever comes second waits here until the first has stored the id. */
  private async lockAndRead(tx: RequestContext): Promise<string> {
    const marks = this.connection.getRepository(tx, LoyaltyMark);
    await marks.createQueryBuilder().insert().values({ name: NAME, value: NONE }).orIgnore().execute();
    const value = this.connection.rawConnection.driver.escape('value');
    await marks
      .createQueryBuilder()
      .update()
      .set({ value: () => value })
      .where({ name: NAME })
      .execute();
    return (await marks.findOneByOrFail({ name: NAME })).value;
  }

  private async create(tx: RequestContext): Promise<ID> {
    const made = await this.promotions.createPromotion(tx, {
      enabled: true,
      translations: [{ languageCode: tx.languageCode, name: 'Loyalty code', description: '' }],
      conditions: [{ code: CONDITION, arguments: [] }],
      actions: Object.values(ACTIONS).map((code) => ({ code, arguments: [] })),
    });
    if (isGraphQlErrorResult(made)) throw new Error(`the promotion was not made: ${made.message}`);
    await this.connection.getRepository(tx, LoyaltyMark).update({ name: NAME }, { value: String(made.id) });
    return made.id;
  }
}
