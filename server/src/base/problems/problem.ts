import type { ErrorCode } from './error-codes.ts';

/** The parts that a refusal may have besides its status, code and message. */
interface More {
  readonly headers?: Readonly<Record<string, string>>;
  /** The next step, which the body adds to the message. An import shows only the message. */
  readonly next?: string;
  /** The next step, in ASCII, where the contract fixes the body. */
  readonly hint?: string;
}

/**
 * An HTTP refusal: the request cannot be done. The status and the code say why to programs, and the message tells people
 * what to do next. Slices declare their own above the function that throws them (`class NotEnoughPoints extends Problem`).
 * Any other error is a bug.
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly #next: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ErrorCode, message: string, { headers = {}, hint, next }: More = {}) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.hint = hint ?? null;
    this.#next = next;
    this.headers = headers;
  }

  /** Returns the body of the response. */
  body(): object {
    if (this.#next === undefined) return { message: this.message };
    return { message: `${this.message}${this.message.includes(': ') ? ';' : ':'} ${this.#next}` };
  }
}

/** 401: missing, expired or wrong type of credential. */
export class Unauthorized extends Problem {
  constructor(
    code: 'missing_credential' | 'wrong_credential' | 'refresh_refused' = 'wrong_credential',
    message = 'the credential is not valid any more: sign in again',
  ) {
    super(401, code, message, { headers: { 'www-authenticate': 'Bearer' } });
  }
}

/** 404: does not exist, or belongs to somebody else. Both must look the same. */
export class NotFound extends Problem {
  constructor(message: string, code: ErrorCode = 'not_found', more: More = {}) {
    super(404, code, message, more);
  }
}

/** 404: no route leads here. `suggestion` is a path that might be meant. */
export class NothingHere extends NotFound {
  constructor(suggestion?: string) {
    super(
      `there is nothing at this address: ${suggestion === undefined ? '/docs lists all paths' : `did you mean ${suggestion}?`}`,
    );
  }
}

/** 409: the same call is in progress. It may be retried. */
export class Conflict extends Problem {
  constructor(message: string) {
    super(409, 'in_progress', message);
  }
}

/** 429: too many calls. The caller may retry after `retryAfterSeconds`. */
export class TooManyRequests extends Problem {
  constructor(retryAfterSeconds: number, headers: Readonly<Record<string, string>> = {}) {
    const wait = String(Math.max(1, Math.ceil(retryAfterSeconds)));
    super(429, 'rate_limited', `too many requests: wait ${wait} s and try again`, {
      headers: { ...headers, 'retry-after': wait },
    });
  }
}

/** 503: part of the service is unavailable. The call is fine, had no effect and may be retried. */
export class Unavailable extends Problem {
  constructor(
    message = 'the service is temporarily unavailable: try again in a moment',
    code: 'unavailable' | 'overloaded' = 'unavailable',
  ) {
    super(503, code, message, { headers: { 'retry-after': '1' } });
  }
}

/** 503: there is no room for the call now. It is fine, had no effect and may be retried. */
export class Overloaded extends Unavailable {
  constructor(reason: string) {
    super(`${reason}: try again in a moment`, 'overloaded');
  }
}

/** 503: the database went away while the call was being stored, and nobody knows whether it was. */
export class OutcomeUnknown extends Problem {
  constructor() {
    super(
      503,
      'unknown_outcome',
      'it is not known whether this call was recorded: look it up before you repeat it, or repeat it with the same Idempotency-Key if it had one',
      { headers: { 'retry-after': '5' } },
    );
  }
}
