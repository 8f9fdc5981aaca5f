import type { FastifyRequest } from 'fastify';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { nearestName } from '#program/nearest-name.ts';

const MOST_NAMED = 5;
const LONGEST_NAME = 40;

/**
 * Creates a hook that refuses query parameters which the route does not know. Where a list is cut down by conditions, a
 * misspelled condition would find everything.
 */
export function refuseUnknownConditions(known: readonly string[]) {
  return (
    { query }: FastifyRequest,
    _reply: unknown,
    _payload: unknown,
    done: (error?: Error | null) => void,
  ): void => {
    const unknown = Object.keys(query as object)
      .filter((name) => !known.includes(name))
      .slice(0, MOST_NAMED)
      .map(toShownName);
    const [first] = unknown;
    if (first === undefined) return done();
    const near = nearestName(first, known);
    const meant = near === null ? '.' : `: did you mean "${near}"?`;
    const issues = unknown.map((name) => ({
      loc: ['query', name],
      msg: 'Extra inputs are not permitted',
      type: 'extra_forbidden',
    }));
    const list = `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`;
    const hint = `"${first}" in the query is not a field of this call${meant} Known are ${list}.`;
    done(new InvalidRequest(issues, 'invalid', hint));
  };
}

/** The names come from the caller, so only harmless characters are repeated. */
function toShownName(name: string): string {
  return name.slice(0, LONGEST_NAME).replaceAll(/[^\w.:@$ -]/g, '?');
}
