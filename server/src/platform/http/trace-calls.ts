import type { FastifyRequest } from 'fastify';
import type { CallSpan, Tracing } from '#base/tracing.ts';
import type { App } from './server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The trace that records this call. Null if none does. */
    traceId: string | null;
  }
}

/** Records each call as a span, from its first byte to its answer. Health checks are left out: something asks every second. */
export function traceCalls(app: App, tracing: Tracing | null): void {
  app.decorateRequest('traceId', null);
  if (tracing === null) return;
  const spans = new WeakMap<FastifyRequest, CallSpan>();

  app.addHook('onRequest', (request, _reply, done) => {
    if (HEALTH.has(request.routeOptions.url ?? '')) return done();
    const span = tracing.beginCall(request.headers);
    spans.set(request, span);
    request.traceId = span.traceId;
    span.run(done);
  });
  // The body arrives in events of the connection, which belong to no call.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? '(no such path)';
    const error = reply.getHeader('x-error-code');
    spans.get(request)?.end(
      `${request.method} ${route}`,
      {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'loyalty.request_id': request.id,
        ...(request.commerceId > 0 && { 'loyalty.commerce_id': request.commerceId }),
        ...(typeof error === 'string' && { 'error.type': error }),
      },
      reply.statusCode >= 500,
    );
    done();
  });
}

const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
