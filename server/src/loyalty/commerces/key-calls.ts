/**
 * Keeps the traces of each key's calls: when it was last used, which of its calls failed, and the fields that they sent in vain. A call
 * only notes it in memory. Every few seconds a process writes what it has noted. A process that is killed loses the last seconds.
 */
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { commercesOf } from '#db/commerces-of.ts';
import { byShard } from '#db/cluster/shards.ts';
import { sql, type Database } from '#db/database.ts';
import { bearerToken } from '#http/credential-hooks.ts';
import type { App } from '#http/server.ts';
import { forgetOldIgnored, noteIgnored, storeIgnored, type IgnoredFields } from './ignored-fields.ts';
import { hashOfKey, isKeyToken, isStaffKeyToken } from './key-token.ts';

const FLUSH_EVERY_MS = 5_000;
const FORGET_EVERY_MS = 3_600_000;
/** In a flood of failing calls, only the first of each flush are kept: of a process, and of a key. */
const MOST_NOTED = 1_000;
const MOST_OF_KEY = 50;

/** How many failed calls of a commerce are kept, and for how long. */
export const KEPT_CALLS = 1_000;
export const KEPT_DAYS = 7;

interface Use {
  readonly commerceId: number;
  readonly keyId: number;
  /** By the clock of the process, which only measures how long ago it was. */
  usedAt: number;
}

/** A call that failed. A key that was not accepted is known only by its hash. */
interface FailedCall {
  readonly key: { readonly commerceId: number; readonly keyId: number } | { readonly hash: Buffer };
  readonly failedAt: number;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly code: string | null;
  readonly requestId: string;
}

export interface KeyCalls {
  /** Writes what this process has noted so far. */
  readonly flush: () => Promise<void>;
}

/** Notes the calls of all keys of a service until it closes. */
export function watchKeyCalls(app: App, database: Database, log: Pick<FastifyBaseLogger, 'warn'>): KeyCalls {
  let uses = new Map<number, Use>();
  let failed: FailedCall[] = [];
  let failedOfKey = new Map<number | string, number>();
  let ignored: IgnoredFields = new Map();
  let forgetAt = performance.now() + FORGET_EVERY_MS;

  app.addHook('onResponse', (request, reply, done) => {
    const key = keyOf(request);
    if (key !== null) {
      const use = uses.get(key.keyId);
      if (use === undefined) uses.set(key.keyId, { ...key, usedAt: performance.now() });
      else use.usedAt = performance.now();
      noteIgnored(ignored, request, key);
    }
    if (reply.statusCode >= 400 && failed.length < MOST_NOTED) noteFailure(request, reply, key);
    done();
  });

  let running = Promise.resolve();
  const flush = () => (running = running.then(writeAll));
  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await flush();
  });
  return { flush };

  function noteFailure(request: FastifyRequest, reply: FastifyReply, known: ReturnType<typeof keyOf>): void {
    const key = known ?? unknownKeyOf(request);
    if (key === null) return;
    const name = 'hash' in key ? key.hash.toString('base64') : key.keyId;
    const count = failedOfKey.get(name) ?? 0;
    if (count >= MOST_OF_KEY) return;
    failedOfKey.set(name, count + 1);
    const code = reply.getHeader('x-error-code');
    failed.push({
      key,
      failedAt: performance.now(),
      method: request.method,
      route: request.routeOptions.url ?? UNKNOWN_ROUTE,
      status: reply.statusCode,
      code: typeof code === 'string' ? code : null,
      requestId: request.id,
    });
  }

  async function writeAll(): Promise<void> {
    const [noted, calls, unknown] = [[...uses.values()], failed, ignored];
    [uses, failed, failedOfKey, ignored] = [new Map(), [], new Map(), new Map()];
    try {
      if (noted.length > 0) await storeUses(database, noted);
      if (calls.length > 0) await storeFailedCalls(database, calls);
      if (unknown.size > 0) await storeIgnored(database, unknown);
      if (performance.now() >= forgetAt) {
        forgetAt = performance.now() + FORGET_EVERY_MS;
        await forgetOldCalls(database);
        await forgetOldIgnored(database);
      }
    } catch (error) {
      // They are not worth keeping in memory until the database is back.
      if (!database.trouble.note(error)) log.warn({ err: error }, 'calls of keys could not be noted');
    }
  }
}

const UNKNOWN_ROUTE = '(no such path)';

function keyOf({ key, staff }: FastifyRequest): { commerceId: number; keyId: number } | null {
  if (key?.keyId !== undefined) return { commerceId: key.commerceId, keyId: key.keyId };
  if (staff?.by.kind === 'key') return { commerceId: staff.commerceId, keyId: staff.by.keyId };
  return null;
}

/** A key that was not accepted: it has ended, or is not for this call. Most texts are no key at all. */
function unknownKeyOf(request: FastifyRequest): { hash: Buffer } | null {
  const token = bearerToken(request);
  if (token === null || !(isKeyToken(token) || isStaffKeyToken(token))) return null;
  return { hash: hashOfKey(token) };
}

/** Writes only what is at least half a minute newer, and always in the same order, so that processes do not wait in a circle. */
async function storeUses(database: Database, uses: readonly Use[]): Promise<void> {
  const now = performance.now();
  await sql`-- store-key-uses
    insert into api_key_uses (commerce_id, key_id, last_used_at)
    select u.commerce_id, u.key_id, now() - make_interval(secs => u.seconds_ago)
      from unnest(${uses.map(({ commerceId }) => commerceId)}::bigint[], ${uses.map(({ keyId }) => keyId)}::bigint[],
                  ${uses.map(({ usedAt }) => (now - usedAt) / 1_000)}::float8[]) as u(commerce_id, key_id, seconds_ago)
     order by u.commerce_id, u.key_id
        on conflict (commerce_id, key_id) do update
       set last_used_at = excluded.last_used_at
     where excluded.last_used_at - api_key_uses.last_used_at > interval '30 seconds'`.execute(database);
}

/** Stores the calls whose key exists, and keeps only the newest of each commerce. */
async function storeFailedCalls(database: Database, calls: readonly FailedCall[]): Promise<void> {
  const now = performance.now();
  const { rows } = await sql<{ commerceId: number }>`-- store-problem-calls
    with failed as (
      select *
        from unnest(${calls.map(({ key }) => ('hash' in key ? null : key.commerceId))}::bigint[],
                    ${calls.map(({ key }) => ('hash' in key ? null : key.keyId))}::bigint[],
                    ${calls.map(({ key }) => ('hash' in key ? key.hash : null))}::bytea[],
                    ${calls.map(({ failedAt }) => (now - failedAt) / 1_000)}::float8[],
                    ${calls.map(({ method }) => method)}::text[], ${calls.map(({ route }) => route)}::text[],
                    ${calls.map(({ status }) => status)}::integer[], ${calls.map(({ code }) => code)}::text[],
                    ${calls.map(({ requestId }) => requestId)}::text[])
             with ordinality as f(commerce_id, key_id, hash, seconds_ago, method, route, status, code, request_id, nth)
    ), of_keys as (
      select f.commerce_id, f.key_id, f.seconds_ago, f.method, f.route, f.status, f.code, f.request_id, f.nth
        from failed f
       where f.hash is null
       union all
      select k.commerce_id, k.id, f.seconds_ago, f.method, f.route, f.status, f.code, f.request_id, f.nth
        from failed f
        join api_keys k on k.hash = f.hash
    ), stored as (
      insert into problem_calls (commerce_id, at, key_id, method, route, status, code, request_id)
      select commerce_id, now() - make_interval(secs => seconds_ago), key_id, method, route, status, code, request_id
        from of_keys
       order by nth
      returning commerce_id
    )
    select distinct commerce_id as "commerceId" from stored`.execute(database);
  for (const among of byShard(database, commercesOf(rows)))
    await sql`-- keep-newest-problem-calls
    delete from problem_calls p
     using (select w.commerce_id, o.id as last_kept
              from unnest(${among}::bigint[]) as w(commerce_id)
             cross join lateral (select n.id from problem_calls n
                                  where n.commerce_id = any(${among}::bigint[]) and n.commerce_id = w.commerce_id
                                  order by n.id desc offset ${KEPT_CALLS} limit 1) o) old
     where p.commerce_id = any(${among}::bigint[])
       and p.commerce_id = old.commerce_id and p.id <= old.last_kept`.execute(database);
}

async function forgetOldCalls(database: Database): Promise<void> {
  await sql`-- forget-problem-calls
    delete from problem_calls where at < now() - make_interval(days => ${KEPT_DAYS}::integer)`.execute(
    database,
  );
}
