import { sql, type Db } from '#db/database.ts';
import { IDLE_HOURS, isOpenSession } from './staff-session.ts';

/** A session of a person, which is a browser on a device. */
export interface Device {
  readonly sessionId: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** If the person does nothing until then. */
  readonly endsAt: Date;
}

/** Returns where a person who works at a commerce is signed in, newest first. Returns null if nobody with this id does. */
export async function listDevices(db: Db, commerceId: number, staffId: number): Promise<Device[] | null> {
  const { rows: people } = await sql<{ personId: number }>`-- find-person-of-devices
    select person_id as "personId" from staff
     where commerce_id = ${commerceId} and id = ${staffId} and removed_at is null`.execute(db);
  if (people.length === 0) return null;
  const { rows } = await sql<Device>`-- list-devices
    select e.id as "sessionId", e.started_at as "startedAt", e.seen_at as "seenAt",
           least(e.ends_at, e.seen_at + interval '${sql.raw(String(IDLE_HOURS))} hours') as "endsAt"
      from staff_sessions e
     where e.person_id = ${people[0]!.personId} and ${isOpenSession}
     order by e.id desc`.execute(db);
  return rows;
}
