import { sql, type Tx } from '#db/database.ts';
import { limitReached } from '#http/rate-limits.ts';
import type { TooManyRequests } from '#problems/problem.ts';

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Counts uses that a key undoes on this day (UTC, real time). A leaked key then gives back no more than that. Returns the refusal if
 * they are too many, and counts nothing then.
 * @param most null if there is no limit
 */
export async function countUndos(
  tx: Tx,
  key: { readonly commerceId: number; readonly keyId: number },
  undos: number,
  most: number | null,
): Promise<TooManyRequests | null> {
  if (most === null) return null;
  const { rows: today } = await sql<{ day: string; secondsLeft: number }>`-- read-undo-day
    select (now() at time zone 'UTC')::date::text as day,
           ${DAY_SECONDS} - extract(epoch from (now() at time zone 'UTC')::time)::integer as "secondsLeft"`.execute(
    tx,
  );
  const { day, secondsLeft } = today[0]!;
  if (undos <= most && (await storeUndos(tx, key, { day, undos, most }))) return null;
  return limitReached({ limit: most, windowSeconds: DAY_SECONDS, waitSeconds: secondsLeft });
}

/** Returns false if the day would have more than `most`, and stores nothing then. */
async function storeUndos(
  tx: Tx,
  { commerceId, keyId }: { readonly commerceId: number; readonly keyId: number },
  { day, undos, most }: { readonly day: string; readonly undos: number; readonly most: number },
): Promise<boolean> {
  const { rows } = await sql`-- count-undos
    insert into key_undos (commerce_id, key_id, day, undos)
    values (${commerceId}, ${keyId}, ${day}::date, ${undos})
        on conflict (commerce_id, key_id) do update
       set day = excluded.day,
           undos = excluded.undos + case when key_undos.day = excluded.day then key_undos.undos else 0 end
     where excluded.undos + case when key_undos.day = excluded.day then key_undos.undos else 0 end <= ${most}::bigint
    returning 1`.execute(tx);
  return rows.length === 1;
}
