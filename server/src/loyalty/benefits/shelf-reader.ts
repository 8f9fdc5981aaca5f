import { createBatch } from '#batching/batch.ts';
import { onCluster } from '#batching/on-cluster.ts';
import { readProgram, readRules } from '#commerces/commerce.ts';
import type { Program } from '#program/program.ts';
import type { Rules } from '#program/rules.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import { isLive, type Offer } from './benefit.ts';
import { catalogOf } from './catalog.ts';

/** The offer of a shop at one instant of its own clock. */
export interface Shelf {
  readonly id: number;
  readonly version: number;
  /** The time of the commerce's clock. */
  readonly now: Date;
  readonly program: Program;
  readonly rules: Rules;
  /** Whether points of purchases wait, perhaps since an earlier program. */
  readonly pointsWait: boolean;
  /** All benefits of the program, in its order. */
  readonly all: Benefits;
  /** The benefits that members can buy now. */
  readonly live: Benefits;
}

/** A list of benefits with a name that is unique across commerces and versions. */
export interface Benefits {
  readonly name: string;
  readonly offers: readonly Offer[];
}

/** Reads shelves for all requests of this process. Returns undefined if the commerce does not exist or is closed. */
export type ShelfReader = (commerceId: number) => Promise<Shelf | undefined>;

/**
 * The catalog depends only on the program version, so it is kept with the version. The clock, the numbers sold, the
 * current version and the commerce's status can change at any time, so they are read anew each time. Reads that
 * arrive while another statement is running share the next one.
 */
export function createShelfReader(db: Database): ShelfReader {
  const batch = createBatch<number, Shelf | undefined>({
    ...onCluster(db),
    name: 'read-shelves',
    tracing: db.tracing,
    run: async (ids) => {
      const shelves = await readShelves(db, [...new Set(ids)]);
      return ids.map((id) => shelves.get(id));
    },
    commerceOf: (id) => id,
    mayRepeat: () => true,
    longestQueuedMs: db.patience.queuedMs,
  });
  return (commerceId) => batch.submit(commerceId);
}

/** Reads the shelves of the open commerces, by commerce id. */
export async function readShelves(db: Db, commerceIds: readonly number[]): Promise<Map<number, Shelf>> {
  // One statement, so that the numbers sold are compared with the limits of the same program version.
  const { rows } = await sql<ShelfRow>`-- read-shelves
    select c.id, c.program_version as version, program_now(c.clock_offset) as now,
           (select json_object_agg(b.id, b.sold)
              from benefits b
             where b.commerce_id = any(${commerceIds}::bigint[]) and b.commerce_id = c.id
               and b.buy_limit > 0 and b.withdrawn_at is null) as sold,
           exists (select from pending_points w
                    where w.commerce_id = any(${commerceIds}::bigint[]) and w.commerce_id = c.id) as "pointsWait"
      from commerces c
     where c.id = any(${commerceIds}::bigint[]) and c.status <> 'closed'`.execute(db);
  const shelves = await Promise.all(rows.map((row) => shelfOf(db, row)));
  return new Map(shelves.map((shelf) => [shelf.id, shelf]));
}

interface ShelfRow {
  readonly id: number;
  readonly version: number;
  readonly now: Date;
  /** The numbers sold of benefits with a limit. Null if there are none. */
  readonly sold: Readonly<Record<string, number>> | null;
  readonly pointsWait: boolean;
}

async function shelfOf(db: Db, { id, version, now, sold, pointsWait }: ShelfRow): Promise<Shelf> {
  const program = await readProgram(db, id, version);
  const rules = await readRules(db, id, version);
  const offers = catalogOf(db, program);
  const live = offers.filter((offer) => isLive(offer, sold?.[offer.id] ?? 0, now));
  const name = `benefits ${id}/${version}`;
  return {
    id,
    version,
    now,
    program,
    rules,
    pointsWait,
    all: { name, offers },
    live: { name: `${name}/${live.map((offer) => offer.id).join(' ')}`, offers: live },
  };
}
