import {
  call,
  newIdempotencyKey,
  type Call,
  type CallOptions,
  type Fetch,
  type Connection,
  type KeyedCallOptions,
} from './call.ts';
import { ApiError } from './errors.ts';
import { openSession } from './session.ts';
import { memoryTokens, type TokenStorage } from './tokens.ts';
import type {
  ActivityPage,
  AutomaticReward,
  Benefit,
  Commerce,
  ExpiringPoints,
  JoinResult,
  Level,
  Message,
  MyAccount,
  RedeemableBenefit,
  Session,
} from './wire.ts';

export interface MemberClientOptions {
  /** Address of the service, such as `https://loyalty.example`. */
  baseUrl: string;
  /** The commerce that everything is about. */
  commerceId: number;
  /** Where the session is kept: `webTokens('…')` in a browser; else it lives as long as the program. */
  tokens?: TokenStorage;
  /** Called when the session has ended and the member has to sign in again. */
  onSignedOut?: () => void;
  /** Instead of the one that the platform has. */
  fetch?: Fetch;
}

export type MemberClient = ReturnType<typeof createMemberClient>;

/**
 * A client for a member's browser, at one commerce. Each method is an operation of the interface, by its name there.
 * The session is renewed by itself; calls of a member who is not signed in are refused with status 401.
 */
export function createMemberClient(options: MemberClientOptions) {
  const { commerceId, tokens = memoryTokens(), onSignedOut, fetch = globalThis.fetch } = options;
  const connection: Connection = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    fetch: (...sent) => fetch(...sent),
  };
  const atCommerce = { 'x-commerce-id': String(commerceId) };
  const session = openSession({ connection, commerceId, tokens, onSignedOut });

  return {
    /** Who the shop is. Needs no session. */
    getCommerce: (options?: CallOptions) => visit<Commerce>('/v1/public/commerce', options),

    /** What can be bought at the moment. Needs no session. */
    listPublicBenefits: (options?: CallOptions) => visit<Benefit[]>('/v1/public/benefits', options),

    /** Has a code of six digits sent by e-mail; what comes back is the same for every address. */
    requestOneTimeCode: (email: string, options?: CallOptions) =>
      authenticate<Message>('/v1/auth/otp/request', { email }, options),

    /** Signs in with the code; makes the account where there is none, and joins the program. */
    async verifyOneTimeCode(email: string, otp: string, options?: CallOptions): Promise<Session> {
      const opened = await authenticate<Session>('/v1/auth/otp/verify', { email, otp }, options);
      await session.start(opened);
      return opened;
    },

    /** Renews the session now. Calls do so by themselves where it is needed. */
    async refreshSession(): Promise<void> {
      const kept = await tokens.get();
      if (kept === null) throw new ApiError(401, 'nobody is signed in');
      await session.renew(kept);
    },

    /** Forgets the session here, then ends it at the service. */
    async logOut(options?: CallOptions): Promise<void> {
      const kept = await tokens.get();
      if (kept === null) return;
      await tokens.set(null);
      await authenticate<Message>('/v1/auth/logout', { refresh: kept.refresh }, options);
    },

    /** Whether there is a session; the service may have ended it meanwhile. */
    async isSignedIn(): Promise<boolean> {
      return (await tokens.get()) !== null;
    },

    /** My account at this commerce, with the balance and what of it expires next. */
    getMyAccount: (options?: CallOptions) => get<MyAccount>('/v1/me', options),

    /** Changes what is given; null clears a field. */
    editMyAccount: (
      profile: {
        username?: string | null;
        /** E.164, such as `+34600111222`. */
        phone?: string | null;
        /** `YYYY-MM-DD` */
        birth_date?: string | null;
      },
      options?: CallOptions,
    ) => send<MyAccount>({ ...options, method: 'PATCH', path: '/v1/me', body: profile, repeatable: true }),

    /** How many points expire when, soonest first. */
    listMyExpirations: (options?: CallOptions) => get<ExpiringPoints[]>('/v1/me/points/expirations', options),

    /** What can be bought at the moment, whatever the balance. */
    listAvailableBenefits: (options?: CallOptions) => get<Benefit[]>('/v1/me/benefits/available', options),

    /**
     * Buys a benefit with points, once, however often it is tried.
     * @throws ApiError 400 where there is no such benefit, it is not valid, or the points fall short
     */
    exchangeBenefit(benefitId: string, options: KeyedCallOptions = {}): Promise<RedeemableBenefit> {
      const { idempotencyKey = newIdempotencyKey(), ...rest } = options;
      return send<RedeemableBenefit>({
        ...rest,
        method: 'POST',
        path: '/v1/me/benefits/exchange',
        headers: { 'idempotency-key': idempotencyKey },
        body: { benefit_id: benefitId },
        repeatable: true,
      });
    },

    /** The benefits that I have, newest first. */
    listMyBenefits: (options?: CallOptions) => get<RedeemableBenefit[]>('/v1/me/benefits', options),

    /** A page of my history, newest first; the first one unless a cursor of another page is given. */
    listMyActivity: (page: { cursor?: string | null } = {}, options?: CallOptions) =>
      get<ActivityPage>(
        page.cursor ? `/v1/me/activity?cursor=${encodeURIComponent(page.cursor)}` : '/v1/me/activity',
        options,
      ),

    /** My tier; null where I have none yet, or the commerce uses none. */
    async getMyLevel(options?: CallOptions): Promise<Level | null> {
      try {
        return await get<Level>('/v1/me/level', options);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }
    },

    /** The automatic rewards of the program. */
    listAutomaticRewards: (options?: CallOptions) => get<AutomaticReward[]>('/v1/me/rewards', options),

    /** Joins the program, again after leaving; the welcome reward is given once. */
    joinProgram: (options?: CallOptions) =>
      send<JoinResult>({ ...options, method: 'POST', path: '/v1/me/subscription', repeatable: false }),

    /** Leaves the program; points and codes are kept. */
    leaveProgram: (options?: CallOptions) =>
      send<Message>({ ...options, method: 'DELETE', path: '/v1/me/subscription', repeatable: true }),
  };

  async function visit<T>(path: string, options?: CallOptions): Promise<T> {
    const answer = await call(connection, {
      ...options,
      method: 'GET',
      path,
      headers: atCommerce,
      repeatable: true,
    });
    return answer.body as T;
  }

  async function authenticate<T>(path: string, body: object, options?: CallOptions): Promise<T> {
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

  async function send<T>(request: Call): Promise<T> {
    const headers = { ...request.headers, ...atCommerce };
    return (await session.call({ ...request, headers })).body as T;
  }
}
