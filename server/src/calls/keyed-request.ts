/**
 * An idempotency key stands for the whole request, as it was validated at the door. Fields are not listed by hand, so a
 * field added to a route cannot be left out of the comparison.
 */
import { createHash } from 'node:crypto';

/** A request that came with an idempotency key. */
export interface KeyedRequest {
  readonly key: string;
  /** The ids in its path. */
  readonly path: Fields;
  readonly body: Fields;
}

type Fields = Readonly<Record<string, unknown>>;

/** All that a validated request says; undefined without a key. */
export function keyedRequest(request: {
  readonly headers: { readonly 'idempotency-key'?: string };
  readonly params: unknown;
  readonly body: unknown;
}): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  return { key, path: request.params as Fields, body: request.body as Fields };
}

/** A digest of the request. The order of fields does not matter, and null means the same as leaving a field out. */
export function fingerprintOf(operation: string, { path, body }: KeyedRequest): Buffer {
  const said = fieldsOf({ ...path, ...body });
  return digestOf(firstForm(operation, said) ?? said);
}

export function digestOf(value: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(value)).digest();
}

/** The fields that say something, sorted, in nested objects too. */
function fieldsOf(said: Fields): Fields {
  return Object.fromEntries(
    Object.entries(said)
      .filter(([, value]) => value !== null && value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, isFields(value) ? fieldsOf(value) : value]),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/**
 * Release 0.1 digested a list of values for each operation. Its keys are kept for good, and during an upgrade both
 * releases answer, so a request that says nothing more keeps that form. Returns null if it says more. Do not add to
 * this: new fields and new operations are digested as they are.
 */
function firstForm(operation: string, said: Fields): unknown[] | null {
  const form = firstForms[operation.split('/')[0]!]?.(said);
  return form === undefined || Object.keys(form.more).length > 0 ? null : form.values;
}

const firstForms: Readonly<Record<string, (said: Fields) => { values: unknown[]; more: object }>> = {
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
