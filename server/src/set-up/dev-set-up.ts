import type { Database } from '#db/database.ts';
import { refuseStrangers } from '#http/this-machine.ts';
import type { App } from '#http/server.ts';
import { makeSetUpLink, setUpUrl } from './set-up-link.ts';

/** The way from the demo to a shop of one's own. */
export const DEV_SET_UP = '/dev/set-up';

/**
 * Adds an address that makes a set-up link and leads to it. It exists where the mailbox exists and only for this machine:
 * whoever reads the mailbox can be anybody here, so there is nothing to protect.
 */
export function addDevSetUp(app: App, { db }: { db: Database }): void {
  app.get(
    DEV_SET_UP,
    {
      schema: { hide: true },
      config: { credential: 'none', turn: { session: () => 'set-up link' } },
      onRequest: refuseStrangers,
    },
    async (request, reply) => reply.redirect(setUpUrl(request.consoleUrl, await makeSetUpLink(db)), 303),
  );
}
