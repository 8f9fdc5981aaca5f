import { sql, type Database } from '#db/database.ts';
import type { App } from '#http/server.ts';

/**
 * Looks at the passes of members again who have just left, come back, changed their name or bought something, because not
 * all of this is in the ledger. It happens after the response, and an hour later at the latest if it fails. Must be called
 * before the first route is added.
 */
export function lookAgainAfterChanges(app: App, db: Database): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { commerceId, userId, method } = request;
    const hasChanged = method !== 'GET' && method !== 'HEAD' && reply.statusCode < 300;
    if (userId !== 0 && commerceId !== 0 && hasChanged) {
      lookAgain(db, commerceId, userId).catch((error: unknown) => {
        if (!db.trouble.note(error))
          request.log.warn({ err: error }, 'a wallet pass was not looked at again');
      });
    }
    done();
  });
}

async function lookAgain(db: Database, commerceId: number, userId: number): Promise<void> {
  await sql`-- look-again-at-wallet-passes
    update wallet_passes p
       set due_at = now()
      from members m
     where m.commerce_id = ${commerceId} and m.user_id = ${userId}
       and p.commerce_id = m.commerce_id and p.member_id = m.id`.execute(db);
}
