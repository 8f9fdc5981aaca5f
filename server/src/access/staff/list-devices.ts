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
  const { rows } = await sql<Device & { sessionId: number | null }>`-- list-devices
    select e.id as "sessionId", e.started_at as "startedAt", e.seen_at as "seenAt",
           least(e.ends_at, e.seen_at + interval '${sql.raw(String(IDLE_HOURS))} hours') as "endsAt"
      from staff s
      left join staff_sessions e on e.person_id = s.person_id and ${isOpenSession}
     where s.commerce_id = ${commerceId} and s.id = ${staffId} and s.removed_at is null
     order by e.id desc`.execute(db);
  return rows.length === 0 ? null : rows.filter(({ sessionId }) => sessionId !== null);
}
