import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The address of the service for links in responses, without a trailing slash: the public one, or else the one that
     * the caller has used. Empty if the caller has named none.
     */
    readonly serviceUrl: string;
  }
}

/** Gives every request its `serviceUrl`. Only a developer's service has no public address of its own. */
export function knowServiceUrl(app: FastifyInstance, publicUrl: string | null): void {
  app.decorateRequest('serviceUrl', {
    getter() {
      return publicUrl ?? (this.host === '' ? '' : `${this.protocol}://${this.host}`);
    },
  });
}
