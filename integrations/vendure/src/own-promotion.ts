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
import { ACTIONS, CONDITION } from './promotion.ts';

const NAME = 'promotion';
const NONE = '';

/** What the promotion's parts and the rest of the plugin ask: Vendure makes the parts before there is anything to inject. */
export const ownPromotionId: { value: ID | null } = { value: null };

/** The one promotion of the plugin's own, which takes off what codes are worth. Disabled by the shop, codes take nothing off. */
@Injectable()
export class OwnPromotion {
  constructor(
    @Inject(TransactionalConnection) private readonly connection: TransactionalConnection,
    @Inject(PromotionService) private readonly promotions: PromotionService,
    @Inject(ChannelService) private readonly channels: ChannelService,
    @Inject(RequestContextService) private readonly contexts: RequestContextService,
  ) {}

  get id(): ID | null {
    return ownPromotionId.value;
  }

  /** Looks for the promotion, as a worker does. */
  async find(): Promise<void> {
    const marks = this.connection.rawConnection.getRepository(LoyaltyMark);
    const mark = await marks.findOneBy({ name: NAME });
    if (mark !== null && mark.value !== NONE) ownPromotionId.value = mark.value;
  }

  /** Makes the promotion if it is not there, and assigns it to all sales channels. Several servers may start at once. */
  async prepare(ctx?: RequestContext): Promise<void> {
    const from = ctx ?? (await this.contexts.create({ apiType: 'admin' }));
    ownPromotionId.value = await this.connection.withTransaction(from, async (tx) => {
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
      actions: ACTIONS.map((code) => ({ code, arguments: [] })),
    });
    if (isGraphQlErrorResult(made)) throw new Error(`the promotion was not made: ${made.message}`);
    await this.connection.getRepository(tx, LoyaltyMark).update({ name: NAME }, { value: String(made.id) });
    return made.id;
  }
}
