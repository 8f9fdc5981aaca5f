import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The address of the service for links in responses, without a trailing slash: the public one, or else the one that
     * the caller has used. Empty if the caller has named none.
     */
    readonly serviceUrl: string;
    /** The address of the console, without its path: its own, or else that of the service. */
    readonly consoleUrl: string;
  }
}

/** Gives every request its `serviceUrl` and its `consoleUrl`. Only a developer's service has no public address of its own. */
export function knowServiceUrl(
  app: FastifyInstance,
  { publicUrl, consoleUrl }: { readonly publicUrl: string | null; readonly consoleUrl: string | null },
): void {
  app.decorateRequest('serviceUrl', {
    getter() {
      return publicUrl ?? (this.host === '' ? '' : `${this.protocol}://${this.host}`);
    },
  });
  app.decorateRequest('consoleUrl', {
    getter() {
      return consoleUrl ?? this.serviceUrl;
    },
  });
}
