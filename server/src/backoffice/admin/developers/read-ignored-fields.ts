import { sql, type Db } from '#db/database.ts';

/** A name that calls with a key sent and the service ignored. */
export interface IgnoredField {
  readonly method: string;
  readonly route: string;
  readonly name: string;
  readonly calls: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly keyId: number;
  readonly keyName: string;
}

const MOST = 100;

/** Returns what calls with a key, or with any, sent and the service ignored: the newest 100. */
export async function readIgnoredFields(
  db: Db,
  commerceId: number,
  keyId: number | null,
): Promise<IgnoredField[]> {
  const { rows } = await sql<IgnoredField>`-- read-ignored-fields
    select i.method, i.route, i.name, i.calls, i.first_at as "firstAt", i.last_at as "lastAt",
           i.key_id as "keyId", k.name as "keyName"
      from ignored_fields i
      join api_keys k on k.commerce_id = i.commerce_id and k.id = i.key_id
     where i.commerce_id = ${commerceId}
       and (${keyId}::bigint is null or i.key_id = ${keyId})
     order by i.last_at desc, i.calls desc, i.key_id, i.method, i.route, i.name
     limit ${MOST}`.execute(db);
  return rows;
}
