/**
 * What the machines of a cluster keep with the role of the service. A session there has no other settings: those that a connection brings to
 * the coordinator end there. Behind a pooler the coordinator keeps the time limits of calls with the role, and Citus copies them to a machine
 * that is added. There they would end jobs and commands.
 */
import { ONLY_HERE, type Db } from '../database.ts';
import { askMachines } from './ask-machines.ts';
import { hasCitus } from './shards.ts';

type Settings = Readonly<Record<string, string>>;

/** Returns the addresses of the machines that answer and do not keep all these settings with the role. Reads nothing at the coordinator. */
export async function readUnsetMachines(connection: Db, settings: Settings): Promise<string[]> {
  if (!(await hasCitus(connection))) return [];
  const wanted = Object.entries(settings).map(([name, value]) => `"${name}=${value}"`);
  const answers = await askMachines(
    connection,
    `select (select groupid from pg_dist_local_group) = 0
            or coalesce((select s.setconfig @> '{${wanted.join(',')}}'
                           from pg_db_role_setting s
                           join pg_roles r on r.oid = s.setrole and r.rolname = session_user
                           join pg_database d on d.oid = s.setdatabase and d.datname = current_database()), false)`,
  );
  return answers.flatMap(({ machine, said }) => (said === 'f' || said === 'false' ? [machine] : []));
}

/**
 * Stores these settings with the role on all machines of a cluster but the coordinator, where they are not yet. One that does not answer, or
 * where the role may not change its settings, stays as it is, and the doctor tells.
 */
export async function storeAtMachines(connection: Db, settings: Settings): Promise<void> {
  if ((await readUnsetMachines(connection, settings)).length === 0) return;
  const stored = Object.entries(settings).map(
    ([name, value]) =>
      `execute format('alter role session_user in database %I set ${name} = ${value}', current_database());`,
  );
  // Processes that start together would otherwise change the same row at once.
  await askMachines(
    connection,
    `do $do$ begin
       if (select groupid from pg_dist_local_group) = 0 then return; end if;
       perform pg_advisory_xact_lock(${LOCK});
       perform set_config('${ONLY_HERE}', 'off', true);
       ${stored.join('\n')}
     end $do$`,
  );
}

const LOCK = '3853314791062309108';
