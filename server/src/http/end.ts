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
      /** How long connections without a call stay open after the listener has closed. */
      lingerMs: number;
    };
  }
}

/** Calls that run when the listener closes get this long. The longest calls take less. */
const DEADLINE_MS = 10_000;
/** Turns of the event loop after which the listener closes even if calls keep arriving. */
const MOST_TURNS = 1_000;
const QUIET_MS = 0.5;
/**
 * Callers behind a proxy would see a 502 if a connection closed just as the proxy sends a call on it. Once the listener
 * is closed, a proxy can only use up the connections it has, and each closes with its answer.
 */
const LINGER_MS = 1_000;

/**
 * Ends a service so that no caller notices. It first announces the end: `/readyz` is a 503, and every answer closes its
 * connection. It goes on serving for `drainSeconds`, so that the proxies in front can turn to other processes. Then it
 * closes the listener and, a second later, the idle connections, and gives the calls that still run a deadline. With 0
 * seconds there is nobody to wait for, and it closes everything at once. Call it once.
 */
export async function endGently(app: FastifyInstance, drainSeconds: number): Promise<void> {
  app.end.isAnnounced = true;
  app.end.lingerMs = drainSeconds > 0 ? LINGER_MS : 0;
  await sleep(drainSeconds * 1000);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => (timer = setTimeout(resolve, DEADLINE_MS)));
  await Promise.race([app.close(), deadline.then(() => app.server.closeAllConnections())]);
  clearTimeout(timer);
}

/** Makes a server able to announce its end. `guardTheEdge` then closes each connection with its answer. */
export function prepareEnd(app: FastifyInstance): void {
  app.decorate('end', { isAnnounced: false, lingerMs: 0 });
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
 * Makes the listener close in a turn of the event loop in which nothing arrived. Connections that the kernel has
 * accepted, but this process has not, are reset when the listener closes, and so are calls on their way on idle
 * connections. Add it after every other `preClose` hook, because it waits for the calls that still run.
 */
export function closeInAQuietTurn(app: FastifyInstance): void {
  let arrived = 0;
  const count = () => void (arrived += 1);
  app.addHook('preClose', async () => {
    const server: Server = app.server;
    server.on('connection', count).on('request', count);
    for (let turn = 0, isQuiet = false; !isQuiet && turn < MOST_TURNS; turn += 1) {
      const [before, beganAt] = [arrived, performance.now()];
      await nextTurn();
      // In a long turn this process may have stood still, and something may have arrived since it looked.
      isQuiet = arrived === before && performance.now() - beganAt < QUIET_MS;
    }
    await closeListenerFirst(server, app.end.lingerMs);
  });
}

/**
 * Closes the listener at once, and the connections without a call after `lingerMs`. Node would close these together,
 * new connections whose first call is still on its way included. Fastify finds the server closed.
 */
async function closeListenerFirst(server: Server, lingerMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await Promise.race([closed, sleep(lingerMs)]);
  server.closeIdleConnections();
  // Again and again, because a connection becomes idle when its last call has been answered.
  const timer = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearInterval(timer);
}
