import type { Config } from '#settings/config.ts';
import { sql, type Database } from '#db/database.ts';

/** Connections that jobs, commands, migrations, a worker and a look into the database need beside those of the processes. */
const OTHERS = 10;
/** With one, a call would wait for another that has taken it. */
const SMALLEST = 2;

/**
 * Returns how many connections each process may open, so that all of them together stay below `max_connections`, and a warning if that is
 * less than DATABASE_POOL_SIZE. A pooler in front shares connections out itself.
 */
export async function fitPool(
  { databaseUrl, databaseDirectUrl, databasePoolSize }: Config,
  db: Database,
  processes: number,
): Promise<{ poolSize: number; warning: string | null }> {
  if (databaseDirectUrl !== databaseUrl) return { poolSize: databasePoolSize, warning: null };
  const { rows } = await sql<{ offered: number }>`
    select sum(case name when 'max_connections' then setting::integer else -setting::integer end)::integer as offered
      from pg_settings
     where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`.execute(db);
  const { offered } = rows[0]!;
  const poolSize = Math.max(SMALLEST, Math.min(databasePoolSize, Math.floor((offered - OTHERS) / processes)));
  if (poolSize >= databasePoolSize) return { poolSize: databasePoolSize, warning: null };
  return {
    poolSize,
    warning: `${processes} processes with DATABASE_POOL_SIZE=${databasePoolSize} would need ${processes * databasePoolSize} connections, and PostgreSQL offers ${offered} to all: each process gets ${poolSize}. Raise max_connections of PostgreSQL, or set fewer PROCESSES.`,
  };
}
