import { sql, type Database } from '#db/database.ts';
import type { AccessTokens } from './access-token.ts';
import { readRefreshToken } from './refresh-token.ts';

/**
 * Ends the session that a refresh token belongs to, whichever of its tokens it is. A text that is no token, or
 * one of a session that is over, changes nothing.
 */
export async function logOut(database: Database, tokens: AccessTokens, refresh: string): Promise<void> {
  const token = readRefreshToken(refresh);
  if (token === null) return;
  const { rows } = await sql<{ id: number }>`-- log-out
    update sessions
       set ended_at = now(), end_reason = 'logout'
     where handle = ${token.handle} and ended_at is null
    returning id`.execute(database);
  for (const { id } of rows) tokens.forget(id);
}
