import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Unavailable } from '#problems/problem.ts';

declare module 'fastify' {
  interface FastifyInstance {
    end: {
      /** Whether the service has announced that it is about to stop. */
      isAnnounced: boolean;
      /** Whether the listener has closed. Every answer then closes its connection. */
      isListenerClosed: boolean;
    };
  }
}

/** Calls that run when the connections close get this long. Only calls of routes that may take long (`takesLong`) take more. */
const DEADLINE_MS = 10_000;
/**
 * How long connections without a call stay open after the listener has closed. A proxy answers 502 if a connection
 * closes just as it sends a call. Without a listener, it can only use up the connections that it has.
 */
const LINGER_MS = 1_000;
/** The same while other processes take the new connections: nobody waits for the end of this one. */
const LEAVING_LINGER_MS = 2_000;
/** How long a listener or connections may stay open because no turn of the event loop is quiet. */
const LONGEST_WAIT_MS = 1_000;
const QUIET_MS = 0.1;

/**
 * Ends a service so that no caller notices. It first announces the end: `/readyz` is a 503. It goes on serving for
 * `drainSeconds`, so that the proxies in front can turn to other processes. Then it closes the listener and, a second
 * later, the idle connections, and gives the calls that still run a deadline. With 0 seconds nobody is waited for, and
 * everything closes at once. Call it once.
 */
export async function endGently(app: FastifyInstance, drainSeconds: number): Promise<void> {
  app.end.isAnnounced = true;
  await sleep(drainSeconds * 1000);
  await close(app, drainSeconds > 0 ? LINGER_MS : 0);
}

/**
 * Ends one of several processes that listen on the same socket, so that no caller notices. The others take all new connections, so nothing
 * is announced: a proxy would turn away from all of them. Call it once.
 */
export async function leaveGently(app: FastifyInstance): Promise<void> {
  await close(app, LEAVING_LINGER_MS);
}

async function close(app: FastifyInstance, lingerMs: number): Promise<void> {
  if (lingerMs > 0) {
    const untilQuiet = watchArrivals(app.server);
    await untilQuiet();
    closeListener(app);
    await sleep(lingerMs);
    // A call that has arrived but was not read yet would be reset with its connection.
    await untilQuiet();
    app.server.closeIdleConnections();
  }
  // Again and again, because a connection becomes idle when its last call has been answered.
  const closing = setInterval(() => app.server.closeIdleConnections(), 50);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, DEADLINE_MS)));
  await Promise.race([app.close(), deadline.then(() => app.server.closeAllConnections())]);
  clearTimeout(timer);
  clearInterval(closing);
}

/** Makes a server able to announce its end. `guardTheEdge` closes each connection with its answer in the end. */
export function prepareEnd(app: FastifyInstance): void {
  app.decorate('end', { isAnnounced: false, isListenerClosed: false });
}

/** An `onRequest` hook for the route that tells proxies whether to send calls here. */
export function refuseIfEnding(
  request: FastifyRequest,
  _reply: unknown,
  done: (error?: Error) => void,
): void {
  done(request.server.end.isAnnounced ? new Unavailable('the service is about to stop') : undefined);
}

/**
 * Closes the listener alone. Node would also close all connections without a call, new ones whose first call is still on
 * its way included.
 */
function closeListener(app: FastifyInstance): void {
  NetServer.prototype.close.call(app.server);
  app.end.isListenerClosed = true;
}

/**
 * Returns a function that waits for a turn of the event loop in which nothing arrives. Bytes that the kernel has taken, but this process
 * has not, are reset when their listener or connection is closed. While connections are kept alive, proxies seldom open new ones.
 */
function watchArrivals(server: Server): () => Promise<void> {
  let arrived = 0;
  server.on('connection', () => (arrived += 1)).on('request', () => (arrived += 1));
  return async () => {
    const startedAt = performance.now();
    for (let isQuiet = false; !isQuiet && performance.now() - startedAt < LONGEST_WAIT_MS;) {
      const [before, beganAt] = [arrived, performance.now()];
      await nextTurn();
      // In a long turn this process may have stood still, and something may have arrived since it looked.
      isQuiet = arrived === before && performance.now() - beganAt < QUIET_MS;
    }
  };
}
