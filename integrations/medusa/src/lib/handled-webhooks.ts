import type { HandledEvents, Sql } from '@loyalty/shop-core';

/** Remembers which webhooks were handled. */
export function handledWebhooks(sql: Sql): HandledEvents {
  return {
    async has(webhookId) {
      return (
        (await sql(`select webhook_id from loyalty_webhook where webhook_id = $1`, [webhookId])).length > 0
      );
    },

    async add(webhookId) {
      await sql(`insert into loyalty_webhook (webhook_id) values ($1) on conflict do nothing`, [webhookId]);
    },
  };
}

/** Webhooks are sent again for some days, and replayed by people for longer. */
export async function forgetOldWebhooks(sql: Sql): Promise<void> {
  await sql(`delete from loyalty_webhook where received_at < now() - interval '40 days'`);
}
