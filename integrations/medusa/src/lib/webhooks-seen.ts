import type { Sql } from '@loyalty/shop-core';

/** Remembers a webhook, and returns false if it came before. */
export async function isNewWebhook(sql: Sql, webhookId: string): Promise<boolean> {
  const rows = await sql(
    `insert into loyalty_webhook (webhook_id) values ($1) on conflict do nothing returning webhook_id`,
    [webhookId],
  );
  return rows.length > 0;
}

/** Webhooks are sent again for some days, and replayed by people for longer. */
export async function forgetOldWebhooks(sql: Sql): Promise<void> {
  await sql(`delete from loyalty_webhook where received_at < now() - interval '40 days'`);
}
