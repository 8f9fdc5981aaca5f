/** A sender of webhooks, and webhooks that lead to receivers on this machine, for the tests. */
import { auditedTransaction } from '#audit/audited-transaction.ts';
import { sql } from '#db/database.ts';
import { onEnd } from '#test/database.ts';
import { SECRET, service } from '#test/harness.ts';
import { commandLine } from '#test/staff.ts';
import { createWebhook } from '#webhooks/create-webhook.ts';
import {
  startWebhookSender,
  type WebhookSender,
  type WebhookSenderOptions,
} from '#webhooks/send-webhooks.ts';
import { createWebhookSecrets } from '#webhooks/webhook-secret.ts';
import type { WebhookTerms } from '#webhooks/webhook.ts';
import { LOOPBACK } from './loopback.ts';
import type { Receiver } from './receiver.ts';

const { db } = await service();
export const secrets = createWebhookSecrets(SECRET);

/** What a sender has logged. */
export const logged: string[] = [];

export function startTestSender(options: Partial<WebhookSenderOptions> = {}): WebhookSender {
  const log = {
    warn: (facts: object, message: string) => void logged.push(JSON.stringify({ ...facts, message })),
  };
  const sender = startWebhookSender({
    db,
    log: log as unknown as WebhookSenderOptions['log'],
    secret: SECRET,
    rules: LOOPBACK,
    ...options,
  });
  onEnd(() => sender.stop());
  return sender;
}

/** Makes a webhook of a shop that leads to a receiver, which then knows its secret. Gives its id. */
export async function makeWebhook(
  shop: { readonly id: number },
  receiver: Receiver,
  terms: Partial<WebhookTerms> = {},
): Promise<string> {
  const chosen = { name: 'test', address: receiver.url, types: [], scopes: [], ...terms };
  const { id, secret } = await auditedTransaction(db, commandLine(shop.id), (tx) =>
    createWebhook(tx, shop.id, chosen, { rules: LOOPBACK, secrets }),
  );
  receiver.secrets.push(secret);
  return id;
}

/** Waits for a condition, a minute at most. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`after a minute still not so: ${what}`);
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

/** Makes whatever waits for a webhook due now, and ends its pause. */
export async function makeDue(shop: { readonly id: number }): Promise<void> {
  await sql`update webhook_deliveries set next_at = now() where commerce_id = ${shop.id} and state = 'waiting'`.execute(
    db,
  );
  await sql`update webhooks set next_at = now(), retry_at = now() where commerce_id = ${shop.id}`.execute(db);
}
