import { createBoundedCache } from '#base/bounded-cache.ts';
import type { Caps } from '#base/caps.ts';
import { sql, type Database, type Db } from '#db/database.ts';
import { limitReached } from '#http/rate-limits.ts';
import type { TooManyRequests } from '#problems/problem.ts';

const CALLS = 100;
const WINDOW_SECONDS = 600;
/** An entry takes about 200 bytes. */
const NETWORKS_REMEMBERED = 50_000;

/** Counts the calls that ask for a code, or try a code or a link, by client network. */
export interface CallCounter {
  /**
   * Returns the refusal if this process knows that the network has reached its limit. Needs no database, so a flood of
   * calls over the limit costs nobody else anything.
   */
  refusalOf(network: string): TooManyRequests | undefined;
  /**
   * Counts a call. One client network may make 100 of them in any ten minutes, over all processes.
   * @throws TooManyRequests
   */
  count(network: string): Promise<void>;
}

/** Creates the counter of a process. The counts are in the database; only refusals are remembered. */
export function createCallCounter(database: Database, caps: Caps): CallCounter {
  /** The end of the wait by network, in milliseconds of the monotonic clock. */
  const waits = createBoundedCache<string, number>(NETWORKS_REMEMBERED);
  const refuse = (waitSeconds: number) => {
    caps.refused('sign-in-calls-of-a-network');
    return limitReached({ limit: CALLS, windowSeconds: WINDOW_SECONDS, waitSeconds });
  };

  return {
    refusalOf(network) {
      const until = waits.get(network);
      if (until === undefined) return undefined;
      const waitMs = until - performance.now();
      if (waitMs > 0) return refuse(waitMs / 1000);
      waits.delete(network);
      return undefined;
    },
    async count(network) {
      if (await addCall(database, network)) return;
      const waitSeconds = await readWaitSeconds(database, network);
      waits.set(network, performance.now() + waitSeconds * 1000);
      throw refuse(waitSeconds);
    },
  };
}

/** Returns false if the network has reached its limit. */
async function addCall(database: Database, network: string): Promise<boolean> {
  const { rows } = await sql`-- count-call
    insert into sign_in_networks as n (network, calls) values (${network}, array[clock_timestamp()])
        on conflict (network) do update
       set calls = array(select c from unnest(n.calls) c where c > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS}))
                   || clock_timestamp()
     where (select count(*) from unnest(n.calls) c where c > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})) < ${CALLS}
    returning n.network`.execute(database);
  return rows.length === 1;
}

/** Returns the seconds until the oldest call leaves the window. */
async function readWaitSeconds(db: Db, network: string): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`-- wait-for-call
    select extract(epoch from min(c) + make_interval(secs => ${WINDOW_SECONDS}) - clock_timestamp())::float8 as seconds
      from sign_in_networks n, unnest(n.calls) c
     where n.network = ${network} and c > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})`.execute(
    db,
  );
  return rows[0]?.seconds ?? 1;
}
