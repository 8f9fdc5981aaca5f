import { createMemberClient, createShopClient, type ShopClient } from '@loyalty/sdk';
import { createCustomers, createPreviews, type Customers } from '@loyalty/shop-core';
import { checkOptions, type CommerceOptions, type PluginOptions } from './options';

/** One commerce of the service, as this shop uses it. */
export interface Commerce {
  commerceId: number;
  client: ShopClient;
  customers: Customers;
  preview: ReturnType<typeof createPreviews>;
  webhookSecret: string | string[] | null;
  /** Returns its currency, in capitals. It never changes, so it is asked once. */
  currency(): Promise<string>;
}

/** Knows the service: its address, and the commerces of this shop. Stores nothing. */
export class ConnectionService {
  readonly url: string;
  readonly consoleUrl: string;
  readonly customersAreVerified: boolean;
  readonly #default: Commerce;
  readonly #byChannel: ReadonlyMap<string, Commerce>;

  constructor(_container: object, given?: Partial<PluginOptions>) {
    const options = checkOptions(given);
    this.url = options.url.replace(/\/$/, '');
    this.consoleUrl = (options.consoleUrl ?? this.url).replace(/\/$/, '');
    this.customersAreVerified = options.customersAreVerified === true;
    this.#default = this.#open(options);
    this.#byChannel = new Map(
      Object.entries(options.channels ?? {}).map(([channelId, commerce]) => [
        channelId,
        this.#open(commerce),
      ]),
    );
  }

  /** Returns the commerce of a sales channel. */
  commerceOf(salesChannelId: string | null | undefined): Commerce {
    return this.#byChannel.get(salesChannelId ?? '') ?? this.#default;
  }

  /** Returns all commerces of this shop, each once. */
  commerces(): Commerce[] {
    return [this.#default, ...this.#byChannel.values()];
  }

  #open({ commerceId, apiKey, webhookSecret }: CommerceOptions): Commerce {
    const client = createShopClient({ baseUrl: this.url, apiKey });
    let currency: Promise<string> | null = null;
    return {
      commerceId,
      client,
      customers: createCustomers({ baseUrl: this.url, commerceId, client }),
      preview: createPreviews({ client }),
      webhookSecret: webhookSecret ?? null,
      currency: async () => {
        currency ??= readCurrency(this.url, commerceId);
        try {
          return await currency;
        } catch (error) {
          currency = null;
          throw error;
        }
      },
    };
  }
}

async function readCurrency(baseUrl: string, commerceId: number): Promise<string> {
  const { currency } = await createMemberClient({ baseUrl, commerceId }).getCommerce();
  return currency ?? '';
}
