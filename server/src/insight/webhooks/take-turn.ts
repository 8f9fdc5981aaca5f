import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#db/database.ts';
import { readEventIds, readFeed, type EventIds } from '#events/feed.ts';
import { readPage } from '#events/follow-feed.ts';
import type { StoredEvent } from '#events/read-events.ts';
import { readVersion } from '#base/version.ts';
import { LONGEST_ANSWER_MS, NoAnswer, type Answer, type Poster } from './post.ts';
import { writePayload, writeTest, TEST_TYPE, type Payload } from './payload.ts';
import { readDueDeliveries, type DueDelivery } from './read-due-deliveries.ts';
import { recordTurn, type RecordedDelivery, type TurnResult } from './record-turn.ts';
import { pauseAfter, waitAfter } from './schedule.ts';
import type { WebhookCounts } from './send-webhooks.ts';
import type { TakenWebhook } from './take-webhooks.ts';
import type { Turn } from './turns.ts';
import { createSigner, type Signer, type WebhookSecrets } from './webhook-secret.ts';

interface TurnOptions {
  readonly db: Database;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  readonly poster: Poster;
  readonly secrets: WebhookSecrets;
  readonly counts: WebhookCounts;
  /** The feed is complete up to this id. */
  readonly settled: number;
  readonly turn: Turn;
  readonly webhook: TakenWebhook;
}

/** The most events that are read and recorded together. Whether the shop still wants them is known once they are recorded. */
const PAGE = 200;
/** A part is recorded as far as it is sent after this time, so that a slow endpoint is soon left alone, too, once it is switched off. */
const PART_MS = 2_000;
/** Requests to one endpoint that are under way at once. */
const AT_ONCE = 8;
/** Of the deliveries of a part, so many are kept for the shop to see. */
const SHOWN = 20;

const USER_AGENT = `loyalty/${readVersion()}`;

/** The receiver asks for less. */
const SLOW_DOWN: ReadonlySet<number> = new Set([429, 502, 504]);

/** Something to send. */
interface Item {
  readonly eventId: number;
  readonly type: string;
  readonly memberId: number | null;
  /** Attempts before this one. */
  readonly attempts: number;
  readonly payload: Payload;
}

/** Items of one source, in order, and where the source is behind them. */
interface Part {
  readonly of: 'waiting' | 'feed' | 'replay';
  readonly items: readonly Item[];
  /** Where the source is once all of the items are sent. */
  readonly reached: number;
  readonly hasMore: boolean;
}

/**
 * Sends what is due to one endpoint: first the deliveries that wait, then the feed, then a replay. Goes on while there is more, as long as
 * a turn may take. An endpoint that took nothing in its last turn gets one delivery, and the rest only after it has taken that.
 */
export async function takeTurn({
  db,
  log,
  poster,
  secrets,
  counts,
  settled,
  turn,
  webhook,
}: TurnOptions): Promise<void> {
  const { commerceId, scopes } = webhook;
  const sign = signerOf(webhook, secrets);
  const ids = await turn.query(() => readIds(db, webhook));
  let { through, replayAfter, failures } = webhook;
  let mayWait = webhook.retryAt !== null;
  /** So many are read at once: few for a slow endpoint, because those that the time of a part does not reach are read again. */
  let size = PAGE;

  for (let goesOn = true; goesOn;) {
    const most = failures > 0 ? 1 : size;
    const part = await turn.query(() => nextPart(most));
    const sent = await sendPart(part.items, failures > 0 ? 1 : AT_ONCE);
    if (part.of === 'waiting' && sent.length < part.items.length) mayWait = true;
    size = sent.length < part.items.length ? Math.max(AT_ONCE, 2 * sent.length) : Math.min(PAGE, 2 * size);
    const result = judge(part, sent);
    goesOn = !result.isLast;
    const state = { ...webhook, replayAfter };
    const mayGoOn = await turn.query(() => recordTurn(db, state, result));
    if (!mayGoOn) return;
    ({ through, replayAfter, failures } = result);
  }

  async function nextPart(most: number): Promise<Part> {
    if (mayWait) {
      const due = await readDueDeliveries(db, webhook, most);
      mayWait = due.length === most;
      if (due.length > 0) {
        const items = due.map((one) => itemOfDue(one, ids));
        return { of: 'waiting', items, reached: through, hasMore: true };
      }
    }
    const types = webhook.types.length === 0 ? null : new Set(webhook.types);
    const read = async (after: number, upTo: number) => {
      const page = await readPage(db, commerceId, { through: after, missing: [] }, upTo, {
        limit: most,
        types,
      });
      const items = page.events.map((event) => itemOf(event, 0, ids));
      return { items, reached: page.place.through, hasMore: page.hasMore };
    };
    if (through < settled || replayAfter === null) {
      const page = await read(through, settled);
      if (page.items.length > 0 || page.hasMore || replayAfter === null)
        return { of: 'feed', ...page, hasMore: page.hasMore || replayAfter !== null };
      through = page.reached;
    }
    return { of: 'replay', ...(await read(replayAfter, webhook.replayThrough!)) };
  }

  function itemOf(event: StoredEvent, attempts: number, of: EventIds): Item {
    return {
      eventId: event.id,
      type: event.type,
      memberId: event.person?.memberId ?? null,
      attempts,
      payload: writePayload(event, commerceId, of, scopes),
    };
  }

  function itemOfDue({ eventId, attempts, createdAt, event }: DueDelivery, of: EventIds): Item {
    if (event !== null) return itemOf(event, attempts, of);
    return {
      eventId,
      type: TEST_TYPE,
      memberId: null,
      attempts,
      payload: writeTest(eventId, commerceId, createdAt, of),
    };
  }

  /** Sends items in order, a few at once. After the first that is not taken, those that have not begun are left for later. */
  async function sendPart(items: readonly Item[], atOnce: number): Promise<Sent[]> {
    const sent: (Sent | null)[] = [];
    const until = performance.now() + PART_MS;
    let [next, isToStop] = [0, false];
    const work = async () => {
      while (next < items.length && !isToStop && turn.mayGoOn() && performance.now() < until) {
        const nth = next++;
        sent[nth] = null;
        const one = await sendOne(items[nth]!);
        sent[nth] = one;
        if (one === null || !one.isTaken) isToStop = true;
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
    const broken = sent.indexOf(null);
    return (broken === -1 ? sent : sent.slice(0, broken)) as Sent[];
  }

  /** Returns null if the service stopped before there was an answer. */
  async function sendOne(item: Item): Promise<Sent | null> {
    const { id, body } = item.payload;
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'accept-encoding': 'identity',
      ...sign?.(id, at, body),
    };
    try {
      if (sign === null) throw new NoAnswer('its secret cannot be read with the keys of this installation');
      const answer = await turn.waitFor(poster.post(webhook.address, headers, body, turn.signal));
      const isTaken = answer.status >= 200 && answer.status < 300;
      counts[isTaken ? 'delivered' : 'refused'] += 1;
      return { item, at, answer, isTaken };
    } catch (error) {
      if (turn.signal.aborted) return null;
      counts.unanswered += 1;
      if (failures === 0)
        log.warn(
          { webhook: webhook.id, commerceId, reason: (error as Error).message },
          'a webhook was not answered',
        );
      return { item, at, answer: null, isTaken: false };
    }
  }

  function judge(part: Part, sent: readonly Sent[]): TurnResult {
    const taken = sent.filter(({ isTaken }) => isTaken).length;
    // Nothing waits for a test, so one that is not taken says nothing about the endpoint.
    const missed = sent.filter(({ item, isTaken }) => !isTaken && item.eventId > 0).length;
    const isAskedToSlow = sent.some(({ answer }) => answer !== null && asksForLess(answer));
    const isFailing = missed > 0 && (taken === 0 || missed > taken || isAskedToSlow);
    const nextFailures = isFailing ? failures + 1 : taken > 0 ? 0 : failures;
    const asked = Math.max(0, ...sent.map(({ answer }) => answer?.retryAfterMs ?? 0));
    const pauseMs = isFailing ? Math.max(asked, pauseAfter(nextFailures)) : 0;
    const isWhole = sent.length === part.items.length;
    const reached = isWhole ? part.reached : (sent.at(-1)?.item.eventId ?? null);
    const isGone = sent.some(({ answer }) => answer?.status === 410);
    const hasMore = part.hasMore || !isWhole;
    return {
      deliveries: recorded(part, sent),
      through: part.of === 'feed' ? (reached ?? through) : through,
      replayAfter:
        part.of === 'replay' ? (isWhole && !part.hasMore ? null : (reached ?? replayAfter)) : replayAfter,
      hasSuccess: taken > 0,
      hasFailure: missed > 0,
      failures: nextFailures,
      pauseMs,
      answerMs: meanMs(sent),
      isGone,
      isLast: isFailing || isGone || !hasMore || !turn.mayGoOn(),
    };
  }
}

/** What became of an item. */
interface Sent {
  readonly item: Item;
  readonly at: Date;
  /** Null if there was none. */
  readonly answer: Answer | null;
  readonly isTaken: boolean;
}

async function readIds(db: Database, { commerceId, feedKey }: TakenWebhook): Promise<EventIds> {
  return feedKey === null ? (await readFeed(db, commerceId)).ids : readEventIds(db, commerceId, feedKey);
}

/** Returns null if a secret cannot be read, because the key of the installation was replaced. */
function signerOf(webhook: TakenWebhook, secrets: WebhookSecrets): Signer | null {
  const current = secrets.open(webhook.secret, webhook);
  if (current === null) return null;
  const old = webhook.oldSecret && secrets.open(webhook.oldSecret, webhook);
  return createSigner(old === null ? [current] : [current, old]);
}

function asksForLess({ status, retryAfterMs }: Answer): boolean {
  return SLOW_DOWN.has(status) || retryAfterMs !== null;
}

function meanMs(sent: readonly Sent[]): number | null {
  if (sent.length === 0) return null;
  const sum = sent.reduce((ms, { answer }) => ms + (answer?.ms ?? LONGEST_ANSWER_MS), 0);
  return Math.round(sum / sent.length);
}

/** All that failed, all that had waited, and the last of those that were taken. */
function recorded({ of }: Part, sent: readonly Sent[]): RecordedDelivery[] {
  const isKept = ({ isTaken }: Sent, nth: number) =>
    !isTaken || of === 'waiting' || nth >= sent.length - SHOWN;
  return sent.filter(isKept).map(({ item, at, answer, isTaken }) => {
    const attempts = item.attempts + 1;
    const waitMs = isTaken || item.eventId < 0 ? null : waitAfter(attempts);
    return {
      eventId: item.eventId,
      type: item.type,
      memberId: item.memberId,
      state: isTaken ? 'delivered' : waitMs === null ? 'failed' : 'waiting',
      attempts,
      waitMs,
      at,
      status: answer?.status ?? null,
      answerMs: answer?.ms ?? null,
      answer: answer?.text ?? null,
      body: item.payload.body,
    };
  });
}
