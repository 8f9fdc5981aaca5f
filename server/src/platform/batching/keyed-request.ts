/**
 * An idempotency key stands for the whole validated request. The fields are not listed by hand, so a field added to a
 * route cannot be left out of the comparison.
 */
import { createHash } from 'node:crypto';

/** A request that has an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  /** The ids in its path. */
  readonly path: Fields;
  readonly body: Fields;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Returns the validated request, or undefined if it has no key. */
export function keyedRequest(request: {
  readonly headers: { readonly 'idempotency-key'?: string };
  readonly params: unknown;
  readonly body: unknown;
}): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  return { key, path: request.params as Fields, body: request.body as Fields };
}

/** Returns a digest of the request. The order of fields does not matter, and a null field counts as absent. */
export function fingerprintOf(operation: string, { path, body }: KeyedRequest): Buffer {
  const fields = fieldsOf({ ...path, ...body });
  return digestOf(release01ValuesOf(operation, fields) ?? fields);
}

/** Returns a digest of a validated body, for a call that is known by an id in it. */
export function fingerprintOfBody(body: Fields): Buffer {
  return digestOf(fieldsOf(body));
}

export function digestOf(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest();
}

/** Returns the fields that have a value, sorted by name, also inside nested objects. */
function fieldsOf(fields: Fields): Fields {
  return Object.fromEntries(
    filledOf(fields)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, valueOf(value)]),
  );
}

/** Objects in lists keep the order of their schema, which the stored digests have. */
function valueOf(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown) => (isFields(item) ? Object.fromEntries(filledOf(item)) : item));
  return isFields(value) ? fieldsOf(value) : value;
}

function filledOf(fields: Fields): [name: string, value: unknown][] {
  return Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Returns the list of values that release 0.1 digested, or null if the request has other fields too. Keys of release
 * 0.1 are kept for good, and both releases answer during an upgrade, so requests that 0.1 knew must keep their
 * digest. Do not add to this list: new fields and new operations are digested as they are.
 */
function release01ValuesOf(operation: string, fields: Fields): unknown[] | null {
  const form = release01Forms[operation.split('/')[0]!]?.(fields);
  return form === undefined || Object.keys(form.more).length > 0 ? null : form.values;
}

const release01Forms: Readonly<Record<string, (fields: Fields) => { values: unknown[]; more: object }>> = {
  purchase: ({
    client_code: code,
    client_email: email,
    amount,
    id_suc = null,
    counter_id = null,
    ...more
  }) => ({
    values: [{ code, email }, amount, id_suc, counter_id],
    more,
  }),
  reversal: ({ consumption_id: id, amount = null, ...more }) => ({ values: [id, amount], more }),
  redeem: ({ client_benefit_code: code, ...more }) => ({ values: [code], more }),
  exchange: ({ benefit_id: id, ...more }) => ({ values: [id], more }),
};
