import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';
import { startDelivery, type Outgoing } from '#delivery/start-delivery.ts';
import { createFollower } from '#events/follower.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import { createPoster, type PosterOptions } from './post.ts';
import { renewSecrets } from './renew-secrets.ts';
import { areThereWebhooks, takeWebhooks, type TakenWebhook } from './take-webhooks.ts';
import { takeTurn } from './take-turn.ts';
import { createTurns } from './turns.ts';
import { createWebhookSecrets } from './webhook-secret.ts';

export interface WebhookSender {
  /** Takes no more endpoints and waits up to 5 s for requests under way. Others are sent again. */
  stop(): Promise<void>;
}

export interface WebhookSenderOptions extends PosterOptions {
  readonly db: Database;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  readonly secret: SecretKeys;
  readonly counts?: WebhookCounts;
}

/** Counts requests in this process, for the operator’s metrics. */
export type WebhookCounts = Record<'delivered' | 'refused' | 'unanswered', number>;

export function createWebhookCounts(): WebhookCounts {
  return { delivered: 0, refused: 0, unanswered: 0 };
}

const EVERY_MS = 200;
/** How often an installation without webhooks looks for the first one. */
const NOBODY_MS = 2_000;
/** Looking costs the same for one endpoint as for all, so a turn that ends does not make it look again at once. */
const LEAST_MS = 50;
const LONGEST_SETTLE_MS = 100;
/** Shorter than the lease. */
const LONGEST_MS = 50_000;
const GRACE_MS = 5_000;

/**
 * Sends events to the endpoints of all shops, again and again until it is stopped. Any number of processes may do so at once. An endpoint
 * has one turn at a time, in one of them. Each event is sent at least once.
 */
export function startWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { db, log, secret, counts = createWebhookCounts() } = options;
  const poster = createPoster(options);
  const secrets = createWebhookSecrets(secret);
  const follower = createFollower(db, log);
  const turns = createTurns();
  let settled = 0;
  let settling: Promise<void> | null = null;
  let lookedAt = -Infinity;
  let hasRenewed = false;
  let isAnybodyThere = false;
  let countedAt = -Infinity;

  const outgoing: Outgoing<TakenWebhook> = {
    takeFailed: 'webhooks could not be taken',

    async prepare() {
      if (hasRenewed) return;
      await renewSecrets(db, secrets);
      hasRenewed = true;
    },

    async take(most, _underWay, signal) {
      await pauseUntil(lookedAt + LEAST_MS);
      if (!(await mayBeDue())) return [];
      await settle();
      lookedAt = performance.now();
      const places = turns.free(most);
      if (signal.aborted || places.quick + places.slow === 0) return [];
      return takeWebhooks(db, settled, places);
    },

    send: (webhook, signal) =>
      turns.run(webhook.isSlow, signal, (turn) =>
        takeTurn({ db, log, poster, secrets, counts, settled, turn, webhook }),
      ),

    // The turn records what became of each request. What it could not record is sent again after the lease.
    failed(webhook, error) {
      if (!db.trouble.note(error))
        log.warn({ err: error, webhook: webhook.id }, 'a turn of a webhook broke off');
      return Promise.resolve();
    },
  };

  const delivery = startDelivery(outgoing, {
    db,
    log,
    everyMs: EVERY_MS,
    atOnce: turns.most,
    longestMs: LONGEST_MS,
    graceMs: GRACE_MS,
  });
  return {
    async stop() {
      turns.stop();
      await delivery.stop();
      follower.stop();
      poster.close();
    },
  };

  async function mayBeDue(): Promise<boolean> {
    if (performance.now() - countedAt >= NOBODY_MS) {
      isAnybodyThere = await areThereWebhooks(db);
      countedAt = performance.now();
    }
    return isAnybodyThere;
  }

  /** A transaction that takes long holds the feed back, and nothing else: deliveries that wait are sent meanwhile. */
  async function settle(): Promise<void> {
    settling ??= follower
      .settledId()
      .then((id) => void (settled = id))
      .catch((error: unknown) => {
        if (!db.trouble.note(error)) log.warn({ err: error }, 'the feed of events could not be followed');
      })
      .finally(() => (settling = null));
    await Promise.race([settling, pauseUntil(performance.now() + LONGEST_SETTLE_MS)]);
  }
}

function pauseUntil(at: number): Promise<void> {
  const ms = at - performance.now();
  return ms <= 0 ? Promise.resolve() : new Promise((resolve) => void setTimeout(resolve, ms));
}
