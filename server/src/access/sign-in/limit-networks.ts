import type { FastifyRequest } from 'fastify';
import type { Caps } from '#base/caps.ts';
import type { Database } from '#db/database.ts';
import { clientNetworkOf } from '#http/client-network.ts';
import { createCallCounter } from './count-call.ts';

/** How the sign-in routes limit client networks, for members and for the staff. */
export interface NetworkLimit {
  /** A hook that runs before the body is read. Refuses a network that this process knows to be over its limit. */
  readonly refuseKnownFlood: (request: FastifyRequest, reply: unknown, done: (error?: Error) => void) => void;
  /**
   * Counts the call, and returns its network.
   * @throws TooManyRequests
   */
  readonly countCall: (request: FastifyRequest) => Promise<string>;
}

/** Creates the limit of a process. Without `limitNetworks`, every network may call as often as it likes. */
export function createNetworkLimit(
  database: Database,
  caps: Caps,
  { limitNetworks }: { readonly limitNetworks: boolean },
): NetworkLimit {
  const calls = createCallCounter(database, caps);
  return {
    refuseKnownFlood(request, _reply, done) {
      done(limitNetworks ? calls.refusalOf(clientNetworkOf(request.ip)) : undefined);
    },
    async countCall(request) {
      const network = clientNetworkOf(request.ip);
      if (limitNetworks) await calls.count(network);
      return network;
    },
  };
}

/** Calls of one client network go one after the other. Their address would tell who signs in at the same moment. */
export function networkOf({ ip }: FastifyRequest): string {
  return `network ${clientNetworkOf(ip)}`;
}
