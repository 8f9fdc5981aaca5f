import {
  cartId,
  checkKey,
  codes,
  digits,
  fields,
  id,
  number,
  objects,
  optional,
  orNull,
  queryOf,
  text,
  word,
  yesOrNo,
  type Kinds,
} from './arguments.ts';
import {
  call,
  onceBy,
  type CallOptions,
  type Fetch,
  type Connection,
  type KeyedCallOptions,
} from './call.ts';
import { checkAddress, checkApiKey } from './check-options.ts';
import { readLines, type StreamOptions } from './lines.ts';
import type {
  Benefit,
  BenefitV2,
  Client,
  ClientPage,
  ClientStanding,
  Consumption,
  ConsumptionConfirmation,
  ConsumptionPage,
  ConsumptionPreview,
  ConsumptionReversal,
  ExportedMember,
  ExportedMovement,
  EventPage,
  Hold,
  Message,
  Order,
  OrderLine,
  OrderPage,
  PastBenefitsPage,
  PurchaseLine,
  RedeemableBenefit,
  ReturnedLine,
  SnapshotLine,
  VouchedSession,
} from './wire.ts';

/** A purchase that was recorded. */
export interface RecordedConsumption extends Message {
  /** The id to look up or reverse the purchase. */
  consumption_id: number;
  /** The points that the purchase earned. Null from a service of release 0.1. */
  points_earned: number | null;
  /** Those of them that wait before they can be spent. They are not in the balance. */
  points_waiting: number;
  /**
   * The balance right after the purchase, or what waits for an address without an account. Null if the call repeats a purchase
   * that was imported, or that release 0.1 recorded.
   */
  points_balance: number | null;
  /** True if the call repeats a purchase that was recorded before, with the same key or the same `external_id`. */
  replayed: boolean;
}

export interface ShopClientOptions {
  /** The address of the service, such as `https://loyalty.example`. */
  baseUrl: string;
  /** The commerce's API key. It must stay on the shop's server. */
  apiKey: string;
  /** Replaces the platform's `fetch`. */
  fetch?: Fetch;
}

/** Which events are read. */
export interface EventFilter {
  after?: string;
  /** Types, separated by commas. */
  types?: string;
  /** Seconds, at most 30. */
  wait?: number;
  limit?: number;
}

/** The options of a redemption. */
export interface RedeemOptions extends KeyedCallOptions {
  /** The shop's own id of the redemption, such as the number of the order. */
  externalId?: string;
}

/** Which purchases are listed. */
export interface ConsumptionFilter {
  external_id?: string;
  client_code?: number;
  from?: string;
  to?: string;
  cursor?: string | null;
}

/** An order as the shop has it. */
export interface OrderState {
  /** The buyer: this or `client_email`. */
  client_code?: number | null;
  client_email?: string | null;
  status: Order['status'];
  /** What was paid in the end, before refunds, in whole units of the commerce's currency. */
  paid: number;
  /** What of it went back so far. */
  refunded: number;
  /** The codes that the order uses. */
  codes: number[];
  /** The id of the cart that the order was, if it holds codes under that: the order takes over the holds of its `codes`. */
  cart_id?: string | null;
  /** Rises with each change of the order. */
  version: number;
  /** An instant, such as `2026-11-01T10:30:00Z`. */
  paid_at?: string | null;
  confirmed?: boolean | null;
  currency?: string | null;
  /** The id of the branch. */
  id_suc?: number | null;
  /** The id of the register. */
  counter_id?: number | null;
  channel?: string | null;
  lines?: OrderLine[] | null;
}

/** An order that is not placed yet. */
export type OrderToPreview = Omit<
  OrderState,
  'status' | 'refunded' | 'codes' | 'cart_id' | 'version' | 'paid_at' | 'confirmed'
>;

/** Which orders are listed. */
export interface OrderFilter {
  client_code?: number;
  status?: Order['status'];
  from?: string;
  to?: string;
  cursor?: string | null;
}

const TO_PREVIEW: Kinds<OrderToPreview> = {
  client_code: orNull(digits),
  client_email: orNull(text),
  paid: number,
  currency: orNull(text),
  id_suc: orNull(number),
  counter_id: orNull(number),
  channel: orNull(text),
  lines: orNull(objects),
};

const ORDER: Kinds<OrderState> = {
  ...TO_PREVIEW,
  status: text,
  refunded: number,
  codes,
  cart_id: orNull(cartId),
  version: number,
  paid_at: orNull(text),
  confirmed: orNull(yesOrNo),
};

const ORDER_FILTER: Kinds<OrderFilter> = {
  client_code: optional(digits),
  status: optional(text),
  from: optional(text),
  to: optional(text),
  cursor: orNull(text),
};

const SOLD = { channel: orNull(text), lines: orNull(objects) };
const PURCHASE = {
  client_code: digits,
  amount: number,
  counter_id: orNull(number),
  id_suc: orNull(number),
  ...SOLD,
};
const SHORTEST_TIMEOUT_MS = 10_000;
const EVENT_FILTER: Kinds<EventFilter> = {
  after: optional(text),
  types: optional(text),
  wait: optional(number),
  limit: optional(number),
};

const FILTER: Kinds<ConsumptionFilter> = {
  external_id: optional(text),
  client_code: optional(digits),
  from: optional(text),
  to: optional(text),
  cursor: orNull(text),
};

export type ShopClient = ReturnType<typeof createShopClient>;

/**
 * Creates a client for a shop's server. Each method is named after an operation of the API. Methods that take an
 * `idempotencyKey` take effect only once, even after retries.
 * @throws TypeError if an option is missing or wrong, or in a web page, where a key must not be
 */
export function createShopClient({ baseUrl, apiKey, fetch = globalThis.fetch }: ShopClientOptions) {
  const authorization = `Bearer ${checkApiKey(apiKey)}`;
  const connection: Connection = {
    baseUrl: checkAddress(baseUrl),
    fetch: (...sent) => fetch(...sent),
  };

  return {
    /** Records a purchase by client code and gives the member the points. */
    async recordConsumptionByClientCode(
      purchase: {
        client_code: number;
        /** In whole units of the commerce's currency. */
        amount: number;
        /** The id of the register. */
        counter_id?: number | null;
        /** The id of the branch. */
        id_suc?: number | null;
        /** The shop's own id of the purchase. Repeated with the same purchase, it counts once. */
        external_id?: string;
        /** Where it was sold, such as `web`. */
        channel?: string | null;
        /** What was sold. The amounts add up to the amount: `allocateLines` shares out a total. */
        lines?: PurchaseLine[] | null;
      },
      options?: KeyedCallOptions,
    ): Promise<RecordedConsumption> {
      const body = fields(purchase, { ...PURCHASE, external_id: optional(text) });
      return record('/v1/consumptions/client-code', body, options);
    },

    /** Records a purchase by e-mail address. If the address has no account, the points wait for its owner. */
    async recordConsumptionByEmail(
      purchase: {
        client_email: string;
        amount: number;
        external_id?: string;
        channel?: string | null;
        lines?: PurchaseLine[] | null;
      },
      options?: KeyedCallOptions,
    ): Promise<RecordedConsumption> {
      const kinds = { client_email: text, amount: number, external_id: optional(text), ...SOLD };
      return record('/v1/consumptions/email', fields(purchase, kinds), options);
    },

    /** Returns the points that a purchase would earn. Records nothing. */
    async previewConsumption(
      purchase: {
        client_code: number;
        amount: number;
        counter_id?: number | null;
        id_suc?: number | null;
        channel?: string | null;
        lines?: PurchaseLine[] | null;
      },
      options?: CallOptions,
    ): Promise<ConsumptionPreview> {
      return read('/v1/consumptions/preview', fields(purchase, PURCHASE), options);
    },

    /** Returns a recorded purchase, with the computation of its points and its reversals. */
    async getConsumption(consumptionId: number, options?: CallOptions): Promise<Consumption> {
      return get(`/v1/consumptions/${id(consumptionId)}`, options);
    },

    /**
     * Returns a page of the purchases, newest first. All conditions count together. `from` is included and `to` is not; both are
     * instants, such as `2026-11-01T00:00:00Z`.
     */
    async listConsumptions(filter: ConsumptionFilter = {}, options?: CallOptions): Promise<ConsumptionPage> {
      return get(`/v1/consumptions${queryOf(filter, FILTER)}`, options);
    },

    /** Yields all purchases that meet the conditions, newest first. Reads them page by page. */
    async *allConsumptions(
      filter: Omit<ConsumptionFilter, 'cursor'> = {},
      options?: CallOptions,
    ): AsyncGenerator<Consumption, void> {
      const { cursor: _cursor, ...kinds } = FILTER;
      for (let page = queryOf(filter, kinds); ;) {
        const { results, next_cursor: cursor }: ConsumptionPage = await get(
          `/v1/consumptions${page}`,
          options,
        );
        yield* results;
        if (cursor === null) return;
        page = queryOf({ ...filter, cursor }, FILTER);
      }
    },

    /** Returns the purchase with the shop's own id, or null if there is none. */
    async findConsumption(externalId: string, options?: CallOptions): Promise<Consumption | null> {
      const query = queryOf({ external_id: externalId }, FILTER);
      return (await get<ConsumptionPage>(`/v1/consumptions${query}`, options)).results[0] ?? null;
    },

    /**
     * Reverses a purchase, or `amount` of it. Its points are taken back by the rules of its day.
     * @throws TypeError if `amount` is there but undefined: without it the whole purchase is reversed
     */
    async reverseConsumption(
      consumptionId: number,
      reversal: { amount?: number; lines?: ReturnedLine[] } = {},
      options?: KeyedCallOptions,
    ): Promise<ConsumptionReversal> {
      const body = fields(reversal, { amount: optional(number), lines: optional(objects) });
      return postOnce(`/v1/consumptions/${id(consumptionId)}/reversal`, body, options);
    },

    /** Confirms a purchase whose points wait for that. Repeating it changes nothing. */
    async confirmConsumption(consumptionId: number, options?: CallOptions): Promise<ConsumptionConfirmation> {
      const path = `/v1/consumptions/${id(consumptionId)}/confirmation`;
      return (await send({ ...options, method: 'POST', path, repeatable: true }))
        .body as ConsumptionConfirmation;
    },

    /**
     * Says what an order is, as often as it changes. The service records the difference; what it cannot do is named in the answer.
     * Sending a version again changes nothing.
     */
    async putOrder(order: OrderState & { external_id: string }, options: CallOptions = {}): Promise<Order> {
      const { external_id: externalId, ...body } = fields(order, { ...ORDER, external_id: cartId });
      return (await send({ ...options, method: 'PUT', path: orderPath(externalId), body, repeatable: true }))
        .body as Order;
    },

    /** Returns what stands of an order. */
    async getOrder(order: { external_id: string }, options?: CallOptions): Promise<Order> {
      return get(orderPath(fields(order, { external_id: cartId }).external_id), options);
    },

    /** Returns a page of the orders, newest first. All conditions count together. `from` is included and `to` is not. */
    async listOrders(filter: OrderFilter = {}, options?: CallOptions): Promise<OrderPage> {
      return get(`/v1/orders${queryOf(filter, ORDER_FILTER)}`, options);
    },

    /** Returns the points that an order would earn if it were paid now. Without a buyer, it is the order of a visitor. Records nothing. */
    async previewOrder(order: OrderToPreview, options?: CallOptions): Promise<ConsumptionPreview> {
      return read('/v1/orders/preview', fields(order, TO_PREVIEW), options);
    },

    /** Yields all clients with their balances, from one stream. After an error, start again. */
    exportMembers(options?: StreamOptions): AsyncGenerator<ExportedMember, void> {
      return readLines(connection, '/v1/exports/members?format=jsonl', { authorization }, options);
    },

    /**
     * Yields all movements of points in the order in which they were recorded, from one stream. `from` is included and `to` is
     * not. After an error, start again.
     */
    async *exportMovements(
      stretch: { from?: string; to?: string } = {},
      options?: StreamOptions,
    ): AsyncGenerator<ExportedMovement, void> {
      fields(stretch, { from: optional(text), to: optional(text) });
      const query = new URLSearchParams({ format: 'jsonl', ...stretch });
      yield* readLines(connection, `/v1/exports/movements?${query}`, { authorization }, options);
    },

    /**
     * Returns the events behind a cursor, and the cursor behind them. With `wait`, a call without events waits for the next one, for so many
     * seconds. Without `after`, it begins with the first event.
     */
    async listEvents(filter: EventFilter = {}, options?: CallOptions): Promise<EventPage> {
      const path = `/v1/events${queryOf(filter, EVENT_FILTER)}`;
      const timeoutMs = SHORTEST_TIMEOUT_MS + (filter.wait ?? 0) * 1_000;
      return get(path, { timeoutMs, ...options });
    },

    /** Yields what a new reader of events starts from, from one stream. The last line has the cursor. After an error, start again. */
    snapshotEvents(options?: StreamOptions): AsyncGenerator<SnapshotLine, void> {
      return readLines(connection, '/v1/events/snapshot', { authorization }, options);
    },

    /** Returns a page of the clients, in the order of enrolment. */
    async listClients(
      page: { limit?: number; offset?: number } = {},
      options?: CallOptions,
    ): Promise<ClientPage> {
      const query = queryOf(page, { limit: optional(number), offset: optional(number) });
      return get(`/v1/clients/list${query}`, options);
    },

    /** Yields all clients. Reads them in pages of 100. */
    async *allClients(options?: CallOptions): AsyncGenerator<Client, void> {
      const limit = 100;
      for (let offset = 0; ; offset += limit) {
        const page: ClientPage = await get(`/v1/clients/list?limit=${limit}&offset=${offset}`, options);
        yield* page.items;
        if (page.items.length === 0 || offset + limit >= (page.total ?? 0)) return;
      }
    },

    /** Returns the client with this code, with the balance. */
    async getClient(clientCode: number, options?: CallOptions): Promise<Client> {
      return get(`/v1/clients/${id(clientCode)}`, options);
    },

    /** Returns the client with this e-mail address, with the balance. */
    async getClientByEmail(clientEmail: string, options?: CallOptions): Promise<Client> {
      return read(
        '/v1/clients/email',
        fields({ client_email: clientEmail }, { client_email: text }),
        options,
      );
    },

    /** Returns how a client stands: balance, what waits, tier and stamp cards. Needs a key with the scope `members`. */
    async getClientStanding(clientCode: number, options?: CallOptions): Promise<ClientStanding> {
      return get(`/v1/clients/${id(clientCode)}/standing`, options);
    },

    /** Returns the client's benefits, newest first: all that can be used, and the newest 1,000 of the others. */
    async listClientBenefits(clientCode: number, options?: CallOptions): Promise<RedeemableBenefit[]> {
      return get(`/v1/clients/${id(clientCode)}/benefits`, options);
    },

    /** Returns a page of the client's benefits that were used or have expired. Without a cursor, it is the first page. */
    async listPastBenefitsOfClient(
      clientCode: number,
      page: { cursor?: string | null } = {},
      options?: CallOptions,
    ): Promise<PastBenefitsPage> {
      const query = queryOf(page, { cursor: orNull(text) });
      return get(`/v1/clients/${id(clientCode)}/benefits/past${query}`, options);
    },

    /** Returns the full catalog, including automatic rewards. */
    listBenefits(options?: CallOptions): Promise<Benefit[]> {
      return get('/v1/benefits/list', options);
    },

    async getBenefit(benefitId: string, options?: CallOptions): Promise<Benefit> {
      return get(`/v1/benefits/${word(benefitId)}`, options);
    },

    /** Looks up a code. `previewRedemptionCodeV2` returns more. */
    async previewRedemptionCode(clientBenefitCode: number | string, options?: CallOptions): Promise<Benefit> {
      return get(`/v1/benefits/preview/${id(clientBenefitCode)}`, options);
    },

    /** Looks up a code at the sale. Changes nothing and can be repeated. */
    async previewRedemptionCodeV2(
      clientBenefitCode: number | string,
      options?: CallOptions,
    ): Promise<BenefitV2> {
      return get(`/v2/benefits/preview/${id(clientBenefitCode)}`, options);
    },

    /**
     * Redeems a code after the sale is closed. With an `externalId`, `undoRedemption` can undo it, if the program allows that.
     * Without one, this cannot be undone.
     */
    async redeemBenefit(clientBenefitCode: number, options: RedeemOptions = {}): Promise<Message> {
      checkKey(options);
      const { externalId, ...others } = options;
      const body = fields(
        {
          client_benefit_code: clientBenefitCode,
          ...(externalId !== undefined && { external_id: externalId }),
        },
        { client_benefit_code: digits, external_id: optional(cartId) },
      );
      return postOnce('/v1/benefits/redeem', body, others);
    },

    /** Holds a code for a cart until it pays. The same cart again extends the hold. A till uses the code all the same. */
    async holdVoucher(
      hold: { client_benefit_code: number; external_id: string; minutes?: number },
      options?: CallOptions,
    ): Promise<Hold> {
      const kinds = { client_benefit_code: digits, external_id: cartId, minutes: optional(number) };
      return read('/v1/benefits/holds', fields(hold, kinds), options);
    },

    /**
     * Lets go of all codes that a cart holds, or of one of them.
     * @throws TypeError if the code is there but undefined: without it all are let go
     */
    async releaseHold(
      cart: { external_id: string; client_benefit_code?: number },
      options: CallOptions = {},
    ): Promise<Message> {
      const kind = { client_benefit_code: optional(digits) };
      const { external_id: cartName, ...query } = fields(cart, { external_id: cartId, ...kind });
      const path = `/v1/benefits/holds/${encodeURIComponent(cartName)}${queryOf(query, kind)}`;
      return (await send({ ...options, method: 'DELETE', path, repeatable: true })).body as Message;
    },

    /**
     * Undoes the use of a code, or of all codes that were redeemed with this id. Needs a key with the scope `undo`. The id and the
     * key of the redemption redeem nothing any more.
     * @throws TypeError if the code is there but undefined: without it all uses are undone
     */
    async undoRedemption(
      redemption: { external_id: string; client_benefit_code?: number },
      options?: CallOptions,
    ): Promise<Message> {
      const kinds = { external_id: cartId, client_benefit_code: optional(digits) };
      const { external_id: externalId, ...body } = fields(redemption, kinds);
      return read(`/v1/benefits/redemptions/${encodeURIComponent(externalId)}/undo`, body, options);
    },

    /**
     * Signs a customer in who is signed in at the shop's own site, and has signed in here by mail before. The access token is good at
     * this commerce for 15 minutes; call again when it ends. Needs a key with the scope `sign_in`.
     */
    async vouchForMember(clientEmail: string, options?: CallOptions): Promise<VouchedSession> {
      return read('/v1/sessions', fields({ client_email: clientEmail }, { client_email: text }), options);
    },
  };

  function send(request: Omit<Parameters<typeof call>[1], 'headers'> & { headers?: Record<string, string> }) {
    return call(connection, { ...request, headers: { ...request.headers, authorization } });
  }

  function orderPath(externalId: string): string {
    return `/v1/orders/${encodeURIComponent(externalId)}`;
  }

  async function get<T>(path: string, options: CallOptions = {}): Promise<T> {
    return (await send({ ...options, method: 'GET', path, repeatable: true })).body as T;
  }

  async function read<T>(path: string, body: object, options: CallOptions = {}): Promise<T> {
    return (await send({ ...options, method: 'POST', path, body, repeatable: true })).body as T;
  }

  async function postOnce<T>(path: string, body: object, options?: KeyedCallOptions): Promise<T> {
    return (await sendWithKey(path, body, options)).body as T;
  }

  async function record(
    path: string,
    body: object,
    options?: KeyedCallOptions,
  ): Promise<RecordedConsumption> {
    const answer = await sendWithKey(path, body, options);
    const { message } = answer.body as Message;
    const numberIn = (name: string) => {
      const value = answer.headers.get(name);
      return value === null ? null : Number(value);
    };
    return {
      message,
      consumption_id: Number(answer.headers.get('x-consumption-id')),
      points_earned: numberIn('x-points-earned'),
      points_waiting: numberIn('x-points-waiting') ?? 0,
      points_balance: numberIn('x-points-balance'),
      replayed: answer.headers.get('idempotency-replayed') === 'true',
    };
  }

  function sendWithKey(path: string, body: object, options?: KeyedCallOptions) {
    return send({ ...onceBy(options), method: 'POST', path, body });
  }
}
