import type { CapName } from '#base/caps.ts';
import { sql, type Database } from '#db/database.ts';
import { widenNetwork } from '#http/client-network.ts';

/** A counter that caps what strangers do in an hour, and its limit. */
export interface WideCap {
  readonly name: CapName;
  readonly scope: string;
  readonly limit: number;
}

/** Limits per clock hour. `docs/decisions/0021-sign-in-under-attack.md` says how they were chosen. */
const FAILURES = { perWideNetwork: 200, perCommerce: 1_000, perInstallation: 2_000 };
const MAILS = { perWideNetwork: 500, perCommerce: 10_000, perInstallation: 30_000 };

/** Returns the caps that a mail to a stranger counts towards. `network` is as `clientNetworkOf` returns it. */
export function mailCapsOf(
  commerceId: number,
  network: string,
  { limitNetworks }: { limitNetworks: boolean },
): WideCap[] {
  const wideNetwork: WideCap = {
    name: 'sign-in-mails-of-a-network',
    scope: `mails ${widenNetwork(network)}`,
    limit: MAILS.perWideNetwork,
  };
  return [
    ...(limitNetworks ? [wideNetwork] : []),
    { name: 'sign-in-mails-of-a-commerce', scope: `mails commerce ${commerceId}`, limit: MAILS.perCommerce },
    { name: 'sign-in-mails-of-the-installation', scope: 'mails installation', limit: MAILS.perInstallation },
  ];
}

/** Returns the caps that a failed try counts towards. `network` is as `clientNetworkOf` returns it. */
export function failureCapsOf(
  commerceId: number,
  network: string,
  { limitNetworks }: { limitNetworks: boolean },
): WideCap[] {
  const wideNetwork: WideCap = {
    name: 'sign-in-failures-of-a-network',
    scope: widenNetwork(network),
    limit: FAILURES.perWideNetwork,
  };
  return [
    ...(limitNetworks ? [wideNetwork] : []),
    { name: 'sign-in-failures-of-a-commerce', scope: `commerce ${commerceId}`, limit: FAILURES.perCommerce },
    { name: 'sign-in-failures-of-the-installation', scope: 'installation', limit: FAILURES.perInstallation },
  ];
}

/** The count, and the hour in which it was made. */
export interface CountedTowardsCaps {
  readonly hour: Date;
  readonly caps: readonly WideCap[];
}

/**
 * Counts one more towards all caps, in a statement of its own that locks the counters only for itself. Returns the
 * first cap that is exceeded now, if any.
 */
export async function countTowardsCaps(
  db: Database,
  caps: readonly WideCap[],
): Promise<{ counted: CountedTowardsCaps; exceeded: WideCap | undefined }> {
  const { rows } = await sql<{ hour: Date; scope: string; failures: number }>`-- count-wide-failure
    insert into sign_in_failure_counts as c (hour, scope, failures)
    select date_trunc('hour', now()), scope, 1
      from unnest(${caps.map((cap) => cap.scope)}::text[]) as u(scope)
     order by scope
        on conflict (hour, scope) do update set failures = c.failures + 1
    returning hour, scope, failures`.execute(db);
  const failures = new Map(rows.map((row) => [row.scope, row.failures]));
  return {
    counted: { hour: rows[0]!.hour, caps },
    exceeded: caps.find((cap) => failures.get(cap.scope)! > cap.limit),
  };
}

/** Takes a counted failure back: the code was right. */
export async function takeBackFromCaps(db: Database, { hour, caps }: CountedTowardsCaps): Promise<void> {
  await sql`-- forget-wide-failure
    insert into sign_in_failure_counts as c (hour, scope, failures)
    select ${hour}::timestamptz, scope, 0
      from unnest(${caps.map((cap) => cap.scope)}::text[]) as u(scope)
     order by scope
        on conflict (hour, scope) do update set failures = c.failures - 1`.execute(db);
}

/** A common table expression with the name of the first cap that is reached, as `cap`, or null. */
export function reachedCap(caps: readonly WideCap[]) {
  return sql`wide as (
      select min(u.name) as cap
        from unnest(${caps.map((cap) => cap.name)}::text[], ${caps.map((cap) => cap.scope)}::text[],
                    ${caps.map((cap) => cap.limit)}::integer[]) as u(name, scope, most)
        join sign_in_failure_counts c on c.hour = date_trunc('hour', now()) and c.scope = u.scope
       where c.failures >= u.most
    )`;
}
