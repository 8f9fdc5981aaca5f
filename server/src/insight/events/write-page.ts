import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { StoredEvent } from './read-events.ts';
import { EventSchema, type WireEvent } from './wire.ts';

/** The serializer is kept with the object. */
const Slice = { ...Type.Object({ events: Type.Array(EventSchema) }) };
const [BEFORE, BEHIND] = ['{"events":[', ']}'] as const;

/** So many events are written in one piece. */
const SLICE = 100;

/** The rest of the answer, behind its events. */
interface End {
  readonly next: string;
  readonly has_more: boolean;
}

/** Returns a page of events as JSON, by the schema of the route. */
export type PageWriter = (
  reply: FastifyReply,
  events: readonly StoredEvent[],
  toWire: (event: StoredEvent) => WireEvent,
  end: End,
) => Promise<Buffer>;

/**
 * Creates the writer. A page of 1,000 events takes some 10 ms of the processor. All pages together write one slice in a turn of the event
 * loop, so that the calls of others come in between.
 */
export function createPageWriter(): PageWriter {
  let last: Promise<unknown> = Promise.resolve();
  const turn = () => (last = last.then(() => nextTurn()));
  return async (reply, events, toWire, end) => {
    const slices: string[] = [];
    for (let at = 0; at < events.length; at += SLICE) {
      if (events.length > SLICE) await turn();
      const slice = events.slice(at, at + SLICE).map(toWire);
      const text = reply.serializeInput({ events: slice }, Slice);
      slices.push(text.slice(BEFORE.length, -BEHIND.length));
    }
    return Buffer.from(`${BEFORE}${slices.join(',')}],${JSON.stringify(end).slice(1)}`);
  };
}
