import { ApiError, ConnectionError, type ValidationProblem } from './errors.ts';

/** What every call takes. */
export interface CallOptions {
  /** Gives the call up; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Milliseconds that one try may take; 10,000 unless said otherwise. */
  timeoutMs?: number;
}

/** What a call takes that is done once, however often it is sent. */
export interface KeyedCallOptions extends CallOptions {
  /** One value for one intent, kept by who wants to repeat it later; a new one for each call unless given. */
  idempotencyKey?: string;
}

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<Response>;

/** How a client reaches the service. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** Whether sending it twice does no more than sending it once. */
  readonly repeatable: boolean;
}

export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

const TRIES = 4;
const FIRST_PAUSE_MS = 250;
/** Who is asked to wait longer decides for himself. */
const LONGEST_PAUSE_MS = 10_000;
const PASSING = new Set([409, 429, 502, 503, 504]);

/**
 * Makes a call, and again where it may have failed in passing and a repetition does no harm: at most four tries,
 * with growing random pauses, or those that the service asks for.
 * @throws ApiError where the service refuses, ConnectionError where no answer comes
 */
export async function call(connection: Connection, request: Call): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryOnce(connection, request);
    } catch (error) {
      const pause = request.repeatable && tries < TRIES ? pauseAfter(error, tries) : null;
      if (pause === null || pause > LONGEST_PAUSE_MS) throw error;
      await sleep(pause, request.signal);
    }
  }
}

/** A text that nobody else has made, also where the page is not served securely and `randomUUID` is missing. */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

async function tryOnce({ baseUrl, fetch }: Connection, request: Call): Promise<Answer> {
  const { signal, timeoutMs = 10_000 } = request;
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(baseUrl + request.path, {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new ConnectionError(error);
  }
  const body = parsed(text);
  if (!response.ok) throw refusalOf(response, body);
  // A page of some network's own, which answers 200 for everybody.
  if (body === undefined) throw new ConnectionError(new Error('the answer is not JSON'));
  return { body, headers: response.headers };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refusalOf(response: Response, body: unknown): ApiError {
  const { message, detail } = (body ?? {}) as { message?: string; detail?: ValidationProblem[] };
  const said = message ?? detail?.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    said ?? (response.statusText || `status ${response.status}`),
    detail ?? [],
    Number.isFinite(seconds) ? seconds : null,
  );
}

/** Milliseconds until the next try; null where another would end no better. */
function pauseAfter(error: unknown, tries: number): number | null {
  const random = Math.random() * FIRST_PAUSE_MS * 2 ** tries;
  if (error instanceof ConnectionError) return random;
  if (!(error instanceof ApiError) || !PASSING.has(error.status)) return null;
  return error.retryAfterSeconds === null ? random : error.retryAfterSeconds * 1000 + random;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
