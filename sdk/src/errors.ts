/** One error in an invalid request. */
export interface ValidationProblem {
  /** `body`, `query`, `header` or `path`, followed by the path to the field. */
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The service refused the call. Programs should check `status`: `message` is for developers and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The errors in the request if `status` is 422, else empty. */
  readonly detail: ValidationProblem[];
  /** The time after which the call can be tried again, or null if the service does not say. */
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

/** There was no response: no network, no service, or a timeout. The call may still have taken effect. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(cause: unknown) {
    super('the service did not answer', { cause });
  }
}
