import type { Audited } from '#audit/audited.ts';
import { sql, type Tx } from '#db/database.ts';
import { readLastId } from '#points/settled-id.ts';
import { checkAddress, type AddressRules } from './webhook-address.ts';
import { forAudit, lockWebhook, type WebhookTerms } from './webhook.ts';
import { OVERLAP_HOURS, type WebhookSecrets } from './webhook-secret.ts';

/**
 * A shop changes what it has chosen. What is left out stays. Another address begins without the failures and the pauses of the one before. A
 * turn under way for that loses its lease, so what it has sent counts for nothing.
 * @throws UnknownWebhook, UnfitAddress
 */
export async function changeWebhook(
  tx: Tx,
  commerceId: number,
  id: string,
  changes: Partial<WebhookTerms>,
  rules: AddressRules,
): Promise<Audited<void>> {
  const before = await lockWebhook(tx, commerceId, id);
  const { name, types, scopes, address: given } = { ...before, ...changes };
  const address = changes.address === undefined ? given : checkAddress(given, rules);
  await sql`-- change-webhook
    update webhooks
       set address = ${address}, name = ${name}, types = ${[...types]}::text[], scopes = ${[...scopes]}::text[]
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  if (address !== before.address)
    await sql`-- begin-at-other-address
    with due as (
      update webhook_deliveries set next_at = now()
       where commerce_id = ${commerceId} and webhook_id = ${id} and state = 'waiting'
    )
    update webhooks
       set next_at = now(), retry_at = now(), failures = 0, failing_since = null, answer_ms = null, lease = lease + 1, leased_until = null
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  const after = { name, address, types, scopes };
  return {
    answer: undefined,
    entry: { action: 'webhook.change', subject: id, before: forAudit(before), after: forAudit(after) },
  };
}

/** Nothing is sent to it any more. Repeating it changes nothing. @throws UnknownWebhook */
export async function disableWebhook(tx: Tx, commerceId: number, id: string): Promise<Audited<void>> {
  const before = await lockWebhook(tx, commerceId, id);
  if (before.disabledAt !== null) return { answer: undefined, entry: null };
  await sql`-- disable-webhook
    update webhooks set disabled_at = now(), disabled_because = 'owner'
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  return { answer: undefined, entry: { action: 'webhook.disable', subject: id } };
}

/** Where a webhook goes on that was switched off. */
export const GOES_ON = ['where_it_stopped', 'now'] as const;

/**
 * Events are sent to it again: those of the time in which it was switched off first, or only new ones. Repeating it changes nothing.
 * @throws UnknownWebhook
 */
export async function enableWebhook(
  tx: Tx,
  commerceId: number,
  id: string,
  from: (typeof GOES_ON)[number],
): Promise<Audited<void>> {
  const before = await lockWebhook(tx, commerceId, id);
  if (before.disabledAt === null) return { answer: undefined, entry: null };
  const through = from === 'now' ? await readLastId(tx) : null;
  await sql`-- enable-webhook
    update webhooks
       set disabled_at = null, disabled_because = null, failures = 0, failing_since = null, next_at = now(),
           through = coalesce(${through}::bigint, through)
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  return { answer: undefined, entry: { action: 'webhook.enable', subject: id, after: { from } } };
}

/** The webhook and its deliveries are deleted for good. @throws UnknownWebhook */
export async function deleteWebhook(tx: Tx, commerceId: number, id: string): Promise<Audited<void>> {
  const before = await lockWebhook(tx, commerceId, id);
  await sql`-- delete-webhook
    delete from webhooks where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  return {
    answer: undefined,
    entry: { action: 'webhook.delete', subject: id, before: forAudit(before) },
  };
}

/** A webhook with the secret that cannot be read again. */
export interface RotatedSecret {
  readonly secret: string;
}

/**
 * Another secret signs from now on. The one before signs too for a day, so that the receiver can change over. If it is replaced again
 * meanwhile, the oldest ends at once.
 * @param seenUntil the `oldSecretUntil` that the caller knows. If the secret has been replaced since, the caller gets the secret that
 * replaced it. Otherwise, a repeat after a lost answer would end the only secret that the receiver has.
 * @throws UnknownWebhook
 */
export async function rotateSecret(
  tx: Tx,
  commerceId: number,
  id: string,
  secrets: WebhookSecrets,
  seenUntil?: Date | null,
): Promise<Audited<RotatedSecret>> {
  const owner = { commerceId, id };
  const { secret: present, oldSecretUntil } = await lockWebhook(tx, commerceId, id);
  const isReplaced =
    seenUntil !== undefined && oldSecretUntil !== null && oldSecretUntil.getTime() !== seenUntil?.getTime();
  const secret = isReplaced ? secrets.open(present, owner) : null;
  if (secret !== null)
    return {
      answer: { secret },
      entry: { action: 'webhook.rotate', subject: id, after: { shown_again: true } },
    };
  const { shown, stored } = secrets.make(owner);
  await sql`-- rotate-webhook-secret
    update webhooks
       set old_secret = secret, old_secret_until = now() + make_interval(hours => ${OVERLAP_HOURS}::integer), secret = ${stored}
     where commerce_id = ${commerceId} and id = ${id}`.execute(tx);
  return {
    answer: { secret: shown },
    entry: { action: 'webhook.rotate', subject: id, after: { overlap_hours: OVERLAP_HOURS } },
  };
}
