import { sql, type Database, type Db } from '#db/database.ts';
import { limitReached } from '#http/rate-limits.ts';

const CALLS = 100;
const WINDOW_SECONDS = 600;

/**
 * Counts a call for a code or a try of one: 100 in any ten minutes from one client network, over all processes.
 * @throws TooManyRequests
 */
export async function countCall(database: Database, network: string): Promise<void> {
  const { rows } = await sql`-- count-call
    insert into sign_in_networks as n (network, calls) values (${network}, array[clock_timestamp()])
        on conflict (network) do update
       set calls = array(select c from unnest(n.calls) c where c > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS}))
                   || clock_timestamp()
     where (select count(*) from unnest(n.calls) c where c > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})) < ${CALLS}
    returning n.network`.execute(database);
  if (rows.length === 0)
    throw limitReached({
      limit: CALLS,
      windowSeconds: WINDOW_SECONDS,
      waitSeconds: await wait(database, network),
    });
}

/** Seconds until the oldest call of the window leaves it. */
async function wait(db: Db, network: string): Promise<number> {
  const { rows } = await sql<{ seconds: number | null }>`-- wait-for-call
    select extract(epoch from min(c) + make_interval(secs => ${WINDOW_SECONDS}) - clock_timestamp())::float8 as seconds
      from sign_in_networks n, unnest(n.calls) c
     where n.network = ${network} and c > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})`.execute(
    db,
  );
  return rows[0]?.seconds ?? 1;
}
