import { changes, fields, number, objects, optional, orNull, queryOf, text, yesOrNo } from './arguments.ts';
import {
  call,
  onceBy,
  type Call,
  type CallOptions,
  type Fetch,
  type Connection,
  type KeyedCallOptions,
} from './call.ts';
import { checkAddress, checkCommerceId } from './check-options.ts';
import { ApiError } from './errors.ts';
import { notSignedIn, openSession } from './session.ts';
import { memoryTokens, type TokenStorage } from './tokens.ts';
import type {
  ActivityPage,
  HistoryPage,
  AutomaticReward,
  Benefit,
  CardWallets,
  Commerce,
  ConsumptionPreview,
  ExpiringPoints,
  PendingPoints,
  StampCard,
  JoinResult,
  Level,
  Message,
  MyAccount,
  MyCard,
  MyMails,
  MyHold,
  MyProfile,
  PastBenefitsPage,
  PublicEarning,
  PublicProgram,
  PurchaseLine,
  RedeemableBenefit,
  Session,
} from './wire.ts';

export interface MemberClientOptions {
  /** The address of the service, such as `https://loyalty.example`. */
  baseUrl: string;
  /** The commerce of all calls. */
  commerceId: number;
  /** Stores the session: `webTokens('…')` in a browser. By default, the session ends with the program. */
  tokens?: TokenStorage;
  /** Called when the session has ended and the member must sign in again. */
  onSignedOut?: () => void;
  /** Called with the commerce's time of each response to the member. Judge due dates by it: this machine may be wrong. */
  onCommerceTime?: (now: Date) => void;
  /** Replaces the platform's `fetch`. */
  fetch?: Fetch;
}

const CURSOR = { cursor: orNull(text) };

export type MemberClient = ReturnType<typeof createMemberClient>;

/**
 * Creates a client for a member's browser at one commerce. Each method is named after an operation of the API. The
 * session is renewed automatically. If the member is not signed in, calls are refused with status 401.
 * @throws TypeError if an option is missing or wrong
 */
export function createMemberClient(options: MemberClientOptions) {
  const { tokens = memoryTokens(), onSignedOut, onCommerceTime, fetch = globalThis.fetch } = options;
  const commerceId = checkCommerceId(options.commerceId);
  const connection: Connection = {
    baseUrl: checkAddress(options.baseUrl),
    fetch: (...sent) => fetch(...sent),
  };
  const atCommerce = { 'x-commerce-id': String(commerceId) };
  const session = openSession({ connection, commerceId, tokens, onSignedOut });

  return {
    /** Returns the shop's name and branding. Needs no session. */
    getCommerce: (options?: CallOptions) => getPublic<Commerce>('/v1/public/commerce', options),

    /** Returns the benefits that are currently for sale. Needs no session. */
    listPublicBenefits: (options?: CallOptions) => getPublic<Benefit[]>('/v1/public/benefits', options),

    /** Returns the rules of the program: earning, expiry, tiers and rewards. Needs no session. */
    getProgram: (options?: CallOptions) => getPublic<PublicProgram>('/v1/public/program', options),

    /** Returns what earns more now and in the next seven days. Needs no session. */
    getEarningRules: (options?: CallOptions) => getPublic<PublicEarning>('/v1/public/earning', options),

    /** Returns what a purchase of this amount would earn now, for product and cart pages. Needs no session. */
    previewEarning: async (
      asked: { amount: number; lines?: PurchaseLine[] | null; level?: string | null },
      options?: CallOptions,
    ) =>
      postPublic<ConsumptionPreview>(
        '/v1/public/earning-preview',
        fields(asked, { amount: number, lines: orNull(objects), level: orNull(text) }),
        options,
      ),

    /** Sends a six-digit code by e-mail. The response is the same for every address. */
    requestOneTimeCode: async (email: string, options?: CallOptions) =>
      postPublic<Message>('/v1/auth/otp/request', fields({ email }, { email: text }), options),

    /** Signs in with the code. Creates the account if there is none and joins the program. */
    async verifyOneTimeCode(email: string, otp: string, options?: CallOptions): Promise<Session> {
      const proof = fields({ email, otp }, { email: text, otp: text });
      const opened = await postPublic<Session>('/v1/auth/otp/verify', proof, options);
      await session.start(opened);
      return opened;
    },

    /**
     * Signs in with the link from the same e-mail. The token is the part after `#link=`. Call this only when the person
     * presses a button: mail scanners open links too, and would use it up.
     */
    async verifySignInLink(token: string, options?: CallOptions): Promise<Session> {
      const proof = fields({ token }, { token: text });
      const opened = await postPublic<Session>('/v1/auth/link/verify', proof, options);
      await session.start(opened);
      return opened;
    },

    /** Renews the session now. Other calls renew it when needed, so this is rarely useful. */
    async refreshSession(): Promise<void> {
      const kept = await tokens.get();
      if (kept === null) throw notSignedIn();
      await session.renew(kept);
    },

    /** Deletes the stored session, then ends it at the service. */
    async logOut(options?: CallOptions): Promise<void> {
      const kept = await tokens.get();
      if (kept === null) return;
      await tokens.set(null);
      await postPublic<Message>('/v1/auth/logout', { refresh: kept.refresh }, options);
    },

    /** Returns true if there is a stored session, although the service may already have ended it. */
    async isSignedIn(): Promise<boolean> {
      return (await tokens.get()) !== null;
    },

    /** Returns the member's account at this commerce, with the balance and its next expiry. */
    getMyAccount: (options?: CallOptions) => get<MyAccount>('/v1/me', options),

    /** Changes the given fields. Null clears a field. */
    editMyAccount: async (
      profile: {
        username?: string | null;
        /** E.164, such as `+34600111222`. */
        phone?: string | null;
        /** `YYYY-MM-DD` */
        birth_date?: string | null;
      },
      options?: CallOptions,
    ) => {
      const body = changes(profile, {
        username: orNull(text),
        phone: orNull(text),
        birth_date: orNull(text),
      });
      return send<MyAccount>({ ...options, method: 'PATCH', path: '/v1/me', body, repeatable: true });
    },

    /** Returns the code that the till scans, or null if the member has never joined the program. */
    getMyCard: (options?: CallOptions) => getOrNull<MyCard>('/v1/me/card', options),

    /**
     * Returns the addresses that add the card to a wallet, for the member's phone. Open them within five minutes: ask again
     * when the member presses the button.
     */
    listMyWallets: (options?: CallOptions) => get<CardWallets>('/v1/me/card/wallets', options),

    /** Returns the fields that `editMyAccount` changes. */
    getMyProfile: (options?: CallOptions) => get<MyProfile>('/v1/me/profile', options),

    /** Returns which mails the member gets from this shop. */
    getMyMails: (options?: CallOptions) => get<MyMails>('/v1/me/mails', options),

    /** Chooses which mails the member gets. Changes only those that are given. */
    chooseMyMails: async (mails: Partial<MyMails>, options?: CallOptions) => {
      const choice = optional(yesOrNo);
      const body = changes(mails, {
        invitation: choice,
        expiring: choice,
        birthday: choice,
        level: choice,
        reward: choice,
      });
      return send<MyMails>({ ...options, method: 'PATCH', path: '/v1/me/mails', body, repeatable: true });
    },

    /**
     * Returns everything that is stored about the member at this shop, to hand it over as a file. A long history takes
     * minutes, because it counts towards the limit of calls by its size.
     */
    getMyData: (options?: CallOptions) =>
      get<Record<string, unknown>>('/v1/me/data', { timeoutMs: 300_000, ...options }),

    /** Returns the expiry dates with their points, soonest first. */
    listMyExpirations: (options?: CallOptions) => get<ExpiringPoints[]>('/v1/me/points/expirations', options),

    /** Returns the points that wait, by the day from which on they can be spent. Those that wait for the shop come last. */
    listMyPending: (options?: CallOptions) => get<PendingPoints[]>('/v1/me/points/pending', options),
    listMyStamps: (options?: CallOptions) => get<StampCard[]>('/v1/me/stamps', options),

    /** Returns the benefits that are currently for sale, even those that the member cannot pay for yet. */
    listAvailableBenefits: (options?: CallOptions) => get<Benefit[]>('/v1/me/benefits/available', options),

    /**
     * Buys a benefit with points. Retries never buy it twice.
     * @throws ApiError 400 if the benefit does not exist or is not valid, or if the member has too few points
     */
    async exchangeBenefit(benefitId: string, options?: KeyedCallOptions): Promise<RedeemableBenefit> {
      return send<RedeemableBenefit>({
        ...onceBy(options),
        method: 'POST',
        path: '/v1/me/benefits/exchange',
        body: fields({ benefit_id: benefitId }, { benefit_id: text }),
      });
    },

    /** Returns the member's benefits, newest first: all that can be used, and the newest 1,000 of the others. */
    listMyBenefits: (options?: CallOptions) => get<RedeemableBenefit[]>('/v1/me/benefits', options),

    /** Returns the member's codes that a cart of the online shop holds now. */
    listMyHolds: (options?: CallOptions) => get<MyHold[]>('/v1/me/benefits/holds', options),

    /** Returns a page of the member's benefits that were used or have expired. Without a cursor, it is the first page. */
    listMyPastBenefits: async (page: { cursor?: string | null } = {}, options?: CallOptions) =>
      get<PastBenefitsPage>(`/v1/me/benefits/past${queryOf(page, CURSOR)}`, options),

    /** Returns a page of the member's history, newest first. Without a cursor, it is the first page. */
    listMyActivity: async (page: { cursor?: string | null } = {}, options?: CallOptions) =>
      get<ActivityPage>(`/v1/me/activity${queryOf(page, CURSOR)}`, options),

    /** Returns the same page, with what increased the points of each purchase. Accepts the cursors of the other. */
    listMyHistory: async (page: { cursor?: string | null } = {}, options?: CallOptions) =>
      get<HistoryPage>(`/v1/me/history${queryOf(page, CURSOR)}`, options),

    /** Returns the member's tier, or null if the member has none yet or the commerce has no tiers. */
    getMyLevel: (options?: CallOptions) => getOrNull<Level>('/v1/me/level', options),

    /** Returns the automatic rewards of the program. */
    listAutomaticRewards: (options?: CallOptions) => get<AutomaticReward[]>('/v1/me/rewards', options),

    /** Joins the program, or joins it again after leaving. The welcome reward is given only once. */
    joinProgram: (options?: CallOptions) =>
      send<JoinResult>({ ...options, method: 'POST', path: '/v1/me/subscription', repeatable: false }),

    /** Leaves the program. Points and codes are kept. */
    leaveProgram: (options?: CallOptions) =>
      send<Message>({ ...options, method: 'DELETE', path: '/v1/me/subscription', repeatable: true }),
  };

  async function getPublic<T>(path: string, options?: CallOptions): Promise<T> {
    const answer = await call(connection, {
      ...options,
      method: 'GET',
      path,
      headers: atCommerce,
      repeatable: true,
    });
    return answer.body as T;
  }

  async function postPublic<T>(path: string, body: object, options?: CallOptions): Promise<T> {
    const answer = await call(connection, {
      ...options,
      method: 'POST',
      path,
      headers: atCommerce,
      body,
      repeatable: false,
    });
    return answer.body as T;
  }

  function get<T>(path: string, options?: CallOptions): Promise<T> {
    return send<T>({ ...options, method: 'GET', path, repeatable: true });
  }

  async function getOrNull<T>(path: string, options?: CallOptions): Promise<T | null> {
    try {
      return await get<T>(path, options);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    }
  }

  async function send<T>(request: Call): Promise<T> {
    const headers = { ...request.headers, ...atCommerce };
    const answer = await session.call({ ...request, headers });
    const time = answer.headers.get('x-commerce-time');
    if (time !== null) onCommerceTime?.(new Date(time));
    return answer.body as T;
  }
}
