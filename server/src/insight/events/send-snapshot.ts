import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyReply } from 'fastify';
import type { Caps } from '#base/caps.ts';
import { sql, transaction, type Database, type Db, type Tx } from '#db/database.ts';
import { createSemaphore } from '#http/semaphore.ts';
import type { StillGood } from '#http/still-good.ts';
import { readLastId } from '#points/settled-id.ts';
import { Overloaded } from '#problems/problem.ts';
import { MOST_MISSING, type EventCursor, type EventCursors, type IdRange } from './event-cursor.ts';
import { readFeed, type EventIds } from './feed.ts';
import type { Follower } from './follower.ts';
import { memberLines, stampLines, voucherLines, type SnapshotLine } from './snapshot-lines.ts';
import type { Sight } from './wire.ts';

/** Each has a connection of its own until its caller has read it, and now and then another: at most half of the pool together. */
const MOST_AT_ONCE = 2;
const LONGEST_TURN_MS = 2_000;
const LONGEST_SETTLE_MS = 8_000;
/** How long a caller may take to read a part, and all of it. */
const SLOWEST_READ_MS = 30_000;
const LONGEST_MS = 600_000;
const ATTEMPTS = 5;

export interface SnapshotSender {
  /** Answers with all that a commerce's reader starts from, as a stream. */
  send(reply: FastifyReply, commerceId: number, sight: Sight): Promise<never>;
  /** Ends the snapshots that are being sent. Their callers notice, because the last line is missing. */
  stop(): void;
}

interface SnapshotDeps {
  readonly db: Database;
  readonly caps: Caps;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
  readonly follower: Follower;
  readonly isStillGood: StillGood;
  readonly cursorsOf: (commerceId: number) => EventCursors;
}

/** Where a snapshot goes, and what of it its reader may see. */
interface Output {
  readonly sight: Sight;
  readonly stream: PassThrough;
  /** Whether the key is still good. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly onBegin: () => void;
}

/**
 * Creates the sender. A snapshot is one transaction that sees one state. The database ends it if its caller reads too slowly, so that it
 * keeps no old rows for long.
 */
export function createSnapshotSender(deps: SnapshotDeps): SnapshotSender {
  const { db, caps, log, follower, isStillGood, cursorsOf } = deps;
  const commerces = createSemaphore(1);
  const atOnce = Math.min(MOST_AT_ONCE, Math.floor(db.pool.options.max / 4));
  const all = createSemaphore(Math.max(1, atOnce));
  const running = new Set<PassThrough>();

  return {
    async send(reply, commerceId, sight) {
      const leave = await enter(commerceId);
      const stream = new PassThrough();
      stream.once('close', () => running.delete(stream));
      running.add(stream);
      const late = setTimeout(() => stream.destroy(), LONGEST_MS);
      const begun = Promise.withResolvers<void>();
      const mayGoOn = () => isStillGood(reply.request);
      void write(commerceId, { sight, stream, mayGoOn, onBegin: begun.resolve })
        .then(() => stream.end())
        .catch((error: unknown) => {
          begun.reject(error);
          if (!stream.destroyed && !db.trouble.note(error))
            log.warn({ err: error }, 'a snapshot of events was broken off');
          stream.destroy();
        })
        .finally(() => {
          clearTimeout(late);
          leave();
        });
      await begun.promise;
      void reply.type('application/x-ndjson; charset=utf-8').header('cache-control', 'no-store');
      // Returning the reply would count as handling the call until all of the stream is sent.
      return stream as never;
    },

    stop() {
      for (const stream of running) stream.destroy();
    },
  };

  async function enter(commerceId: number): Promise<() => void> {
    const until = performance.now() + LONGEST_TURN_MS;
    const refuse = (reason: string) => {
      caps.refused('calls-of-a-commerce');
      return new Overloaded(reason);
    };
    const commerce = String(commerceId);
    if (!(await commerces.enter(commerce, until))) throw refuse('a snapshot of this commerce is being read');
    if (await all.enter('', until))
      return () => {
        commerces.leave(commerce);
        all.leave('');
      };
    commerces.leave(commerce);
    throw refuse('too many snapshots at once');
  }

  /** Tries again if so many transactions were open at that moment that a cursor cannot name what they may still write. */
  async function write(commerceId: number, output: Output): Promise<void> {
    const { epoch, ids } = await readFeed(db, commerceId);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const settled = await follower.settledId();
      const attemptIn = async (tx: Tx) => {
        await sql.raw(`set local idle_in_transaction_session_timeout = ${SLOWEST_READ_MS}`).execute(tx);
        const start = await readStart(tx, commerceId);
        const missing = await findMissing(tx, commerceId, settled, start.through);
        if (missing === null || missing.length > MOST_MISSING) return false;
        const cursor = { epoch, through: start.through, missing, givenAt: new Date() };
        await writeLines(tx, commerceId, { ...output, ids, start, cursor });
        return true;
      };
      const isWritten = await transaction(db, attemptIn, { snapshot: true, mayRepeat: false });
      if (isWritten) return;
    }
    throw new Overloaded('the commerce is busy');
  }

  /**
   * Returns the ids up to `through` that this snapshot does not have and that exist nevertheless: their transactions were open. Returns
   * null if one of them takes too long. Everything that was settled before is in the snapshot.
   */
  async function findMissing(
    tx: Tx,
    commerceId: number,
    settled: number,
    through: number,
  ): Promise<IdRange[] | null> {
    const until = performance.now() + LONGEST_SETTLE_MS;
    while ((await follower.settledId()) < through) {
      if (performance.now() > until) return null;
      await pause(20);
    }
    const seen = new Set(await readIds(tx, commerceId, settled, through));
    const missing: IdRange[] = [];
    let isOpen = false;
    for (const id of await readIds(db, commerceId, settled, through)) {
      if (seen.has(id)) isOpen = false;
      else if (isOpen) missing.push({ from: missing.pop()!.from, to: id });
      else {
        missing.push({ from: id, to: id });
        isOpen = true;
      }
    }
    return missing;
  }

  async function writeLines(
    tx: Tx,
    commerceId: number,
    content: Output & { readonly ids: EventIds; readonly start: Start; readonly cursor: EventCursor },
  ): Promise<void> {
    const { ids, sight, stream, start, cursor, mayGoOn, onBegin } = content;
    const send = async (lines: readonly SnapshotLine[]) => {
      if (stream.destroyed || !(await mayGoOn())) throw new Error('nobody may read the snapshot any more');
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (!stream.write(text)) await drained(stream);
    };
    onBegin();
    await send([{ type: 'start', commerce_id: commerceId, at: start.at, movements: start.movements }]);
    for await (const lines of memberLines(tx, commerceId, ids, sight)) await send(lines);
    for await (const lines of voucherLines(tx, commerceId, ids, sight)) await send(lines);
    for await (const lines of stampLines(tx, commerceId, ids)) await send(lines);
    await send([{ type: 'end', next: cursorsOf(commerceId).seal(cursor) }]);
  }
}

/** Waits until there is room in a stream, or nobody reads it any more. Leaves no listener behind. */
async function drained(stream: PassThrough): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    done.abort();
  }
}

interface Start {
  readonly at: Date;
  /** No id above it had been given out. */
  readonly through: number;
  readonly movements: number;
}

/**
 * The first statements of the transaction. The first takes the snapshot, on a cluster on the machine of the commerce. The sequence is read
 * after it, where ids are given out, so the snapshot has no id above it.
 */
async function readStart(tx: Tx, commerceId: number): Promise<Start> {
  const { rows } = await sql<{ movements: number }>`-- begin-event-snapshot
    select coalesce(l.size, 0) + (select count(*) from movements m
                                   where m.commerce_id = ${commerceId} and m.id > coalesce(l.through_id, 0)) as movements
      from (values (1)) as one(row)
      left join seal_logs l on l.commerce_id = ${commerceId}`.execute(tx);
  const { rows: clock } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(tx);
  return { at: clock[0]!.at, through: await readLastId(tx), movements: rows[0]!.movements };
}

async function readIds(db: Db, commerceId: number, after: number, through: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`-- read-event-ids
    select id from movements where commerce_id = ${commerceId} and id > ${after} and id <= ${through}
     union all
    select id from happenings where commerce_id = ${commerceId} and id > ${after} and id <= ${through}
     order by id`.execute(db);
  return rows.map((row) => row.id);
}
