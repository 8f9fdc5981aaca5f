/** Functions that the checks of all kinds of credentials share. */
import type { FastifyRequest, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { NotFound, type Problem } from '#problems/problem.ts';

export type MaybePromise<T> = T | Promise<T>;

export type Hook = (
  request: FastifyRequest,
  reply: unknown,
  done: (error?: Error) => void,
) => Promise<undefined> | undefined;

export function prependHook(route: RouteOptions, stage: 'onRequest' | 'preHandler', hook: Hook): void {
  route[stage] = [hook, ...[route[stage] ?? []].flat()];
}

/**
 * Applies the result of a lookup. A value from memory is applied at once, because a promise would cost a turn of the
 * event loop.
 */
export function applyLookup<T>(
  found: MaybePromise<T>,
  done: (error?: Error) => void,
  take: (found: T) => Error | undefined,
): Promise<undefined> | undefined {
  if (!(found instanceof Promise)) {
    done(take(found));
    return undefined;
  }
  return found.then((value) => {
    const refusal = take(value);
    if (refusal) throw refusal;
    return undefined;
  });
}

export function refuseCall(done: (error: Error) => void, problem: Problem): undefined {
  done(problem);
}

/**
 * Returns the bearer token, or null if there is none or `Authorization` was sent twice. Our tokens contain no `=`, so a
 * token that was padded is none of ours.
 */
export function bearerToken(request: FastifyRequest): string | null {
  const { authorization } = request.raw.headers;
  if (authorization === undefined || request.ambiguousCredential) return null;
  return BEARER.exec(authorization)?.[1] ?? null;
}

const BEARER = /^bearer +([\w.~+/-]+) *$/i;

export const COMMERCE_ID_HINT = 'It is the number that "loyalty apply" prints as commerce_id, not the slug.';

export const COMMERCE_ID = Type.Integer({
  format: 'int64',
  description: 'The ID of the commerce.',
  examples: [1],
  'x-hint': COMMERCE_ID_HINT,
  'x-error-codes': { missing: 'missing_commerce_id', wrong: 'not_a_commerce_id' },
});

/** No open commerce has the id in `X-Commerce-Id`. */
export class UnknownCommerce extends NotFound {
  constructor() {
    super('the commerce does not exist', 'unknown_commerce', {
      hint: 'Send the number that "loyalty apply" prints as commerce_id in X-Commerce-Id. "loyalty commerce list" shows it too.',
    });
  }
}
