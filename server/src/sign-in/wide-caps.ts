import type { CapName } from '#caps.ts';
import { sql, type Database } from '#db/database.ts';

/** A counter that caps the failures of strangers in an hour, and its limit. */
export interface WideCap {
  readonly name: CapName;
  readonly scope: string;
  readonly limit: number;
}

/**
 * Failures per clock hour. `docs/decisions/0021-sign-in-under-attack.md` says how these limits were chosen.
 */
const PER_WIDE_NETWORK = 200;
const PER_COMMERCE = 1_000;
const PER_INSTALLATION = 2_000;

/** Returns the caps that a try counts towards. `network` is as `clientNetworkOf` returns it. */
export function wideCapsOf(
  commerceId: number,
  network: string,
  { limitNetworks }: { limitNetworks: boolean },
): WideCap[] {
  const wideNetwork: WideCap = {
    name: 'sign-in-failures-of-a-network',
    scope: widenNetwork(network),
    limit: PER_WIDE_NETWORK,
  };
  return [
    ...(limitNetworks ? [wideNetwork] : []),
    { name: 'sign-in-failures-of-a-commerce', scope: `commerce ${commerceId}`, limit: PER_COMMERCE },
    { name: 'sign-in-failures-of-the-installation', scope: 'installation', limit: PER_INSTALLATION },
  ];
}

/** Returns the /24 of an IPv4 address and the /48 of an IPv6 network: about the size that one attacker can get. */
export function widenNetwork(network: string): string {
  if (network.includes(':')) return `${network.split(':').slice(0, 3).join(':')}::/48`;
  return `${network.split('.').slice(0, 3).join('.')}.0/24`;
}

/** The hour and the failures that were counted in it. */
export interface CountedFailure {
  readonly hour: Date;
  readonly caps: readonly WideCap[];
}

/**
 * Counts a failure towards all caps, in a statement of its own that locks the counters only for itself. Returns the
 * first cap that is exceeded now, if any.
 */
export async function countWideFailure(
  db: Database,
  caps: readonly WideCap[],
): Promise<{ counted: CountedFailure; exceeded: WideCap | undefined }> {
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
export async function forgetWideFailure(db: Database, { hour, caps }: CountedFailure): Promise<void> {
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
