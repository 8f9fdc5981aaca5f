import { sql, type Database } from '#db/database.ts';
import type { AccessTokens } from './access-token.ts';
import { readRefreshToken } from './refresh-token.ts';

/**
 * Ends the session of a refresh token, whether the token is current or replaced. Does nothing if the text is not a
 * token, the session has ended, or the session belongs to another commerce under the scope `commerce`.
 */
export async function logOut(
  database: Database,
  tokens: AccessTokens,
  { commerceId, refresh }: { commerceId: number; refresh: string },
): Promise<void> {
  const token = readRefreshToken(refresh);
  if (token === null) return;
  const { rows } = await sql<{ id: number }>`-- log-out
    update sessions
       set ended_at = now(), end_reason = 'logout'
     where handle = ${token.handle} and ended_at is null
       and (${tokens.scope === 'installation'}::boolean or not commerce_only or commerce_id = ${commerceId})
    returning id`.execute(database);
  for (const { id } of rows) tokens.forgetSession(id);
}
