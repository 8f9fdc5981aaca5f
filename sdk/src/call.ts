import { checkKey } from './arguments.ts';
import { ApiError, ConnectionError, type ValidationProblem } from './errors.ts';
import type { OrderConflict } from './wire.ts';

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The time limit of each attempt in milliseconds, 10,000 by default. */
  timeoutMs?: number;
  /** How often a repeatable call is tried at most, 4 by default. With 1, the first failure is reported at once. */
  attempts?: number;
}

/** The options of a call that takes effect only once, even if it is sent several times. */
export interface KeyedCallOptions extends CallOptions {
  /** The call's own key. Store it to be able to repeat the call later. By default, each call gets a new key. */
  idempotencyKey?: string;
}

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal: AbortSignal;
    credentials?: 'same-origin';
  },
) => Promise<Response>;

/** How a client reaches the service. */
export interface Connection {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** True if sending the call twice has the same effect as sending it once. */
  readonly repeatable: boolean;
}

export interface Answer {
  readonly body: unknown;
  readonly headers: Headers;
}

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;
/** If the service asks for a longer pause, the call fails and the caller decides. */
const MAX_PAUSE_MS = 10_000;
const TEMPORARY = new Set([409, 429, 502, 503, 504]);
/** The codes of a 409 that says that the same call is still running. The first services sent none. */
const RUNNING: readonly (string | null)[] = ['in_progress', null];

/**
 * Makes a call. If it is repeatable, retries it after temporary failures: at most four attempts, with random and
 * growing pauses or those that the service asks for.
 * @throws ApiError if the service refuses the call, ConnectionError if there is no response
 */
export async function call(connection: Connection, request: Call): Promise<Answer> {
  const { attempts: most = MAX_ATTEMPTS } = request;
  for (let attempts = 1; ; attempts++) {
    try {
      return await tryOnce(connection, request);
    } catch (error) {
      const pause = request.repeatable && attempts < most ? pauseBeforeRetry(error, attempts) : null;
      if (pause === null || pause > MAX_PAUSE_MS) throw error;
      await sleep(pause, request.signal);
    }
  }
}

/** Returns a unique key, even on an insecure page, where browsers have no `randomUUID`. */
export function newIdempotencyKey(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Returns the options that make a call take effect once, however often it is sent. @throws TypeError if there is a key that is none */
export function onceBy(options: KeyedCallOptions = {}) {
  checkKey(options);
  const { idempotencyKey = newIdempotencyKey(), ...rest } = options;
  return { ...rest, headers: { 'idempotency-key': idempotencyKey }, repeatable: true };
}

async function tryOnce({ baseUrl, fetch }: Connection, request: Call): Promise<Answer> {
  const { signal, timeoutMs = 10_000 } = request;
  signal?.throwIfAborted();
  // By hand, because phones that are still in use have no `AbortSignal.any`.
  const ours = new AbortController();
  const abort = () => ours.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  const timer = setTimeout(() => ours.abort(new DOMException('timed out', 'TimeoutError')), timeoutMs);
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
      signal: ours.signal,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw unanswered(baseUrl, error, request);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
  if (!response.ok) throw refusalOf(baseUrl, request, response, text);
  const body = parseJson(text);
  if (body === undefined) throw answeredByAnother(baseUrl, request);
  return { body, headers: response.headers };
}

/** For example a shop's own web server, or the sign-in page of a public network, which answers every request with 200. */
export function answeredByAnother(baseUrl: string, request: Call): ConnectionError {
  const message = `${baseUrl} answered, but not with JSON of this service: check baseUrl`;
  return new ConnectionError(new Error('the response is not of this service'), request, message);
}

/** Says which address did not answer, and why: `connect ECONNREFUSED 127.0.0.1:3000`. */
export function unanswered(baseUrl: string, error: unknown, request: Call): ConnectionError {
  return new ConnectionError(error, request, `${baseUrl} did not answer: ${reasonOf(error)}`);
}

/** Returns the reason inside an error that `fetch` of Node reports; with several addresses it is one level deeper. */
function reasonOf(error: unknown): string {
  const { cause, errors, message, code } = (error ?? {}) as {
    cause?: unknown;
    errors?: unknown[];
    message?: string;
    code?: string;
  };
  const inner = cause ?? errors?.[0];
  return inner === undefined ? message || code || String(error) : reasonOf(inner);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the error of an answer that is no success. */
export function refusalOf(
  baseUrl: string,
  request: Call,
  response: Response,
  text: string,
): ApiError | ConnectionError {
  const code = response.headers.get('x-error-code');
  const hint = response.headers.get('x-error-hint');
  // Every refusal of the service has a code. A 404 without one says nothing about a member or a benefit. A proxy may
  // answer with a page of its own, but for a 404 it has no reason.
  if (response.status === 404 && code === null) return answeredByAnother(baseUrl, request);
  const { method, path } = request;
  const { message, detail, order } = (parseJson(text) ?? {}) as Partial<OrderConflict> & { detail?: unknown };
  // A proxy may say anything.
  const problems = Array.isArray(detail) ? (detail as ValidationProblem[]) : [];
  const description =
    message ||
    problems.map(({ loc, msg }) => `${loc?.join('.')}: ${msg}`).join('; ') ||
    response.statusText ||
    `status ${response.status}`;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(
    response.status,
    hint === null ? description : `${description.replace(/\.$/, '')}. ${hint}`,
    problems,
    Number.isFinite(seconds) ? seconds : null,
    {
      method,
      path,
      requestId: response.headers.get('x-request-id'),
      code,
      hint,
      // Only the service knows codes, so this body is its own.
      order: code === 'order_conflict' ? (order ?? null) : null,
    },
  );
}

/** Returns the pause before the next attempt in milliseconds, or null if another attempt is pointless. */
function pauseBeforeRetry(error: unknown, attempts: number): number | null {
  const random = Math.random() * FIRST_PAUSE_MS * 2 ** attempts;
  if (error instanceof ConnectionError) return random;
  if (!(error instanceof ApiError) || !TEMPORARY.has(error.status)) return null;
  if (error.status === 409 && !RUNNING.includes(error.code)) return null;
  return error.retryAfterSeconds === null ? random : error.retryAfterSeconds * 1000 + random;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
