import { among } from '#db/cluster/among.ts';
import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { inPieces, rowsIn } from '#db/cluster/rows-in.ts';
import { sql, sqlState, together, type Db, type Tx } from '#db/database.ts';
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
  /** True for a purchase's `external_id` that came with a call, and not in a file. */
  readonly fromCall?: boolean;
  /** The id to store for the key, if it is known before the call is made. It is then stored with the claim. */
  readonly result?: number;
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
  result?: number,
): KeyedCall | null {
  if (request === undefined) return null;
  const { key } = request;
  const call = { commerceId, operation, key, fingerprint: fingerprintOf(operation, request) };
  return result === undefined ? call : { ...call, result };
}

/** The outcome of one call, and the id to store for its key. The id is null for a refusal, which is not stored. */
export interface NewOutcome<T> {
  readonly outcome: T;
  readonly result: number | null;
}

export type KeyedOutcome<T> =
  | { readonly kind: 'made'; readonly outcome: T }
  | { readonly kind: 'repeat'; readonly result: number }
  | { readonly kind: 'reused'; readonly call: KeyedCall };

/** A call whose key was used with another request, and the result of that request. */
export interface Mismatch {
  /** The index of the call. */
  readonly place: number;
  readonly call: KeyedCall;
  readonly first: { readonly fromCall: boolean; readonly result: number; readonly fingerprint: Buffer };
}

/**
 * Runs `work` for the calls that are new. It gets their indexes in `calls` and returns an outcome for each, in order.
 * A call without a key (null) is always new. A repeated call gets the result of the first one, and a key that was
 * used with a different request is reported as reused. Keys are claimed before anything else is locked. If another
 * transaction is running the same call, this one waits for it. The calls in one batch must have different keys.
 * The hooks read what repeated calls need while the new ones are done.
 * @throws Conflict if the other transaction takes longer than two seconds
 */
export function runOncePerKey<T>(
  tx: Tx,
  calls: readonly (KeyedCall | null)[],
  work: (places: number[]) => Promise<NewOutcome<T>[]>,
  hooks?: RepeatHooks,
): Promise<KeyedOutcome<T>[]> {
  return runOncePerKeys(
    tx,
    calls.map((call) => (call === null ? NO_KEYS : [call])),
    work,
    hooks,
  );
}

/** The functions that repeated calls need. */
export interface RepeatHooks {
  /** Returns the mismatches that are the same call all the same. By default, none. */
  readonly findSame?: (mismatches: readonly Mismatch[]) => Promise<ReadonlySet<Mismatch>>;
  /** Gets the repeats. */
  readonly readRepeats?: (repeats: readonly Repeat[]) => Promise<void>;
}

/** A call that was made before, and the result of the first one. */
export interface Repeat {
  /** The index of the call. */
  readonly place: number;
  readonly result: number;
}

const NO_KEYS: readonly KeyedCall[] = [];

/**
 * Does the same for calls that may have several keys. A call is new if all its keys are. If any of them was used before, the
 * call is not run: it is reused if one of them was used with a different request, the first of them decides which, and else
 * it is a repeat, and its new keys get the result too.
 */
export async function runOncePerKeys<T>(
  tx: Tx,
  calls: readonly (readonly KeyedCall[])[],
  work: (places: number[]) => Promise<NewOutcome<T>[]>,
  hooks: RepeatHooks = {},
): Promise<KeyedOutcome<T>[]> {
  const keyed = calls.flat();
  const claimed = keyed.length === 0 ? new Set<string>() : await insertKeys(tx, keyed);
  const places = Array.from(calls.keys()).filter((place) =>
    calls[place]!.every((call) => claimed.has(nameOf(call))),
  );
  // The earlier calls are read while the new ones are done, so they cost no trip of their own.
  const [claims, made] = await together(
    judgeCalls(tx, calls, claimed, hooks),
    places.length === 0 ? Promise.resolve([]) : work(places),
  );
  const outcomes = made.values();
  const results: { call: KeyedCall; result: number | null }[] = [];
  const keyedOutcomes = claims.map((claim, place): KeyedOutcome<T> => {
    const outcome = claim === 'new' ? (outcomes.next().value as NewOutcome<T>) : null;
    const result = claim === 'new' ? outcome!.result : claim.kind === 'repeat' ? claim.result : null;
    for (const call of calls[place]!) {
      if (claimed.has(nameOf(call)) && result !== call.result) results.push({ call, result });
    }
    return claim === 'new' ? { kind: 'made', outcome: outcome!.outcome } : claim;
  });
  await storeResults(tx, results);
  return keyedOutcomes;
}

type Claim = 'new' | Exclude<KeyedOutcome<never>, { kind: 'made' }>;

/** Compares calls whose key was not claimed with the first ones. */
async function judgeCalls(
  tx: Tx,
  calls: readonly (readonly KeyedCall[])[],
  claimed: ReadonlySet<string>,
  { findSame = async () => new Set(), readRepeats = async () => {} }: RepeatHooks,
): Promise<Claim[]> {
  const earlier = calls.flat().filter((call) => !claimed.has(nameOf(call)));
  if (earlier.length === 0) return calls.map(() => 'new');
  const stored = await readKeys(tx, earlier);
  const judged = calls.map((its, place) =>
    its.flatMap((call) => {
      if (claimed.has(nameOf(call))) return [];
      const first = stored.get(nameOf(call));
      if (first === undefined) throw new Error('an idempotency key was neither claimed nor found');
      return [{ place, call, first, isSame: call.fingerprint.equals(first.fingerprint) }];
    }),
  );
  const mismatches = judged.flat().filter(({ isSame }) => !isSame);
  const same = mismatches.length === 0 ? new Set() : await findSame(mismatches);
  const claims = judged.map((its): Claim => {
    const reused = its.find((one) => !one.isSame && !same.has(one));
    if (reused !== undefined) return { kind: 'reused', call: reused.call };
    return its[0] === undefined ? 'new' : { kind: 'repeat', result: its[0].first.result };
  });
  await readRepeats(
    claims.flatMap((claim, place) =>
      claim !== 'new' && claim.kind === 'repeat' ? [{ place, result: claim.result }] : [],
    ),
  );
  return claims;
}

async function insertKeys(tx: Tx, calls: readonly KeyedCall[]): Promise<Set<string>> {
  try {
    const claimed = isOnCluster(tx) ? await claimOnCluster(tx, calls) : await claimAtOnce(tx, calls);
    return new Set(claimed.map(nameOf));
  } catch (error) {
    if (sqlState(error) === '55P03')
      throw new Conflict(
        'the first call with this idempotency key or external_id is still running: repeat it in a moment with the same key',
      );
    throw error;
  }
}

type KeyName = Pick<KeyedCall, 'commerceId' | 'operation' | 'key'>;

/** Outside a transaction, because its `begin` has failed, nothing is claimed. So it may be sent together with `begin`. */
async function claimAtOnce(tx: Tx, calls: readonly KeyedCall[]): Promise<readonly KeyName[]> {
  const { rows } = await sql<KeyName>`-- claim-keys
    insert into idempotency_keys (commerce_id, operation, key, fingerprint, from_call, result)
    select *
      from unnest(${calls.map((c) => c.commerceId)}::bigint[], ${calls.map((c) => c.operation)}::text[],
                  ${calls.map((c) => c.key)}::text[], ${calls.map((c) => c.fingerprint)}::bytea[],
                  ${calls.map((c) => c.fromCall === true)}::boolean[], ${calls.map((c) => c.result ?? null)}::bigint[])
             as c(commerce_id, operation, key, fingerprint, from_call, result)
     where pg_current_xact_id_if_assigned() is not null
     order by commerce_id, operation, key
        on conflict do nothing
    returning commerce_id as "commerceId", operation, key`.execute(tx);
  return rows;
}

/** A cluster takes the rows to the machine of their commerces alone, and always begins before. */
async function claimOnCluster(tx: Tx, calls: readonly KeyedCall[]): Promise<readonly KeyName[]> {
  const inOrder = calls.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const claimed: KeyName[] = [];
  for (const piece of inPieces(inOrder, 6)) {
    const { rows } = await sql<KeyName>`
      insert into idempotency_keys (commerce_id, operation, key, fingerprint, from_call, result)
      ${rowsIn([
        ['bigint', piece.map((c) => c.commerceId)],
        ['text', piece.map((c) => c.operation)],
        ['text', piece.map((c) => c.key)],
        ['bytea', piece.map((c) => c.fingerprint)],
        ['boolean', piece.map((c) => c.fromCall === true)],
        ['bigint', piece.map((c) => c.result ?? null)],
      ])}
          on conflict do nothing
      returning commerce_id as "commerceId", operation, key`.execute(tx);
    claimed.push(...rows);
  }
  return claimed;
}

interface StoredCall extends Omit<KeyedCall, 'result'> {
  readonly fromCall: boolean;
  readonly result: number;
}

async function readKeys(db: Db, calls: readonly KeyedCall[]): Promise<Map<string, StoredCall>> {
  const { rows } = await sql<StoredCall>`-- read-keys
    select k.commerce_id as "commerceId", k.operation, k.key, k.fingerprint, k.from_call as "fromCall", k.result
      from unnest(${calls.map((c) => c.commerceId)}::bigint[], ${calls.map((c) => c.operation)}::text[],
                  ${calls.map((c) => c.key)}::text[]) as c(commerce_id, operation, key)
      join idempotency_keys k on k.commerce_id = c.commerce_id and k.operation = c.operation and k.key = c.key${among(db, 'k', calls)}`.execute(
    db,
  );
  return new Map(rows.map((row) => [nameOf(row), row]));
}

/**
 * Stores the results that were not known when the keys were claimed. Deletes the key of a refused call, so that the call can be
 * tried again.
 */
async function storeResults(
  tx: Tx,
  results: readonly { call: KeyedCall; result: number | null }[],
): Promise<void> {
  if (results.length === 0) return;
  const calls = results.map(({ call }) => call);
  const ofThem = among(tx, 'k', calls);
  await sql`-- keep-results
    with r as (
      select *
        from unnest(${results.map((r) => r.call.commerceId)}::bigint[], ${results.map((r) => r.call.operation)}::text[],
                    ${results.map((r) => r.call.key)}::text[], ${results.map((r) => r.result)}::bigint[])
               as r(commerce_id, operation, key, result)
    ), refused as (
      delete from idempotency_keys k using r
       where r.result is null
         and k.commerce_id = r.commerce_id and k.operation = r.operation and k.key = r.key${ofThem}
    )
    update idempotency_keys k
       set result = r.result
      from r
     where r.result is not null
       and k.commerce_id = r.commerce_id and k.operation = r.operation and k.key = r.key${ofThem}`.execute(
    tx,
  );
}

function nameOf(call: KeyName): string {
  return `${call.commerceId}/${call.operation}/${call.key}`;
}
