import type {
  AdjustedPoints,
  AuditPage,
  ErasedMember,
  Found,
  GivenBack,
  MemberHistory,
  MemberList,
  MemberPage,
  MemberSearch,
  MovementKind,
  PurchasePreview,
  RecordedPurchase,
  ReversalPreview,
  Reversed,
  StaffMember,
  StaffProgram,
  StaffRole,
  StaffSession,
  TillDay,
  TillMember,
  TillVoucher,
} from './admin-wire.ts';
import {
  call,
  createApiError,
  newIdempotencyKey,
  parseJson,
  queryOf,
  type Call,
  type CallOptions,
  type Connection,
  type Fetch,
  type KeyedCallOptions,
} from './call.ts';
import { checkAddress, checkApiKey, checkCommerceId, checkReversal } from './check-options.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type { Message } from './wire.ts';

export interface AdminClientOptions {
  /** The address of the service, such as `https://loyalty.example`. A page of the console passes `location.origin`. */
  baseUrl: string;
  /** The commerce of all calls. A browser needs it for every call but those of signing in. */
  commerceId?: number;
  /** A back-office key (`lk_admin_…`), for a program of the shop. Without it, the browser's session cookie counts. */
  key?: string;
  /** Replaces the platform's `fetch`. */
  fetch?: Fetch;
  /** Called when a call was refused because the session has ended. Not called by the calls of signing in. */
  onSignedOut?: () => void;
}

/** An answer, and whether the call had been made before with the same idempotency key. */
export type Once<T> = T & { replayed: boolean };

/** A purchase of a member, or of an address that may have no account: its points then wait. */
export type PurchaseToRecord = ({ member_id: number } | { client_email: string }) & {
  /** Whole currency units. */
  amount: number;
  register_id?: number | null;
  branch_id?: number | null;
};

export type AdminClient = ReturnType<typeof createAdminClient>;

/**
 * Creates a client for the back office of one commerce, for the console and for programs of the shop. Each method is
 * named after an operation of `/admin/v1`. Methods that take an `idempotencyKey` take effect only once, even after
 * retries. All other writes are sent once.
 * @throws TypeError if an option is missing or wrong, or if there is a key in a web page
 */
export function createAdminClient(options: AdminClientOptions) {
  const { onSignedOut, fetch = globalThis.fetch } = options;
  const connection: Connection = {
    baseUrl: checkAddress(options.baseUrl),
    fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }),
  };
  const headers: Record<string, string> = {
    ...(options.commerceId !== undefined && { 'x-commerce-id': String(checkCommerceId(options.commerceId)) }),
    ...(options.key !== undefined && { authorization: `Bearer ${checkApiKey(options.key)}` }),
  };

  return {
    /** Sends a sign-in code by e-mail. The answer is the same for every address. */
    requestStaffCode: (email: string, callOptions?: CallOptions) =>
      signIn<Message>('/auth/otp/request', { email }, callOptions),

    /** Signs in with the code. The browser keeps the session in a cookie that pages cannot read. */
    verifyStaffCode: (email: string, otp: string, callOptions?: CallOptions) =>
      signIn<StaffSession>('/auth/otp/verify', { email, otp }, callOptions),

    /** Signs in with the token of the link in the e-mail. */
    verifyStaffLink: (token: string, callOptions?: CallOptions) =>
      signIn<StaffSession>('/auth/link/verify', { token }, callOptions),

    /** Returns who is signed in and at which commerces. Rejects with status 401 if nobody is. */
    getStaffSession: async (callOptions: CallOptions = {}) =>
      (await send({ ...callOptions, method: 'GET', path: '/session', repeatable: true }))
        .body as StaffSession,

    /** Ends this session or, with `everywhere`, all sessions of the person. */
    logOutStaff: (where: { everywhere?: boolean } = {}, callOptions?: CallOptions) =>
      signIn<Message>('/auth/logout', where, callOptions),

    /** Sends a code to the person who is signed in, for acts that ask for a fresh one. */
    requestStepUpCode: (callOptions?: CallOptions) => post<Message>('/auth/step-up/request', {}, callOptions),

    /** Proves with that code that it is still the same person. The session gets a new cookie. */
    verifyStepUpCode: (otp: string, callOptions?: CallOptions) =>
      post<StaffSession>('/auth/step-up/verify', { otp }, callOptions),

    /** Returns the program as it is now. */
    getProgram: (callOptions?: CallOptions) => get<StaffProgram>('/program', callOptions),

    /** Returns what a text stands for that was typed or scanned: a member, a voucher, a purchase or a new address. */
    find: (text: string, callOptions?: CallOptions) => read<Found>('/find', { text }, callOptions),

    /** Returns a member as the till shows one. */
    getTillMember: (memberId: number, callOptions?: CallOptions) =>
      get<TillMember>(`/till/members/${memberId}`, callOptions),

    /** Returns the points that a purchase would earn. Records nothing. */
    previewPurchase: (
      purchase: ({ member_id: number } | { client_email: string }) & { amount: number },
      callOptions?: CallOptions,
    ) => read<PurchasePreview>('/till/preview', purchase, callOptions),

    /** Records a purchase and gives the member the points. */
    recordPurchase: (purchase: PurchaseToRecord, callOptions?: KeyedCallOptions) =>
      postOnce<RecordedPurchase>('/purchases', purchase, callOptions),

    /** Returns what a register did today, newest first. Without a register, what devices without one did. */
    listTillDay: (
      page: { register_id?: number | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) => get<TillDay>(`/till/day${queryOf(page)}`, callOptions),

    /** Returns a code with its benefit and its state. */
    getVoucher: (code: number | string, callOptions?: CallOptions) =>
      get<TillVoucher>(`/vouchers/${encodeURIComponent(code)}`, callOptions),

    /** Redeems a code. This cannot be undone. */
    redeemVoucher: (
      code: number | string,
      at: { register_id?: number | null } = {},
      callOptions?: KeyedCallOptions,
    ) => postOnce<TillVoucher>(`/vouchers/${encodeURIComponent(code)}/redemption`, at, callOptions),

    /** Returns what taking back a purchase, or `amount` of it, would do. */
    previewReversal: (consumptionId: number, reversal: { amount?: number } = {}, callOptions?: CallOptions) =>
      read<ReversalPreview>(`/purchases/${consumptionId}/reversal/preview`, reversal, callOptions),

    /**
     * Takes back a purchase, or `amount` of it.
     * @throws TypeError if `amount` is there but undefined, because without it the whole purchase is taken back
     */
    reversePurchase: async (
      consumptionId: number,
      reversal: { amount?: number; reason?: string; register_id?: number | null } = {},
      callOptions?: KeyedCallOptions,
    ) => {
      checkReversal(reversal);
      return postOnce<Reversed>(`/purchases/${consumptionId}/reversal`, reversal, callOptions);
    },

    /** Returns a page of the members that meet all conditions. */
    searchMembers: (search: MemberSearch = {}, callOptions?: CallOptions) =>
      read<MemberList>('/members/search', search, callOptions),

    /** Returns all members that meet the conditions, as CSV that is safe to open in a spreadsheet. */
    exportMembers: (
      search: Omit<MemberSearch, 'cursor' | 'limit'> = {},
      callOptions?: { signal?: AbortSignal },
    ) => download('/members/export', search, callOptions),

    /** Returns a member's page. */
    getMember: (memberId: number, callOptions?: CallOptions) =>
      get<MemberPage>(`/members/${memberId}`, callOptions),

    /** Returns a page of a member's history, newest first, each line with its arithmetic. */
    listMemberHistory: (
      memberId: number,
      page: { kind?: MovementKind | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) => get<MemberHistory>(`/members/${memberId}/history${queryOf(page)}`, callOptions),

    /** Returns the codes of a member, newest first: all that can be used, and the newest of the others. */
    listMemberVouchers: (memberId: number, callOptions?: CallOptions) =>
      get<TillVoucher[]>(`/members/${memberId}/benefits`, callOptions),

    /** Returns everything that is stored about a person. */
    exportMemberData: (memberId: number, callOptions?: CallOptions) =>
      get<Record<string, unknown>>(`/members/${memberId}/data`, callOptions),

    /** Gives points, or takes them if `points` is negative. The member reads the reason. */
    adjustPoints: (
      memberId: number,
      adjustment: {
        points: number;
        reason: string;
        /** The last day of the points. Without it, the program decides. */
        expires_on?: string | null;
      },
      callOptions?: KeyedCallOptions,
    ) => postOnce<AdjustedPoints>(`/members/${memberId}/adjustments`, adjustment, callOptions),

    /** Blocks a member: purchases and exchanges are refused. */
    blockMember: (memberId: number, block: { reason: string }, callOptions?: CallOptions) =>
      post<MemberPage>(`/members/${memberId}/block`, block, callOptions),

    /** Lifts the block of a member. */
    unblockMember: (memberId: number, unblock: { reason?: string } = {}, callOptions?: CallOptions) =>
      post<MemberPage>(`/members/${memberId}/unblock`, unblock, callOptions),

    /** Pins a member to a tier, or to none: purchases and time no longer change it. */
    pinLevel: (
      memberId: number,
      pin: { level_id: string | null; reason: string },
      callOptions?: CallOptions,
    ) => write<MemberPage>('PUT', `/members/${memberId}/level`, pin, callOptions),

    /** Lets the tier of a member move again. */
    unpinLevel: (memberId: number, callOptions?: CallOptions) =>
      write<MemberPage>('DELETE', `/members/${memberId}/level`, undefined, callOptions),

    /** Changes the fields that are sent. Null clears a field. */
    editProfile: (
      memberId: number,
      profile: { username?: string | null; phone?: string | null; birth_date?: string | null },
      callOptions?: CallOptions,
    ) => write<MemberPage>('PATCH', `/members/${memberId}/profile`, profile, callOptions),

    /** Sends the invitation again to a person whose points wait. */
    resendInvitation: (memberId: number, callOptions?: CallOptions) =>
      post<Message>(`/members/${memberId}/invitation`, {}, callOptions),

    /** Erases a person. The books stay. `confirm` is the member's code or, without a code, the e-mail address. */
    eraseMember: (
      memberId: number,
      erasure: { confirm: string; reason: string },
      callOptions?: CallOptions,
    ) => post<ErasedMember>(`/members/${memberId}/erasure`, erasure, callOptions),

    /** Gives the member the points back that an unused code had cost. */
    giveBackVoucher: (code: number | string, giveBack: { reason: string }, callOptions?: CallOptions) =>
      post<GivenBack>(`/vouchers/${encodeURIComponent(code)}/return`, giveBack, callOptions),

    /** Returns a page of what people and keys of the back office did, newest first. */
    listAudit: (
      page: { member_id?: number | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) => get<AuditPage>(`/audit${queryOf(page)}`, callOptions),

    /** Returns the people of the shop. */
    listStaff: (callOptions?: CallOptions) => get<StaffMember[]>('/staff', callOptions),

    /** Gives a person a role and sends them an e-mail. */
    inviteStaff: (person: { email: string; name?: string; role: StaffRole }, callOptions?: CallOptions) =>
      post<StaffMember>('/staff', person, callOptions),

    /** Changes a person's role. It counts from their next call on. */
    changeStaffRole: (staffId: number, change: { role: StaffRole }, callOptions?: CallOptions) =>
      write<StaffMember>('PATCH', `/staff/${staffId}`, change, callOptions),

    /** Removes a person from the commerce. Their next call there is refused. */
    removeStaff: (staffId: number, callOptions?: CallOptions) =>
      write<Message>('DELETE', `/staff/${staffId}`, undefined, callOptions),

    /** Ends all sessions of a person. */
    signOutStaff: (staffId: number, callOptions?: CallOptions) =>
      post<Message>(`/staff/${staffId}/sign-out`, {}, callOptions),
  };

  function send(request: Call) {
    return call(connection, {
      ...request,
      path: `/admin/v1${request.path}`,
      headers: { ...headers, ...request.headers },
    });
  }

  /** A call of signing in: its 401 says nothing about a session that has ended. */
  async function signIn<T>(path: string, body: object, callOptions: CallOptions = {}): Promise<T> {
    return (await send({ ...callOptions, method: 'POST', path, body, repeatable: false })).body as T;
  }

  async function sendSignedIn(request: Call) {
    try {
      return await send(request);
    } catch (error) {
      throw noticeSignOut(error);
    }
  }

  function noticeSignOut(error: unknown): unknown {
    if (error instanceof ApiError && error.status === 401) onSignedOut?.();
    return error;
  }

  async function get<T>(path: string, callOptions: CallOptions = {}): Promise<T> {
    return (await sendSignedIn({ ...callOptions, method: 'GET', path, repeatable: true })).body as T;
  }

  /** A read whose conditions must not stand in an address. */
  async function read<T>(path: string, body: object, callOptions: CallOptions = {}): Promise<T> {
    return (await sendSignedIn({ ...callOptions, method: 'POST', path, body, repeatable: true })).body as T;
  }

  function post<T>(path: string, body: object, callOptions?: CallOptions): Promise<T> {
    return write('POST', path, body, callOptions);
  }

  async function write<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body: object | undefined,
    callOptions: CallOptions = {},
  ): Promise<T> {
    return (await sendSignedIn({ ...callOptions, method, path, body, repeatable: false })).body as T;
  }

  async function postOnce<T>(
    path: string,
    body: object,
    callOptions: KeyedCallOptions = {},
  ): Promise<Once<T>> {
    const { idempotencyKey = newIdempotencyKey(), ...rest } = callOptions;
    const answer = await sendSignedIn({
      ...rest,
      method: 'POST',
      path,
      body,
      headers: { 'idempotency-key': idempotencyKey },
      repeatable: true,
    });
    const replayed = answer.headers.get('idempotency-replayed') === 'true';
    return { ...(answer.body as T), replayed };
  }

  /** Returns a file. It may take as long as it takes, and is not repeated. */
  async function download(
    path: string,
    body: object,
    { signal = new AbortController().signal }: { signal?: AbortSignal } = {},
  ): Promise<Blob> {
    const request: Call = { method: 'POST', path: `/admin/v1${path}`, repeatable: false };
    try {
      const response = await connection.fetch(connection.baseUrl + request.path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal,
      });
      if (!response.ok) throw createApiError(request, response, parseJson(await response.text()));
      return await response.blob();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof ApiError ? noticeSignOut(error) : new ConnectionError(error, request);
    }
  }
}
