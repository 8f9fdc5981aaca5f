import {
  call,
  newIdempotencyKey,
  type CallOptions,
  type Fetch,
  type Connection,
  type KeyedCallOptions,
} from './call.ts';
import type {
  Benefit,
  BenefitV2,
  Client,
  ClientPage,
  Consumption,
  ConsumptionPreview,
  ConsumptionReversal,
  Message,
  RecordedConsumption,
  RedeemableBenefit,
} from './wire.ts';

export interface ShopClientOptions {
  /** Address of the service, such as `https://loyalty.example`. */
  baseUrl: string;
  /** The commerce's API key. It stays on the shop's server. */
  apiKey: string;
  /** Instead of the one that the platform has. */
  fetch?: Fetch;
}

export type ShopClient = ReturnType<typeof createShopClient>;

/**
 * A client for the server of a shop. Each method is an operation of the interface, by its name there. Methods that
 * take an `idempotencyKey` are done once, however often they are tried.
 */
export function createShopClient({ baseUrl, apiKey, fetch = globalThis.fetch }: ShopClientOptions) {
  if (typeof document !== 'undefined')
    throw new Error('an API key belongs on the server of the shop, never in a page');
  const connection: Connection = {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    fetch: (...sent) => fetch(...sent),
  };
  const authorization = `Bearer ${apiKey}`;

  return {
    /** Records a purchase of the member of that code: the call that adds points. */
    recordConsumptionByClientCode(
      purchase: {
        client_code: number;
        /** Whole units of the commerce currency. */
        amount: number;
        /** Id of the register. */
        counter_id?: number | null;
        /** Id of the branch. */
        id_suc?: number | null;
      },
      options?: KeyedCallOptions,
    ): Promise<RecordedConsumption> {
      return record('/v1/consumptions/client-code', purchase, options);
    },

    /** Records a purchase by e-mail; where the address has no account, the points wait for the person. */
    recordConsumptionByEmail(
      purchase: { client_email: string; amount: number },
      options?: KeyedCallOptions,
    ): Promise<RecordedConsumption> {
      return record('/v1/consumptions/email', purchase, options);
    },

    /** What a purchase would earn; nothing is recorded. */
    async previewConsumption(
      purchase: { client_code: number; amount: number; counter_id?: number | null; id_suc?: number | null },
      options?: CallOptions,
    ): Promise<ConsumptionPreview> {
      const request = { method: 'POST', path: '/v1/consumptions/preview', body: purchase } as const;
      return (await send({ ...options, ...request, repeatable: true })).body as ConsumptionPreview;
    },

    /** A recorded purchase, how its points came about, and what of it was reversed. */
    getConsumption(consumptionId: number, options?: CallOptions): Promise<Consumption> {
      return get(`/v1/consumptions/${consumptionId}`, options);
    },

    /** Takes a purchase back, or `amount` of it; its points go by the rule of its day. */
    reverseConsumption(
      consumptionId: number,
      reversal: { amount?: number } = {},
      options?: KeyedCallOptions,
    ): Promise<ConsumptionReversal> {
      return once(`/v1/consumptions/${consumptionId}/reversal`, reversal, options);
    },

    /** A page of the clients, in the order of enrolment. */
    listClients(page: { limit?: number; offset?: number } = {}, options?: CallOptions): Promise<ClientPage> {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(page)) query.set(name, String(value));
      return get(`/v1/clients/list${query.size > 0 ? `?${query}` : ''}`, options);
    },

    /** All clients, one after the other, read a hundred at a time. */
    async *allClients(options?: CallOptions): AsyncGenerator<Client, void> {
      const limit = 100;
      for (let offset = 0; ; offset += limit) {
        const page: ClientPage = await get(`/v1/clients/list?limit=${limit}&offset=${offset}`, options);
        yield* page.items;
        if (page.items.length === 0 || offset + limit >= (page.total ?? 0)) return;
      }
    },

    /** The member of that code, with the balance. */
    getClient(clientCode: number, options?: CallOptions): Promise<Client> {
      return get(`/v1/clients/${clientCode}`, options);
    },

    /** The member of that address, with the balance. */
    async getClientByEmail(clientEmail: string, options?: CallOptions): Promise<Client> {
      const request = {
        method: 'POST',
        path: '/v1/clients/email',
        body: { client_email: clientEmail },
      } as const;
      return (await send({ ...options, ...request, repeatable: true })).body as Client;
    },

    /** The benefits that a member has, newest first. */
    listClientBenefits(clientCode: number, options?: CallOptions): Promise<RedeemableBenefit[]> {
      return get(`/v1/clients/${clientCode}/benefits`, options);
    },

    /** The full catalog, automatic rewards included. */
    listBenefits(options?: CallOptions): Promise<Benefit[]> {
      return get('/v1/benefits/list', options);
    },

    getBenefit(benefitId: string, options?: CallOptions): Promise<Benefit> {
      return get(`/v1/benefits/${encodeURIComponent(benefitId)}`, options);
    },

    /** Looks a code up, version 1; `previewRedemptionCodeV2` says more. */
    previewRedemptionCode(clientBenefitCode: number | string, options?: CallOptions): Promise<Benefit> {
      return get(`/v1/benefits/preview/${encodeURIComponent(clientBenefitCode)}`, options);
    },

    /** Looks a code up at the sale: harmless and repeatable. */
    previewRedemptionCodeV2(clientBenefitCode: number | string, options?: CallOptions): Promise<BenefitV2> {
      return get(`/v2/benefits/preview/${encodeURIComponent(clientBenefitCode)}`, options);
    },

    /** Burns a code, once the sale is closed. It cannot be undone. */
    redeemBenefit(clientBenefitCode: number, options?: KeyedCallOptions): Promise<Message> {
      return once('/v1/benefits/redeem', { client_benefit_code: clientBenefitCode }, options);
    },
  };

  function send(request: Omit<Parameters<typeof call>[1], 'headers'> & { headers?: Record<string, string> }) {
    return call(connection, { ...request, headers: { ...request.headers, authorization } });
  }

  async function get<T>(path: string, options: CallOptions = {}): Promise<T> {
    return (await send({ ...options, method: 'GET', path, repeatable: true })).body as T;
  }

  async function once<T>(path: string, body: object, options?: KeyedCallOptions): Promise<T> {
    return (await sendOnce(path, body, options)).body as T;
  }

  async function record(
    path: string,
    body: object,
    options?: KeyedCallOptions,
  ): Promise<RecordedConsumption> {
    const answer = await sendOnce(path, body, options);
    const { message } = answer.body as Message;
    return { message, consumption_id: Number(answer.headers.get('x-consumption-id')) };
  }

  function sendOnce(path: string, body: object, options: KeyedCallOptions = {}) {
    const { idempotencyKey = newIdempotencyKey(), ...rest } = options;
    const headers = { 'idempotency-key': idempotencyKey };
    return send({ ...rest, method: 'POST', path, body, headers, repeatable: true });
  }
}
