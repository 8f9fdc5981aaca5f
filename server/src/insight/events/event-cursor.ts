import { createSealer } from '#settings/sealer.ts';
import type { SecretKeys } from '#settings/secret-key.ts';

/** How far a reader of the feed has come. */
export interface EventCursor {
  /** Of the feed. Another one means that what was read may be no part of this feed. */
  readonly epoch: Buffer;
  /** The id up to which everything was read, but for `missing`. */
  readonly through: number;
  /** Ids up to `through` that were not committed yet when a snapshot was taken, ascending. */
  readonly missing: readonly IdRange[];
  /** When the cursor was given out, in real time. */
  readonly givenAt: Date;
}

/** Ids of a commerce from the first to the last. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** Makes and reads the cursors of one commerce's feed. */
export interface EventCursors {
  seal(cursor: EventCursor): string;
  /** Returns null if `seal` did not make this text for this commerce. */
  open(text: string): EventCursor | null;
}

export const CURSOR_CHARACTERS = 512;
/** So many ranges fit into a cursor. */
export const MOST_MISSING = 25;

const EPOCH_BYTES = 8;

/**
 * Creates the cursors. They are encrypted, because ids count up over all shops, and good for one commerce only. Nobody but the service can
 * make or change one.
 */
export function createEventCursors(secret: SecretKeys): (commerceId: number) => EventCursors {
  const sealer = createSealer(secret, 'event cursors');
  return (commerceId) => {
    const context = `events/${commerceId}`;
    return {
      seal: (cursor) => sealer.seal(write(cursor), context).toString('base64url'),

      open(text) {
        const bytes = Buffer.from(text, 'base64url');
        if (bytes.toString('base64url') !== text) return null;
        const opened = sealer.open(bytes, context);
        return opened && read(opened.content);
      },
    };
  };
}

/** The epoch, then numbers of six bytes: the seconds, the id, and the ends of the ranges. */
function write({ epoch, through, missing, givenAt }: EventCursor): Buffer {
  const numbers = [
    Math.floor(givenAt.getTime() / 1000),
    through,
    ...missing.flatMap(({ from, to }) => [from, to]),
  ];
  const content = Buffer.alloc(EPOCH_BYTES + 6 * numbers.length);
  epoch.copy(content);
  numbers.forEach((number, i) => content.writeUIntBE(number, EPOCH_BYTES + 6 * i, 6));
  return content;
}

function read(content: Buffer): EventCursor {
  const numbers = Array.from({ length: (content.length - EPOCH_BYTES) / 6 }, (_, i) =>
    content.readUIntBE(EPOCH_BYTES + 6 * i, 6),
  );
  const [seconds, through, ...ends] = numbers as [number, number, ...number[]];
  const missing = ends.flatMap((from, i) => (i % 2 === 0 ? [{ from, to: ends[i + 1]! }] : []));
  return {
    epoch: content.subarray(0, EPOCH_BYTES),
    through,
    missing,
    givenAt: new Date(seconds * 1000),
  };
}
