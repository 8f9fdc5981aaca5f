import { KEPT_DAYS } from '#commerces/key-calls.ts';
import { sql, type Db } from '#db/database.ts';
import type { Position } from '#http/cursor.ts';

/** A call with a key that was refused or failed. */
export interface ProblemCall {
  readonly id: number;
  readonly at: Date;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
  readonly keyId: number;
  readonly keyName: string;
}

const PAGE = 30;

/** Returns a page of the calls that failed, of a key or of all, newest first. */
export async function readProblemCalls(
  db: Db,
  commerceId: number,
  keyId: number | null,
  position: Position | null,
): Promise<{ readonly calls: ProblemCall[]; readonly next: Position | null }> {
  const { rows } = await sql<ProblemCall>`-- read-problem-calls
    select p.id, p.at, p.method, p.route, p.status, p.code, p.request_id as "requestId",
           p.key_id as "keyId", k.name as "keyName"
      from problem_calls p
      join api_keys k on k.commerce_id = p.commerce_id and k.id = p.key_id
     where p.commerce_id = ${commerceId}
       and (${keyId}::bigint is null or p.key_id = ${keyId})
       and p.id < coalesce(${position?.id ?? null}::bigint, ${Number.MAX_SAFE_INTEGER})
       and p.at > now() - make_interval(days => ${KEPT_DAYS}::integer)
     order by p.id desc
     limit ${PAGE + 1}`.execute(db);
  const calls = rows.slice(0, PAGE);
  const last = calls.at(-1);
  return {
    calls,
    next: rows.length > PAGE && last !== undefined ? { direction: 'older', at: last.at, id: last.id } : null,
  };
}
