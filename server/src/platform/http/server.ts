import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { createCaps, type Caps } from '#base/caps.ts';
import { fastify, type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { assertEveryRouteDeclaresACredential, enforceCredentials, type Lookups } from './credentials.ts';
import { keepConsoleApart } from './console-host.ts';
import { guardTheEdge } from './edge.ts';
import { prepareEnd } from './end.ts';
import { answerBrokenHttp, answerErrors, answerUnroutable } from './errors.ts';
import { readJsonBodies } from '#request/json-body.ts';
import { isDatabaseAway } from '#db/database-errors.ts';
import { describeInterfaces } from './openapi.ts';
import { compileSerializersLate } from './late-serializers.ts';
import { BODY_BYTES, PATH_PARAMETER_CHARACTERS } from './schema.ts';
import { limitRequests, type RateLimits } from './rate-limits.ts';
import type { Ledger } from './ledger.ts';
import { knowServiceUrl } from './service-url.ts';
import { limitSockets, SOCKET_LIMITS, type SocketLimits } from './sockets.ts';
import { answerUnmatched } from './unmatched.ts';
import type { Tracing } from '#base/tracing.ts';
import { traceCalls } from './trace-calls.ts';
import { readBeforeClosing } from './unread-body.ts';
import { reportUnknownFields } from '#request/unknown-fields.ts';
import { validateRequests } from '#request/validation.ts';

/** The server. Route schemas give the handlers their types. */
export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type AccessLog = 'all' | 'calls' | 'none';

export interface ServerOptions {
  /** False turns the log off in tests. */
  log: FastifyBaseLogger | false;
  /** The calls that are logged at level info: all, or only those of the API for a developer who watches. Others are at debug. */
  accessLog?: AccessLog;
  lookups: Lookups;
  /** Notes a call that failed. Returns true if the database was unavailable, so that the answer is a 503. */
  noteUnavailable?: (error: unknown) => boolean;
  /** Addresses or CIDR ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustProxy?: string[];
  /** The requests that the service sends, as OpenAPI describes them. */
  webhooks?: object;
  limits?: { bodyBytes?: number; headersMs?: number; requestMs?: number };
  /** Replaces some of the usual limits. */
  sockets?: Partial<SocketLimits>;
  caps?: Caps;
  tracing?: Tracing | null;
  /** Limits per key, member and client network. Without it there are no limits. */
  rateLimits?: RateLimits | null;
  /** Where the limits are counted. By default, in this process. */
  ledger?: Ledger;
  /** The public address of the service, without a trailing slash. */
  publicUrl?: string | null;
  /** The address of the console without its path, if it has a host of its own. */
  consoleUrl?: string | null;
}

/** Creates a server without routes. Slices add theirs. `ready` fails if a route does not declare who may call it. */
export async function createServer(options: ServerOptions): Promise<App> {
  const { bodyBytes = BODY_BYTES, headersMs = 5_000, requestMs = 10_000 } = options.limits ?? {};
  const { trustProxy = [], caps = createCaps() } = options;
  const sockets = { ...SOCKET_LIMITS, ...options.sockets };
  const app = fastify({
    ...(options.log ? { loggerInstance: options.log } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    bodyLimit: bodyBytes,
    requestTimeout: requestMs,
    keepAliveTimeout: 72_000,
    connectionTimeout: sockets.stalledMs,
    // Without the interval Node never closes slow clients. Without the Host check, a request without a Host reaches us
    // and gets a response with a body.
    http: { headersTimeout: headersMs, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    routerOptions: { maxParamLength: PATH_PARAMETER_CHARACTERS },
    // While the server shuts down, it still serves requests on open connections, with `Connection: close`.
    return503OnClosing: false,
    genReqId: requestId,
    // A child logger for each request costs microseconds. We only log failures, and those lines include the request ID.
    childLoggerFactory: (logger) => logger,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerBrokenHttp,
  }).withTypeProvider<TypeBoxTypeProvider>() as App;
  limitSockets(app.server, { limits: sockets, trustProxy, caps, counts: options.ledger?.sockets });
  // By default Node answers an unknown `Expect` header itself, without a body. We ignore the header instead.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  traceCalls(app, options.tracing ?? null);
  answerErrors(app, options.noteUnavailable ?? isDatabaseAway);
  readJsonBodies(app, bodyBytes);
  prepareEnd(app);
  guardTheEdge(app);
  readBeforeClosing(app);
  knowServiceUrl(app, { publicUrl: options.publicUrl ?? null, consoleUrl: options.consoleUrl ?? null });
  keepConsoleApart(app, options.consoleUrl ?? null);
  logRequests(app, options.accessLog ?? 'none');
  enforceCredentials(app, options.lookups);
  validateRequests(app);
  compileSerializersLate(app);
  reportUnknownFields(app);
  assertEveryRouteDeclaresACredential(app);
  if (options.rateLimits) limitRequests(app, options.rateLimits, caps, options.ledger);
  answerUnmatched(app);
  await describeInterfaces(app, options.webhooks ?? {});
  return app;
}

/**
 * Returns the caller's `X-Request-Id` if it is well-formed, so that the caller can match both logs. Otherwise returns a
 * new ID.
 */
function requestId(request: { headers: Record<string, unknown> }): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
}

/**
 * Logs one line for each request, with the route's pattern. Never logs the URL, because its query may contain secrets.
 */
function logRequests(app: App, accessLog: AccessLog): void {
  if (!('isLevelEnabled' in app.log)) return;
  const log = app.log as FastifyBaseLogger & { isLevelEnabled(level: string): boolean };
  if (!log.isLevelEnabled('debug') && (accessLog === 'none' || !log.isLevelEnabled('info'))) return;
  // None of the fields below is a secret, and to look for secrets in each of them takes longer than to write the line.
  const lines = log.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? UNKNOWN;
    const isShown = accessLog === 'all' ? !HEALTH.has(route) : accessLog === 'calls' && isCall(route);
    const error = reply.getHeader('x-error-code');
    lines[isShown ? 'info' : 'debug'](
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        requestId: request.id,
        ...(request.commerceId > 0 && { commerceId: request.commerceId }),
        ...(error !== undefined && { error }),
        ...(request.traceId !== null && { traceId: request.traceId }),
      },
      'answered',
    );
    done();
  });
}

/** Something asks for these every second. */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Stands for a path that no route has. */
const UNKNOWN = '(no such path)';

/** Pages, their files and health checks would only hide the calls that a developer has just made. */
function isCall(route: string): boolean {
  return route.startsWith('/v1/') || route === UNKNOWN;
}
