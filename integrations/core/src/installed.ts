import type { Sql } from './postgres-outbox.ts';

/** The service takes no order that was paid longer before it is first told. */
const LATEST_MS = 72 * 3_600_000;

/**
 * Makes the table that says since when a shop has the plugin: for a migration, after `POSTGRES_OUTBOX_TABLES`. In a shop that had the plugin
 * before the table, nothing that waits is from before.
 */
export const POSTGRES_INSTALLED_TABLE: readonly string[] = [
  `create table if not exists loyalty_installed (
     only_row boolean primary key default true check (only_row),
     installed_at timestamptz not null
   )`,
  `insert into loyalty_installed (installed_at)
   select least(now(), min(noted_at)) from loyalty_outbox
   on conflict do nothing`,
];

/** Returns when the plugin was installed. It never changes. */
export async function readInstalledAt(sql: Sql): Promise<Date> {
  const [row] = await sql<{ at: Date }>(`select installed_at as at from loyalty_installed`);
  return row!.at;
}

/** Returns true for an order that was too old to be told when the plugin was installed: `isFromBefore` of a `ShopOrder`. */
export function isFromBefore(paidAt: Date | null, installedAt: Date): boolean {
  return paidAt !== null && paidAt.getTime() < installedAt.getTime() - LATEST_MS;
}
