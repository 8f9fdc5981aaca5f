import { sql } from '#db/database.ts';

/** Selects the keys `api_keys k` that are accepted now: neither revoked, nor replaced and past the end of the overlap. */
export const isWorkingKey = sql.raw('k.revoked_at is null and (k.ends_at is null or k.ends_at > now())');
