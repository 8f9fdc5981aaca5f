import type { FastifyBaseLogger } from 'fastify';
import { buyingRoutes } from '#vouchers/my-routes.ts';
import { accountRoutes } from '#accounts/my-routes.ts';
import { subscriptionRoutes } from '#enrolment/routes.ts';
import { benefitRoutes } from '#benefits/routes.ts';
import { createShelfReader } from '#benefits/shelf-reader.ts';
import { clientRoutes } from '#accounts/shop-routes.ts';
import { findKey } from '#commerces/api-keys.ts';
import { isOpen } from '#commerces/commerce.ts';
import { known } from '#calls/short-memory.ts';
import type { Database } from '#db/database.ts';
import { healthRoutes } from '#monitoring/health.ts';
import { limitRequests, type RateLimits } from '#http/rate-limits.ts';
import { keepAnswers } from '#http/ready-answer.ts';
import { createServer, type App } from '#http/server.ts';
import { devMailbox } from '#mail/dev-mailbox.ts';
import type { Metrics } from '#monitoring/metrics.ts';
import { createHolderReader } from '#points/holder-reader.ts';
import { portalRoutes } from '#portal/routes.ts';
import { createPurchaseRecorder } from '#purchases/purchase-recorder.ts';
import { purchaseRoutes } from '#purchases/routes.ts';
import { createAccessTokens } from '#sign-in/access-token.ts';
import { signInRoutes } from '#sign-in/routes.ts';
import { createSessionReader } from '#sign-in/session-reader.ts';
import { storefrontRoutes } from '#benefits/public-routes.ts';
import { createBenefitExchanger } from '#vouchers/benefit-exchanger.ts';
import { voucherRoutes } from '#vouchers/till-routes.ts';

/** What the service is made of; `run.ts` and the tests hand it in. */
export interface Deps {
  readonly db: Database;
  readonly log: FastifyBaseLogger | false;
  readonly trustProxy?: string[];
  /** Signs tokens and cursors. */
  readonly secret: string;
  /** By key, member and client network; without it none of these is limited. */
  readonly rateLimits?: RateLimits | null;
  /** Called when a mail that somebody waits for stands in the outbox. */
  readonly onMailQueued?: () => void;
  readonly metrics?: Metrics | null;
  /** Whether `/dev/mail` shows what stands in the outbox, everybody's sign-in codes too. */
  readonly devMailbox?: boolean;
}

/** The whole service, ready to listen or to be called in a test. */
export async function buildApp(deps: Deps): Promise<App> {
  const { db, secret, rateLimits = null, onMailQueued = () => {} } = deps;
  const accessTokens = createAccessTokens(secret);
  const sessionOf = createSessionReader(db);
  const app = await createServer({
    log: deps.log,
    ...(deps.trustProxy && { trustProxy: deps.trustProxy }),
    lookups: {
      key: known((token: string) => findKey(db, token)),
      user: (token) => accessTokens.userOf(sessionOf, token),
      commerce: known(async (id: number) => ((await isOpen(db, id)) ? { id } : null)),
      staff: () => null,
    },
  });

  deps.metrics?.watch(app);
  if (rateLimits !== null) limitRequests(app, rateLimits);
  const holderOf = createHolderReader(db);
  const shelfOf = createShelfReader(db);
  const sendReady = keepAnswers();
  const purchases = createPurchaseRecorder(db);
  const exchanger = createBenefitExchanger(db);
  // Requests that are under way are answered before the server closes; what they wait for is drained first.
  app.addHook('preClose', async () => void (await Promise.all([purchases.drained(), exchanger.drained()])));

  healthRoutes(app, deps);
  purchaseRoutes(app, { db, purchases });
  clientRoutes(app, { db, holderOf });
  benefitRoutes(app, { db, shelfOf, sendReady });
  voucherRoutes(app, deps);
  storefrontRoutes(app, { shelfOf, sendReady });
  signInRoutes(app, { db, secret, accessTokens, limitNetworks: rateLimits !== null, onMailQueued });
  accountRoutes(app, { db, holderOf });
  buyingRoutes(app, { db, holderOf, shelfOf, sendReady, exchanger, secret: deps.secret });
  subscriptionRoutes(app, { db, holderOf });
  portalRoutes(app, deps);
  if (deps.devMailbox === true) devMailbox(app, deps);

  await app.ready();
  return app;
}
