import type { FastifyBaseLogger } from 'fastify';
import { benefitRoutes } from '#benefits/routes.ts';
import { clientRoutes } from '#clients/routes.ts';
import { findKey } from '#commerces/api-keys.ts';
import { isOpen } from '#commerces/commerce.ts';
import type { Database } from '#db/database.ts';
import { healthRoutes } from '#health/routes.ts';
import { createServer, type App } from '#http/server.ts';
import { purchaseRoutes } from '#purchases/routes.ts';
import { voucherRoutes } from '#vouchers/routes.ts';

/** What the service is made of; `main.ts` and the tests hand it in. */
export interface Deps {
  readonly db: Database;
  readonly log: FastifyBaseLogger | false;
  readonly trustProxy?: string[];
}

/** The whole service, ready to listen or to be called in a test. */
export async function buildApp(deps: Deps): Promise<App> {
  const { db } = deps;
  const app = await createServer({
    log: deps.log,
    ...(deps.trustProxy && { trustProxy: deps.trustProxy }),
    lookups: {
      key: (token) => findKey(db, token),
      user: () => null,
      commerce: async (id) => ((await isOpen(db, id)) ? { id } : null),
      staff: () => null,
    },
  });

  healthRoutes(app, deps);
  purchaseRoutes(app, deps);
  clientRoutes(app, deps);
  benefitRoutes(app, deps);
  voucherRoutes(app, deps);

  await app.ready();
  return app;
}
