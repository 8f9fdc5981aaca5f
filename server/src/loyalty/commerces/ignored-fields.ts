import type { FastifyRequest } from 'fastify';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, type Database } from '#db/database.ts';
import '#request/unknown-fields.ts';

/** How many names are kept of a key, and for how long after the last call. Calls with others are not counted. */
export const MOST_OF_KEY = 100;
export const KEPT_DAYS = 30;
const IS_WORD = /^[a-z]+\.[A-Za-z_][\w-]*$/;
/** How many different ones are counted between two writes, by a process. */
const MOST_NOTED = 1_000;

interface Ignored {
  readonly commerceId: number;
  readonly keyId: number;
  readonly method: string;
  readonly route: string;
  readonly name: string;
  calls: number;
}

/** The fields that calls with keys sent and the service ignored, since the last write. */
export type IgnoredFields = Map<string, Ignored>;

/** Counts what a call sent and the service ignored. Nearly every call sent nothing of the kind. */
export function noteIgnored(
  noted: IgnoredFields,
  request: FastifyRequest,
  key: { readonly commerceId: number; readonly keyId: number },
): void {
  const route = request.routeOptions.url;
  if (request.unknownNames === null || route === undefined) return;
  for (const sent of request.unknownNames) {
    // A program may use an address or a number of a person as a name. Those are not kept.
    const name = IS_WORD.test(sent) ? sent : sent.replace(/\..*/, '.?');
    const id = `${key.keyId} ${request.method} ${route} ${name}`;
    const known = noted.get(id);
    if (known !== undefined) known.calls += 1;
    else if (noted.size < MOST_NOTED)
      noted.set(id, { ...key, method: request.method, route, name, calls: 1 });
  }
}

/** Adds counts to those that are stored, always in the same order, so that processes do not wait in a circle. */
export async function storeIgnored(database: Database, noted: IgnoredFields): Promise<void> {
  const all = [...noted.values()];
  const among = commercesOf(all);
  await sql`-- store-ignored-fields
    insert into ignored_fields (commerce_id, key_id, method, route, name, calls, first_at, last_at)
    select n.commerce_id, n.key_id, n.method, n.route, n.name, n.calls, now(), now()
      from (select u.*, row_number() over (partition by u.commerce_id, u.key_id order by u.method, u.route, u.name) as nth
              from unnest(${all.map(({ commerceId }) => commerceId)}::bigint[], ${all.map(({ keyId }) => keyId)}::bigint[],
                          ${all.map(({ method }) => method)}::text[], ${all.map(({ route }) => route)}::text[],
                          ${all.map(({ name }) => name)}::text[], ${all.map(({ calls }) => calls)}::bigint[])
                     as u(commerce_id, key_id, method, route, name, calls)) n
     where exists (select from ignored_fields i
                    where i.commerce_id = any(${among}::bigint[])
                      and i.commerce_id = n.commerce_id and i.key_id = n.key_id
                      and i.method = n.method and i.route = n.route and i.name = n.name)
        or n.nth + (select count(*) from ignored_fields i
                     where i.commerce_id = any(${among}::bigint[])
                       and i.commerce_id = n.commerce_id and i.key_id = n.key_id) <= ${MOST_OF_KEY}
     order by n.commerce_id, n.key_id, n.method, n.route, n.name
        on conflict (commerce_id, key_id, method, route, name) do update
       set calls = ignored_fields.calls + excluded.calls, last_at = excluded.last_at`.execute(database);
}

export async function forgetOldIgnored(database: Database): Promise<void> {
  await sql`-- forget-ignored-fields
    delete from ignored_fields where last_at < now() - make_interval(days => ${KEPT_DAYS}::integer)`.execute(
    database,
  );
}
