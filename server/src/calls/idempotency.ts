import { sql, sqlState, type Db, type Tx } from '#db/database.ts';
import { InvalidRequest } from '#problems/invalid-request.ts';
import { Conflict } from '#problems/problem.ts';
import { fingerprintOf, type KeyedRequest } from './keyed-request.ts';

/** A call with an idempotency key: its operation, and a digest of the request. */
export interface KeyedCall {
  readonly commerceId: number;
  /** The kind of call. For an exchange it includes the user, so that the keys of different members never collide. */
  readonly operation: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** The same key was sent with a different request. */
export class KeyReused extends InvalidRequest {
  constructor() {
    super(
      [
        {
          loc: ['header', 'idempotency-key'],
          msg: 'Value error, this key was already used with a different request',
          type: 'value_error',
        },
      ],
      'key_reused',
      'This Idempotency-Key was used for a different request. Use a new key for each operation, and the same one only to repeat it.',
    );
  }
}

/** Returns the call of a request, or null if the request has no key. */
export function createKeyedCall(
  commerceId: number,
  operation: string,
  request: KeyedRequest | undefined,
): KeyedCall | null {
  if (request === undefined) return null;
  return { commerceId, operation, key: request.key, fingerprint: fingerprintOf(operation, request) };
}

/** The outcome of one call, and the id to store for its key. The id is null for a refusal, which is not stored. */
export interface NewOutcome<T> {
  readonly outcome: T;
  readonly result: number | null;
}

export type KeyedOutcome<T> =
  | { readonly kind: 'made'; readonly outcome: T }
  | { readonly kind: 'repeat'; readonly result: number }
  | { readonly kind: 'reused' };

/**
 * Runs `work` for the calls that are new. It gets their indexes in `calls` and returns an outcome for each, in order.
 * A call without a key (null) is always new. A repeated call gets the result of the first one, and a key that was
 * used with a different request is reported as reused. Keys are claimed before anything else is locked. If another
 * transaction is running the same call, this one waits for it. The calls in one batch must have different keys.
 * @throws Conflict if the other transaction takes longer than two seconds
 */
export async function runOncePerKey<T>(
  tx: Tx,
  calls: readonly (KeyedCall | null)[],
  work: (places: number[]) => Promise<NewOutcome<T>[]>,
): Promise<KeyedOutcome<T>[]> {
  const claims = await claimKeys(tx, calls);
  const places = claims.flatMap((claim, place) => (claim === 'new' ? [place] : []));
  const made = places.length === 0 ? [] : await work(places);
  await storeResults(
    tx,
    places.flatMap((place, i) => {
      const call = calls[place];
      return call ? [{ call, result: made[i]?.result ?? null }] : [];
    }),
  );
  const outcomes = made.values();
  return claims.map((claim) => {
    if (claim !== 'new') return claim;
    return { kind: 'made', outcome: (outcomes.next().value as NewOutcome<T>).outcome };
  });
}

type Claim = 'new' | Exclude<KeyedOutcome<never>, { kind: 'made' }>;

async function claimKeys(tx: Tx, calls: readonly (KeyedCall | null)[]): Promise<Claim[]> {
  const keyed = calls.filter((call) => call !== null);
  const claimed = keyed.length === 0 ? new Set<string>() : await insertKeys(tx, keyed);
  const earlier = keyed.filter((call) => !claimed.has(nameOf(call)));
  const stored = earlier.length === 0 ? new Map<string, StoredCall>() : await readKeys(tx, earlier);
  return calls.map((call) => {
    if (call === null || claimed.has(nameOf(call))) return 'new';
    const first = stored.get(nameOf(call));
    if (first === undefined) throw new Error('an idempotency key was neither claimed nor found');
    return call.fingerprint.equals(first.fingerprint)
      ? { kind: 'repeat', result: first.result }
      : { kind: 'reused' };
  });
}

async function insertKeys(tx: Tx, calls: readonly KeyedCall[]): Promise<Set<string>> {
  try {
    const { rows } = await sql<{ commerceId: number; operation: string; key: string }>`-- claim-keys
      insert into idempotency_keys (commerce_id, operation, key, fingerprint)
      select *
        from unnest(${calls.map((c) => c.commerceId)}::bigint[], ${calls.map((c) => c.operation)}::text[],
                    ${calls.map((c) => c.key)}::text[], ${calls.map((c) => c.fingerprint)}::bytea[])
               as c(commerce_id, operation, key, fingerprint)
       order by commerce_id, operation, key
          on conflict do nothing
      returning commerce_id as "commerceId", operation, key`.execute(tx);
    return new Set(rows.map(nameOf));
  } catch (error) {
    if (sqlState(error) === '55P03')
      throw new Conflict(
        'the first call with this idempotency key is still running: repeat it in a moment with the same key',
      );
    throw error;
  }
}

interface StoredCall extends KeyedCall {
  readonly result: number;
}

async function readKeys(db: Db, calls: readonly KeyedCall[]): Promise<Map<string, StoredCall>> {
  const { rows } = await sql<StoredCall>`-- read-keys
    select k.commerce_id as "commerceId", k.operation, k.key, k.fingerprint, k.result
      from unnest(${calls.map((c) => c.commerceId)}::bigint[], ${calls.map((c) => c.operation)}::text[],
                  ${calls.map((c) => c.key)}::text[]) as c(commerce_id, operation, key)
      join idempotency_keys k on k.commerce_id = c.commerce_id and k.operation = c.operation and k.key = c.key`.execute(
    db,
  );
  return new Map(rows.map((row) => [nameOf(row), row]));
}

/**
 * Stores the results of first calls for good. Deletes the key of a refused call, so that the call can be tried again.
 */
async function storeResults(
  tx: Tx,
  results: readonly { call: KeyedCall; result: number | null }[],
): Promise<void> {
  if (results.length === 0) return;
  await sql`-- keep-results
    with r as (
      select *
        from unnest(${results.map((r) => r.call.commerceId)}::bigint[], ${results.map((r) => r.call.operation)}::text[],
                    ${results.map((r) => r.call.key)}::text[], ${results.map((r) => r.result)}::bigint[])
               as r(commerce_id, operation, key, result)
    ), refused as (
      delete from idempotency_keys k using r
       where r.result is null
         and k.commerce_id = r.commerce_id and k.operation = r.operation and k.key = r.key
    )
    update idempotency_keys k
       set result = r.result
      from r
     where r.result is not null
       and k.commerce_id = r.commerce_id and k.operation = r.operation and k.key = r.key`.execute(tx);
}

function nameOf(call: { commerceId: number; operation: string; key: string }): string {
  return `${call.commerceId}/${call.operation}/${call.key}`;
}
