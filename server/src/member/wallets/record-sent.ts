/** Records what the wallets were told about passes. */
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import type { DuePass } from './find-changed.ts';

/** Records that passes show something else now, before anyone is told. Changes are at least a second apart. */
export async function noteChanged(
  database: Database,
  changed: readonly { readonly pass: DuePass; readonly shown: Buffer }[],
): Promise<void> {
  if (changed.length === 0) return;
  await sql`-- note-changed-wallet-passes
    update wallet_passes p
       set shown = n.shown, changed_at = greatest(now(), (p.changed_at at time zone 'UTC' + interval '1 second') at time zone 'UTC')
      from unnest(${changed.map(({ pass }) => pass.commerceId)}::bigint[],
                  ${changed.map(({ pass }) => pass.serial)}::text[],
                  ${changed.map(({ shown }) => shown)}::bytea[]) as n(commerce_id, serial, shown)
     where p.commerce_id = any(${commercesOf(changed.map(({ pass }) => pass))}::bigint[])
       and p.commerce_id = n.commerce_id and p.serial = n.serial`.execute(database);
}

/** A device that holds one of Apple’s passes. */
export interface PassDevice {
  readonly commerceId: number;
  readonly serial: string;
  readonly device: string;
  readonly pushToken: string;
}

export async function readDevices(db: Db, passes: readonly DuePass[]): Promise<PassDevice[]> {
  const { rows } = await sql<PassDevice>`-- devices-of-wallet-passes
    select d.commerce_id as "commerceId", d.serial, d.device, d.push_token as "pushToken"
      from unnest(${passes.map((pass) => pass.commerceId)}::bigint[], ${passes.map((pass) => pass.serial)}::text[])
             as p(commerce_id, serial)
      join wallet_devices d on d.commerce_id = p.commerce_id and d.serial = p.serial
     where d.commerce_id = any(${commercesOf(passes)}::bigint[])`.execute(db);
  return rows;
}

/** Forgets a device that has removed the pass, unless it has registered again meanwhile. */
export async function forgetDevice(database: Database, gone: PassDevice): Promise<void> {
  await sql`-- forget-wallet-device
    delete from wallet_devices
     where commerce_id = ${gone.commerceId} and serial = ${gone.serial} and device = ${gone.device}
       and push_token = ${gone.pushToken}`.execute(database);
}

/** Records that Google was told about a shop. */
export async function noteShopSent(database: Database, commerceId: number, sent: Buffer): Promise<void> {
  await sql`-- note-wallet-shop-sent
    update wallet_shops set google_sent = ${sent} where commerce_id = ${commerceId}`.execute(database);
}

/**
 * Records that passes show what they should. A pass that became due again meanwhile stays due, and a device that
 * registered meanwhile is still told.
 */
export async function noteSent(
  database: Database,
  sent: readonly { readonly pass: DuePass; readonly shown: Buffer }[],
): Promise<void> {
  if (sent.length === 0) return;
  await sql`-- note-sent-wallet-passes
    update wallet_passes p
       set sent = case when p.due_at = n.due_at then n.shown else p.sent end,
           shown = n.shown,
           due_at = case when p.due_at = n.due_at then null else p.due_at end,
           leased_until = null, attempts = 0, last_error = null
      from unnest(${sent.map(({ pass }) => pass.commerceId)}::bigint[],
                  ${sent.map(({ pass }) => pass.serial)}::text[],
                  ${sent.map(({ pass }) => pass.dueAt)}::timestamptz[],
                  ${sent.map(({ shown }) => shown)}::bytea[]) as n(commerce_id, serial, due_at, shown)
     where p.commerce_id = any(${commercesOf(sent.map(({ pass }) => pass))}::bigint[])
       and p.commerce_id = n.commerce_id and p.serial = n.serial`.execute(database);
}

/** After so many failures, a pass waits for its next change, or for the look that every pass gets once an hour. Then it has one try. */
const MOST_ATTEMPTS = 8;

/** Tries a pass again after 10, 20, 40 … s. */
export async function postpone(
  database: Database,
  { commerceId, serial }: DuePass,
  error: unknown,
): Promise<void> {
  await sql`-- postpone-wallet-pass
    update wallet_passes
       set attempts = least(attempts + 1, ${MOST_ATTEMPTS - 1}),
           due_at = (now() at time zone 'UTC'
                     + case when attempts + 1 < ${MOST_ATTEMPTS} then make_interval(secs => 10 * 2 ^ attempts) end) at time zone 'UTC',
           leased_until = null, last_error = ${reasonOf(error).slice(0, 300)}
     where commerce_id = ${commerceId} and serial = ${serial}`.execute(database);
}

/** Returns what went wrong in one sentence. The message of `fetch` alone says nothing. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
