import type { ErrorCode } from './error-codes.ts';
import type { Order } from './wire.ts';

/** One error in an invalid request. */
export interface ValidationProblem {
  /** `body`, `query`, `header` or `path`, followed by the path to the field. */
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The call that failed. */
export interface FailedCall {
  readonly method: string;
  /** With the query, without the address of the service. */
  readonly path: string;
  /** The service's log has the same id. Null if the service did not see the call. */
  readonly requestId?: string | null;
  /** The `X-Error-Code` of the response. */
  readonly code?: string | null;
  /** The `X-Error-Hint` of the response. */
  readonly hint?: string | null;
  /** The `order` of the body. */
  readonly order?: Order | null;
}

/**
 * The service refused the call. Programs should check `status` and `code`: `message` is for developers and may change.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The reason as one word, such as `points_short`, or null if the service does not give one. It is never renamed. */
  readonly code: ErrorCode | (string & {}) | null;
  /** The next step, as a sentence for developers: also the end of `message`. Null if there is no more to say. It may change. */
  readonly hint: string | null;
  readonly method: string | null;
  /** With the query, without the address of the service. */
  readonly path: string | null;
  /** Quote this id when you ask the operator: the service's log has it too. */
  readonly requestId: string | null;
  /** The errors in the request if `status` is 422, else empty. */
  readonly detail: ValidationProblem[];
  /** The time after which the call can be tried again, or null if the service does not say. */
  readonly retryAfterSeconds: number | null;
  /** What stands of the order, if `code` is `order_conflict`. Send the state again with a higher `version` than it has. */
  readonly order: Order | null;

  constructor(
    status: number,
    message: string,
    detail: ValidationProblem[] = [],
    retryAfterSeconds: number | null = null,
    call: FailedCall | null = null,
  ) {
    super(message);
    this.status = status;
    this.code = call?.code ?? null;
    this.hint = call?.hint ?? null;
    this.method = call?.method ?? null;
    this.path = call?.path ?? null;
    this.requestId = call?.requestId ?? null;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
    this.order = call?.order ?? null;
  }
}

/**
 * There was no response of the service: no network, no service, a timeout, or another program at its address. The call may
 * still have taken effect.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly method: string | null;
  readonly path: string | null;

  constructor(cause: unknown, call: FailedCall | null = null, message = 'the service did not answer') {
    super(message, { cause });
    this.method = call?.method ?? null;
    this.path = call?.path ?? null;
  }
}
