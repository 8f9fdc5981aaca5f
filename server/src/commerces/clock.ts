import { sql, type Database } from '#db/database.ts';

/** Sets the clock of a sandbox commerce. It counts at once in every process; nothing that fell due is run. */
export async function setClock(database: Database, commerceId: number, now: Date): Promise<void> {
  await sql`
    update commerces
       set clock_offset = ${now}::timestamptz - clock_timestamp()
     where id = ${commerceId} and sandbox`.execute(database);
}

/** Moves the clock of a sandbox commerce on to an instant; a clock that is there or beyond stays. */
export async function moveClock(database: Database, commerceId: number, to: Date): Promise<void> {
  await sql`
    update commerces
       set clock_offset = greatest(clock_offset, ${to}::timestamptz - clock_timestamp())
     where id = ${commerceId} and sandbox`.execute(database);
}
