import { sql, type Database, type Db } from '#db/database.ts';
import { limitReached } from '#http/rate-limits.ts';

const CALLS = 100;
const WINDOW_SECONDS = 600;

/**
 * Counts a call that asks for a code or tries one. One client network may make 100 of them in any ten minutes, over all
 * processes.
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
      waitSeconds: await readWaitSeconds(database, network),
    });
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
