import { sql, type Database } from '#db/database.ts';
import type { AccessTokens } from './access-token.ts';
import { readRefreshToken } from './refresh-token.ts';

/**
 * Ends the session of a refresh token, whether the token is current or replaced. Does nothing if the text is not a
 * token or the session has ended.
 */
export async function logOut(database: Database, tokens: AccessTokens, refresh: string): Promise<void> {
  const token = readRefreshToken(refresh);
  if (token === null) return;
  const { rows } = await sql<{ id: number }>`-- log-out
    update sessions
       set ended_at = now(), end_reason = 'logout'
     where handle = ${token.handle} and ended_at is null
    returning id`.execute(database);
  for (const { id } of rows) tokens.forgetSession(id);
}
