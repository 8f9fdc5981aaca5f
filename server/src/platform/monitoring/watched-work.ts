import { sql, type Database } from '#db/database.ts';

/** Work that is no job, and that somebody must hear of if it fails: it runs at night, and nobody waits for it. */
export type WatchedWork = 'backup' | 'heads';

/** Notes that work has ended well, or that it has failed. */
export async function noteWork(db: Database, work: WatchedWork, outcome: 'done' | 'failed'): Promise<void> {
  if (outcome === 'done')
    await sql`-- note-work-done
      insert into watched_work (name, succeeded_at) values (${work}, now())
      on conflict (name) do update set succeeded_at = now(), failing_since = null`.execute(db);
  else
    await sql`-- note-work-failed
      insert into watched_work (name, failing_since) values (${work}, now())
      on conflict (name) do update set failing_since = coalesce(watched_work.failing_since, now())`.execute(
      db,
    );
}
