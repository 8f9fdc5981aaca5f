/**
 * An HTTP refusal: the request cannot be done, and the status says why. Slices declare their own above the function
 * that throws them (`class NotEnoughPoints extends Problem`). Any other error is a bug.
 */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.headers = headers;
  }

  /** Returns the body of the response. */
  body(): object {
    return { message: this.message };
  }
}

/** 401: missing, expired or wrong type of credential. */
export class Unauthorized extends Problem {
  constructor(message = 'a valid credential is required') {
    super(401, message, { 'www-authenticate': 'Bearer' });
  }
}

/** 404: does not exist, or belongs to somebody else. Both must look the same. */
export class NotFound extends Problem {
  constructor(message: string) {
    super(404, message);
  }
}

/** 409: the same call is in progress. It may be retried. */
export class Conflict extends Problem {
  constructor(message: string) {
    super(409, message);
  }
}

/** 429: too many calls. The caller may retry after `retryAfterSeconds`. */
export class TooManyRequests extends Problem {
  constructor(retryAfterSeconds: number, headers: Readonly<Record<string, string>> = {}) {
    super(429, 'too many requests', {
      ...headers,
      'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    });
  }
}

/** 503: part of the service is unavailable. The call is fine and may be retried. */
export class Unavailable extends Problem {
  constructor(message = 'the service is temporarily unavailable') {
    super(503, message, { 'retry-after': '1' });
  }
}

/** 503: the database went away while the call was being stored, and nobody knows whether it was. */
export class OutcomeUnknown extends Problem {
  constructor() {
    super(
      503,
      'it is not known whether this call was recorded: look it up before you repeat it, or repeat it with the same Idempotency-Key if it had one',
      { 'retry-after': '5' },
    );
  }
}
