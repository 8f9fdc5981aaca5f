import { createBatch } from '#calls/batch.ts';
import { readProgram } from '#commerces/commerce.ts';
import type { Program } from '#program/program.ts';
import { sql, type Db } from '#db/database.ts';
import { isLive, type Offer } from './benefit.ts';
import { catalogOf } from './catalog.ts';

/** What a shop has to show at one instant of its own clock. */
export interface Shelf {
  readonly id: number;
  readonly version: number;
  readonly program: Program;
  /** Every benefit of the program, in its order. */
  readonly all: Benefits;
  /** Those that members can buy now. */
  readonly live: Benefits;
}

/** Some benefits, and a name that no others have, of whatever commerce and version. */
export interface Benefits {
  readonly name: string;
  readonly offers: readonly Offer[];
}

/** Reads shelves for all requests of this process; undefined where a commerce does not exist, or has closed. */
export type ShelfReader = (commerceId: number) => Promise<Shelf | undefined>;

/**
 * What the program defines follows from its version and is kept with it. What changes without one (the clock, what is
 * sold, the version itself, whether the commerce is open) is asked anew each time: reads that arrive while others are
 * under way share the next statement.
 */
export function createShelfReader(db: Db): ShelfReader {
  const batch = createBatch<number, Shelf | undefined>({
    run: async (ids) => {
      const shelves = await readShelves(db, [...new Set(ids)]);
      return ids.map((id) => shelves.get(id));
    },
    commerceOf: (id) => id,
    mayRepeat: () => true,
  });
  return (commerceId) => batch.submit(commerceId);
}

/** The shelves of commerces that are open, by their id. */
export async function readShelves(db: Db, commerceIds: readonly number[]): Promise<Map<number, Shelf>> {
  // In one statement, so that what is sold is counted by the version it is held against.
  const { rows } = await sql<ShelfRow>`-- read-shelves
    select c.id, c.program_version as version, program_now(c) as now,
           (select json_object_agg(b.id, b.sold)
              from benefits b
             where b.commerce_id = c.id and b.buy_limit > 0 and b.withdrawn_at is null) as sold
      from commerces c
     where c.id = any(${commerceIds}::bigint[]) and c.status <> 'closed'`.execute(db);
  const shelves = await Promise.all(rows.map((row) => shelfOf(db, row)));
  return new Map(shelves.map((shelf) => [shelf.id, shelf]));
}

interface ShelfRow {
  readonly id: number;
  readonly version: number;
  readonly now: Date;
  /** Of those with a limit; null where there are none. */
  readonly sold: Readonly<Record<string, number>> | null;
}

async function shelfOf(db: Db, { id, version, now, sold }: ShelfRow): Promise<Shelf> {
  const program = await readProgram(db, id, version);
  const offers = catalogOf(db, program);
  const live = offers.filter((offer) => isLive(offer, sold?.[offer.id] ?? 0, now));
  const name = `benefits ${id}/${version}`;
  return {
    id,
    version,
    program,
    all: { name, offers },
    live: { name: `${name}/${live.map((offer) => offer.id).join(' ')}`, offers: live },
  };
}
