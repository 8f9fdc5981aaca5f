import { sql, type Database } from '#db/database.ts';

/**
 * Sets the clock of a sandbox commerce. This takes effect at once in every process. Jobs that fall due are not run.
 */
export async function setClock(database: Database, commerceId: number, now: Date): Promise<void> {
  await sql`
    update commerces
       set clock_offset = ${now}::timestamptz - statement_timestamp()
     where id = ${commerceId} and sandbox`.execute(database);
}

/** Moves the clock of a sandbox commerce forward to an instant. A clock that is already past it does not change. */
export async function moveClock(database: Database, commerceId: number, to: Date): Promise<void> {
  await sql`
    update commerces
       set clock_offset = greatest(clock_offset, ${to}::timestamptz - statement_timestamp())
     where id = ${commerceId} and sandbox`.execute(database);
}
