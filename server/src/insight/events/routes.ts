import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Caps } from '#base/caps.ts';
import type { Database } from '#db/database.ts';
import { InvalidKey } from '#http/refused-credentials.ts';
import { bearerToken } from '#http/credential-hooks.ts';
import type { Lookups } from '#http/credentials.ts';
import { limitReached } from '#http/rate-limits.ts';
import { createSemaphore } from '#http/semaphore.ts';
import { Int64 } from '#http/schema.ts';
import { route } from '#http/route.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { Overloaded } from '#problems/problem.ts';
import type { SecretKeys } from '#settings/secret-key.ts';
import { createEventCursors, CURSOR_CHARACTERS } from './event-cursor.ts';
import { EVENT_TYPE_NAMES, type EventTypeName } from './event-types.ts';
import type { Follower } from './follower.ts';
import { readFeed } from './feed.ts';
import { openCursor, readPage, type Page, type Place } from './follow-feed.ts';
import type { SnapshotSender } from './send-snapshot.ts';
import { SnapshotLineSchema } from './snapshot-lines.ts';
import { EventPageSchema, eventToWire, sightOf } from './wire.ts';
import { createPageWriter } from './write-page.ts';

/** A type that the feed does not have is a mistake, and a reader that never gets it would not notice. */
class UnknownEventType extends InvalidRequest {
  constructor() {
    super(
      [{ loc: ['query', 'types'], msg: 'Value error, not a type of events', type: 'value_error' }],
      'invalid',
      `Send types of events, separated by commas, such as ${EVENT_TYPE_NAMES.slice(0, 2).join(',')}.`,
    );
  }
}

/** Pages that are read at the same time, for one commerce and for all. */
const PAGES_OF_A_COMMERCE = 2;
const MOST_PAGES = 4;
const LONGEST_TURN_MS = 2_000;
/** Calls of one key that wait for events in this process. */
export const MOST_WAITING = 5;
/** For how long a call waits for an event at most. */
const LONGEST_WAIT_SECONDS = 30;
/** How often a waiting call looks whether its key is still good. */
const KEY_EVERY_MS = 1_000;

const refusals = { 409: 'The cursor is lost: start again with a snapshot.' };

interface EventDeps {
  readonly db: Database;
  readonly secret: SecretKeys;
  readonly follower: Follower;
  readonly caps: Caps;
  readonly keyOf: Lookups['key'];
  readonly snapshots: SnapshotSender;
}

/** Other systems follow what happens at a shop. */
export function eventRoutes({ db, secret, follower, caps, keyOf, snapshots }: EventDeps) {
  const cursorsOf = createEventCursors(secret);
  const semaphores = [createSemaphore(PAGES_OF_A_COMMERCE), createSemaphore(MOST_PAGES)] as const;
  const waiting = new Map<string, number>();
  const writePage = createPageWriter();

  return {
    listEvents: route({
      schema: {
        operationId: 'listEvents',
        summary: 'Follow what happens',
        description:
          'Everything that happened at the commerce, in one order that never changes, from the first event on or after a cursor. Nothing is missing and nothing comes twice, also if two calls wrote at the same moment. With `wait`, a call without events waits for the next one.',
        tags: ['Events'],
        querystring: Type.Object(
          {
            after: Type.Optional(
              Type.String({
                maxLength: CURSOR_CHARACTERS,
                description: 'The `next` of the call before, or the cursor of a snapshot.',
                'x-hint':
                  'Pass next of the call before, unchanged. Leave after out to begin with the first event.',
              }),
            ),
            types: Type.Optional(
              Type.String({
                maxLength: 1_000,
                description: 'Only events of these types, separated by commas.',
                examples: ['voucher.used,member.erased'],
                'x-hint': 'Send types of events, separated by commas.',
              }),
            ),
            wait: Type.Optional(
              Int64({
                minimum: 0,
                maximum: LONGEST_WAIT_SECONDS,
                default: 0,
                description: 'For how many seconds the call waits if there is no event.',
                'x-hint': 'Send whole seconds from 0 to 30.',
              }),
            ),
            limit: Type.Optional(
              Int64({
                minimum: 1,
                maximum: 1_000,
                default: 100,
                description: 'The most events that the answer may have.',
                'x-hint': 'Send a number from 1 to 1000.',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: EventPageSchema },
      },
      config: {
        turn: 'none',
        credential: 'key',
        scope: 'events',
        document: 'extensions',
        refusals,
        takesLong: true,
      },
      exposeHeadRoute: false,
      async handler(request, reply) {
        const { commerceId, query } = request;
        const types = query.types === undefined ? null : typesOf(query.types);
        const { limit = 100, wait = 0 } = query;
        const cursors = cursorsOf(commerceId);
        const { epoch, ids } = await readFeed(db, commerceId);
        const start = await openCursor(db, epoch, cursors, query.after);
        const sight = sightOf(request.key!.scopes);
        const read = async (place: Place) => {
          const readTo = (settled: number) =>
            inTurn(commerceId, () => readPage(db, commerceId, place, settled, { limit, types }));
          // While somebody's transaction holds the feed up, a full page of what is complete does not wait for it.
          const atHand = follower.standsStillFor() >= 1 ? await readTo(follower.knownId()) : null;
          // Whoever asks what else is has no turn meanwhile.
          return atHand?.hasMore === true ? atHand : readTo(await follower.settledSoon());
        };

        const first = await read(start);
        const page =
          first.events.length === 0 && !first.hasMore && wait > 0
            ? await waitForEvents(request, reply, first, read, performance.now() + wait * 1_000)
            : first;
        const body = await writePage(
          reply,
          page.events,
          (event) => eventToWire(event, commerceId, ids, sight),
          { next: cursors.seal({ epoch, ...page.place, givenAt: new Date() }), has_more: page.hasMore },
        );
        return reply
          .header('cache-control', 'no-store')
          .type('application/json; charset=utf-8')
          .send(body as never);
      },
    }),

    snapshotEvents: route({
      schema: {
        operationId: 'snapshotEvents',
        summary: 'Get what a new reader starts from',
        description:
          'Everybody with their points and level, all codes that are neither used nor void, and all stamp cards, as of one moment, as a stream with a JSON object on each line. The last line has the cursor behind which the feed goes on from exactly there. Without the last line the stream was broken off.',
        tags: ['Events'],
        response: { 200: { content: { 'application/x-ndjson': { schema: SnapshotLineSchema } } } },
      },
      config: { turn: 'none', credential: 'key', scope: 'events', document: 'extensions', takesLong: true },
      exposeHeadRoute: false,
      handler: ({ commerceId, key }, reply) => snapshots.send(reply, commerceId, sightOf(key!.scopes)),
    }),
  };

  /**
   * Reads on until there is an event, the time is over, nobody reads the answer any more, or the service stops. Holds no connection
   * meanwhile.
   * @throws TooManyRequests, InvalidKey
   */
  async function waitForEvents(
    request: FastifyRequest,
    reply: FastifyReply,
    first: Page,
    read: (place: Place) => Promise<Page>,
    until: number,
  ): Promise<Page> {
    const name = `${request.commerceId}/${request.key!.keyId}`;
    const count = waiting.get(name) ?? 0;
    if (count >= MOST_WAITING) {
      caps.refused('calls-of-a-key');
      throw limitReached({ limit: MOST_WAITING, windowSeconds: LONGEST_WAIT_SECONDS, waitSeconds: 1 });
    }
    waiting.set(name, count + 1);
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once('close', leave);
    try {
      let page = first;
      let goesOn = true;
      while (goesOn && page.events.length === 0 && performance.now() < until) {
        const longestMs = Math.min(KEY_EVERY_MS, until - performance.now());
        goesOn = await follower.waitForMore(request.commerceId, page.place.through, longestMs, gone.signal);
        if ((await keyOf(bearerToken(request)!, request)) === null) throw new InvalidKey();
        page = await read(page.place);
      }
      return page;
    } finally {
      reply.raw.off('close', leave);
      const left = waiting.get(name)! - 1;
      if (left === 0) waiting.delete(name);
      else waiting.set(name, left);
    }
  }

  /** Pages are read a few at a time, so that readers who fetch all of a long feed leave connections to the tills. */
  async function inTurn<T>(commerceId: number, work: () => Promise<T>): Promise<T> {
    const until = performance.now() + LONGEST_TURN_MS;
    const passes = [
      [semaphores[0], String(commerceId)],
      [semaphores[1], ''],
    ] as const;
    const entered: (typeof passes)[number][] = [];
    try {
      for (const pass of passes) {
        if (!(await pass[0].enter(pass[1], until))) {
          caps.refused('calls-of-a-commerce');
          throw new Overloaded('too many readers at once');
        }
        entered.push(pass);
      }
      return await work();
    } finally {
      for (const [semaphore, name] of entered) semaphore.leave(name);
    }
  }
}

/** @throws UnknownEventType */
function typesOf(text: string): ReadonlySet<EventTypeName> {
  const types = text.split(',').map((type) => type.trim());
  const known: ReadonlySet<string> = new Set(EVENT_TYPE_NAMES);
  if (!types.every((type) => known.has(type))) throw new UnknownEventType();
  return new Set(types as EventTypeName[]);
}
