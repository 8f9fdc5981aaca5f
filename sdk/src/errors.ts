/** One problem of a request that does not have the promised shape. */
export interface ValidationProblem {
  /** `body`, `query`, `header` or `path`, then the way to the field. */
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The service refused the call. Act on `status`; `message` is for developers and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** What is wrong with the request, where `status` is 422; else empty. */
  readonly detail: ValidationProblem[];
  /** When the call may be tried again, where the service says so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    detail: ValidationProblem[] = [],
    retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.status = status;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No answer came: no network, nobody there, or not within the timeout. What was asked for may have been done. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(cause: unknown) {
    super('the service did not answer', { cause });
  }
}
