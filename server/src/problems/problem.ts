/**
 * An outcome with a name: what the caller did cannot be done, and its status says why. A slice declares its own above
 * the function that throws it (`class NotEnoughPoints extends Problem`); whatever else is thrown is a bug.
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

  /** What the caller reads. */
  body(): object {
    return { message: this.message };
  }
}

/** 401: the credential is missing, expired, or not of the kind that the endpoint takes. */
export class Unauthorized extends Problem {
  constructor(message = 'a valid credential is required') {
    super(401, message, { 'www-authenticate': 'Bearer' });
  }
}

/** 404: what is named does not exist, or not for this caller, which must look the same. */
export class NotFound extends Problem {
  constructor(message: string) {
    super(404, message);
  }
}

/** 409: the same thing is being done at this moment; it may be tried again. */
export class Conflict extends Problem {
  constructor(message: string) {
    super(409, message);
  }
}

/** 429: too many calls; the next one may succeed after `retryAfterSeconds`. */
export class TooManyRequests extends Problem {
  constructor(retryAfterSeconds: number, headers: Readonly<Record<string, string>> = {}) {
    super(429, 'too many requests', {
      ...headers,
      'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    });
  }
}

/** 503: nothing is wrong with the call; a part of the service is away and the call may be repeated. */
export class Unavailable extends Problem {
  constructor(message = 'the service is not available at the moment') {
    super(503, message, { 'retry-after': '1' });
  }
}
