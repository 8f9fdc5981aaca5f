import { sql, type Database } from '#db/database.ts';
import type { WebhookSecrets } from './webhook-secret.ts';

/**
 * Encrypts the secrets of all endpoints with the current key of the installation, so that the keys before can be removed. Secrets that are
 * so already, or that none of the keys can read, stay as they are.
 */
export async function renewSecrets(database: Database, secrets: WebhookSecrets): Promise<void> {
  const { rows } = await sql<{
    commerceId: number;
    id: string;
    secret: Buffer;
    oldSecret: Buffer | null;
  }>`-- read-webhook-secrets
    select commerce_id as "commerceId", id, secret, old_secret as "oldSecret" from webhooks`.execute(
    database,
  );
  for (const webhook of rows) {
    const { commerceId, id } = webhook;
    for (const stored of [webhook.secret, webhook.oldSecret]) {
      const renewed = stored && secrets.renew(stored, webhook);
      if (renewed === null) continue;
      await sql`-- renew-webhook-secret
        update webhooks
           set secret = case when secret = ${stored} then ${renewed} else secret end,
               old_secret = case when old_secret = ${stored} then ${renewed} else old_secret end
         where commerce_id = ${commerceId} and id = ${id}`.execute(database);
    }
  }
}
