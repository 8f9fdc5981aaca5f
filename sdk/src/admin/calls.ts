import {
  call,
  onceBy,
  refusalOf,
  unanswered,
  type Call,
  type CallOptions,
  type Connection,
  type Fetch,
  type KeyedCallOptions,
} from '../call.ts';
import { checkAddress, checkApiKey, checkCommerceId } from '../check-options.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { readLines, type StreamOptions } from '../lines.ts';

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
  /** Called when a call was refused. If it resolves to true, the call is made again, with a time limit of its own. */
  onRefused?: (refusal: ApiError) => Promise<boolean>;
}

/** An answer, and whether the call had been made before with the same idempotency key. */
export type Once<T> = T & { replayed: boolean };

export type AdminCalls = ReturnType<typeof createAdminCalls>;

/** The kinds of calls that the methods of the client are made of. Paths begin after `/admin/v1`. */
export function createAdminCalls(options: AdminClientOptions) {
  const { onSignedOut, onRefused, fetch = globalThis.fetch } = options;
  const connection: Connection = {
    baseUrl: checkAddress(options.baseUrl),
    fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin' }),
  };
  const headers: Record<string, string> = {
    ...(options.commerceId !== undefined && { 'x-commerce-id': String(checkCommerceId(options.commerceId)) }),
    ...(options.key !== undefined && { authorization: `Bearer ${checkApiKey(options.key)}` }),
  };

  return {
    /** A call of signing in: its 401 says nothing about a session that has ended. */
    signIn: async <T>(path: string, body: object, callOptions: CallOptions = {}): Promise<T> =>
      (await send({ ...callOptions, method: 'POST', path, body, repeatable: false })).body as T,

    /** A GET whose 401 says nothing about a session that has ended. */
    getQuietly: async <T>(path: string, callOptions: CallOptions = {}): Promise<T> =>
      (await send({ ...callOptions, method: 'GET', path, repeatable: true })).body as T,

    get: async <T>(path: string, callOptions: CallOptions = {}): Promise<T> =>
      (await sendSignedIn({ ...callOptions, method: 'GET', path, repeatable: true })).body as T,

    /** A read whose conditions must not stand in an address, or are too long for one. */
    read: async <T>(path: string, body: object, callOptions: CallOptions = {}): Promise<T> =>
      (await sendSignedIn({ ...callOptions, method: 'POST', path, body, repeatable: true })).body as T,

    post: <T>(path: string, body: object, callOptions?: CallOptions): Promise<T> =>
      write<T>('POST', path, body, callOptions),

    write,

    /** A write that takes effect once, however often it is sent. */
    postOnce: async <T>(path: string, body: object, callOptions?: KeyedCallOptions): Promise<Once<T>> => {
      const answer = await sendSignedIn({ ...onceBy(callOptions), method: 'POST', path, body });
      const replayed = answer.headers.get('idempotency-replayed') === 'true';
      return { ...(answer.body as T), replayed };
    },

    /** Returns a file: by a POST if there is a body, else by a GET. It may take as long as it takes, and is not repeated. */
    download: (
      path: string,
      body?: object,
      { signal = new AbortController().signal }: { signal?: AbortSignal } = {},
    ): Promise<Blob> => open(path, body, signal, (response) => response.blob()),

    open,

    stream,
  };

  function send(request: Call) {
    const whole = {
      ...request,
      path: `/admin/v1${request.path}`,
      headers: { ...headers, ...request.headers },
    };
    return untilTaken(() => call(connection, whole));
  }

  /** Makes a call, and again as long as `onRefused` says so. */
  async function untilTaken<T>(make: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await make();
      } catch (error) {
        if (!(await isMadeAgain(error))) throw error;
      }
  }

  async function isMadeAgain(error: unknown): Promise<boolean> {
    return error instanceof ApiError && (await onRefused?.(error)) === true;
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

  async function write<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body: object | undefined,
    callOptions: CallOptions = {},
  ): Promise<T> {
    return (await sendSignedIn({ ...callOptions, method, path, body, repeatable: false })).body as T;
  }

  /** Yields the lines of an answer as they arrive. Leave the loop, or abort, to end the call. */
  async function* stream<T>(path: string, body: object, options?: StreamOptions): AsyncGenerator<T, void> {
    for (;;)
      try {
        return yield* readLines<T>(connection, `/admin/v1${path}`, headers, options, body);
      } catch (error) {
        if (!(await isMadeAgain(error))) throw noticeSignOut(error);
      }
  }

  /** Hands the answer to `use` while it still arrives. It may take as long as it takes, and is not repeated. */
  async function open<T>(
    path: string,
    body: object | undefined,
    signal: AbortSignal,
    use: (response: Response) => Promise<T>,
  ): Promise<T> {
    const method = body === undefined ? 'GET' : 'POST';
    const { baseUrl } = connection;
    const request: Call = { method, path: `/admin/v1${path}`, repeatable: false };
    const make = async () => {
      const response = await connection.fetch(baseUrl + request.path, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
      if (!response.ok) throw refusalOf(baseUrl, request, response, await response.text());
      return use(response);
    };
    try {
      return await untilTaken(make);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof ApiError || error instanceof ConnectionError
        ? noticeSignOut(error)
        : unanswered(baseUrl, error, request);
    }
  }
}
