import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify, type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { assertEveryRouteDeclaresACredential, enforceCredentials, type Lookups } from './credentials.ts';
import { guardTheEdge } from './edge.ts';
import { answerBrokenHttp, answerErrors, answerUnroutable } from './errors.ts';
import { readJsonBodies } from '#request/json-body.ts';
import { describeInterfaces } from './openapi.ts';
import { answerUnmatched } from './unmatched.ts';
import { validateRequests } from '#request/validation.ts';

/** What a slice adds its routes to; schemas give the handlers their types. */
export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface ServerOptions {
  /** false in tests that are not about the log. */
  log: FastifyBaseLogger | false;
  lookups: Lookups;
  /** Addresses or CIDR ranges of the proxies whose `X-Forwarded-For` is believed. */
  trustProxy?: string[];
  limits?: { bodyBytes?: number; headersMs?: number; requestMs?: number; connections?: number };
}

/** A server without routes: slices add theirs, `ready` refuses one that does not say who may call it. */
export async function createServer(options: ServerOptions): Promise<App> {
  const {
    bodyBytes = 16 * 1024,
    headersMs = 5_000,
    requestMs = 10_000,
    connections = 10_000,
  } = options.limits ?? {};
  const app = fastify({
    ...(options.log ? { loggerInstance: options.log } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustProxy ?? false,
    bodyLimit: bodyBytes,
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
    // Node closes no slow client without the interval; requests without a Host get our answer, not an empty one.
    http: { headersTimeout: headersMs, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    routerOptions: { maxParamLength: 1_024 },
    // Requests on open connections are still served while the server drains, with `Connection: close`.
    return503OnClosing: false,
    genReqId: requestId,
    // A logger of its own for each request costs microseconds, and only failures are logged: they name the request.
    childLoggerFactory: (logger) => logger,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<TypeBoxTypeProvider>() as App;
  app.server.maxConnections = connections;
  // Node would answer an expectation that it does not know by itself, without a body; it may as well be ignored.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  answerErrors(app);
  readJsonBodies(app);
  guardTheEdge(app);
  logRequests(app);
  enforceCredentials(app, options.lookups);
  validateRequests(app);
  assertEveryRouteDeclaresACredential(app);
  answerUnmatched(app);
  await describeInterfaces(app);
  return app;
}

/** The caller's own id where it is a sane one, so that both logs can be laid side by side. */
function requestId(request: { headers: Record<string, unknown> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
}

/** One line a request, at debug: the pattern of its route, never the address with its query. */
function logRequests(app: App): void {
  if (
    !('isLevelEnabled' in app.log) ||
    !(app.log as { isLevelEnabled(level: string): boolean }).isLevelEnabled('debug')
  )
    return;
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    request.log.debug(
      { method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    );
    done();
  });
}
