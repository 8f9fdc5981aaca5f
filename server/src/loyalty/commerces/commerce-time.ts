import type { App } from '#http/server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The commerce's time, if the handler has read it. */
    commerceTime: Date | null;
  }
}

/**
 * Adds `X-Commerce-Time` to the responses whose handlers have set `request.commerceTime`: the instant by the commerce's
 * own clock. A phone's clock may be wrong, and the clock of a sandbox can be moved, so pages judge due dates by it.
 */
export function tellCommerceTime(app: App): void {
  app.decorateRequest('commerceTime', null);
  app.addHook('onRoute', (route) => {
    if (route.config?.credential !== 'user') return;
    route.onSend = [
      (request, reply, payload, done) => {
        const { commerceTime } = request;
        if (commerceTime !== null) reply.header('x-commerce-time', commerceTime.toISOString());
        done(null, payload);
      },
      ...[route.onSend ?? []].flat(),
    ];
  });
}
