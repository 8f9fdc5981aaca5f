/** Every method of every client, with arguments that are missing, empty, of the wrong type, or would be another path. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createMemberClient, createShopClient, memoryTokens, type Fetch } from '../../../sdk/src/index.ts';
import { createAdminClient, createSetUpClient } from '../../../sdk/src/admin.ts';
import { ADMIN, MEMBER, SET_UP, SHOP, type Example } from './examples.ts';

const baseUrl = 'https://loyalty.example';
const sent: { path: string; headers: Headers }[] = [];
const fetch: Fetch = async (url, init) => {
  const { pathname, search } = new URL(url);
  sent.push({ path: pathname + search, headers: new Headers(init.headers) });
  const lines = /\/exports\/|what-if/.test(pathname);
  const body = { results: [], items: [], next_cursor: null, access: 'a', refresh: 'r', expires_in: 900 };
  return lines
    ? new Response('{}\n', { headers: { 'content-type': 'application/json' } })
    : Response.json(body);
};
const tokens = () => memoryTokens({ access: 'a', refresh: 'r', expires_at: Date.now() + 900_000 });

type Methods = Readonly<Record<string, (...args: unknown[]) => unknown>>;
const CLIENTS: Readonly<Record<string, readonly [() => object, Readonly<Record<string, Example>>]>> = {
  shop: [() => createShopClient({ baseUrl, apiKey: 'lk_test', fetch }), SHOP],
  member: [() => createMemberClient({ baseUrl, commerceId: 1, tokens: tokens(), fetch }), MEMBER],
  admin: [() => createAdminClient({ baseUrl, commerceId: 1, fetch }), ADMIN],
  'set-up': [() => createSetUpClient({ baseUrl, fetch }), SET_UP],
};

const TRAVERSALS = ['..', '.', '../benefits/list', '1/../list', 'a/b', 'a\\b', '%2e%2e', '1%2f2'];
const EMPTY = [undefined, null, '', ' ', '\t\n'];
const STRANGE = [
  Number.NaN,
  Infinity,
  [],
  [1],
  ['a'],
  {},
  { toString: () => '1' },
  true,
  new Date(0),
  () => 1,
  1n,
];
const NO_NUMBERS = [...EMPTY, ...STRANGE, ...TRAVERSALS, 'list', '1 or 1', '１２'];
const NO_IDS = [...NO_NUMBERS, 0, -1, 1.5, 2 ** 53, '0', '-1', '1.5', '1e3', '0x10', '9'.repeat(17)];
const NO_TEXTS = [...EMPTY, ...STRANGE, 7];
const NO_FIELDS = [null, '', ' ', 'a', 7, Number.NaN, [], [{}], true, new Map(), new Date(0), () => 1];

/** The values that must not take the place of an example. */
function wrongFor(example: unknown): readonly unknown[] {
  if (typeof example === 'number') return NO_NUMBERS;
  if (typeof example === 'string') return NO_TEXTS;
  if (typeof example === 'boolean')
    return [...EMPTY, ...STRANGE.filter((one) => typeof one !== 'boolean'), 0, 1, 'true'];
  return [...NO_FIELDS, undefined, {}];
}

async function consume(result: unknown): Promise<void> {
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
    for await (const one of result as AsyncIterable<unknown>) assert.notEqual(one, undefined);
  else await result;
}

/** Calls a method with arguments. Nothing may be thrown before there is a promise or an iterator. */
async function outcomeOf(methods: Methods, name: string, args: readonly unknown[]): Promise<unknown> {
  const result = methods[name]!(...args);
  assert.ok(typeof result === 'object' && result !== null, name);
  return consume(result).then(
    () => 'sent',
    (error: unknown) => error,
  );
}

/** Every wrong call of a method: the arguments, and what is wrong with them. */
function* wrongCalls(name: string, methods: Methods, example: Example): Generator<[unknown[], string]> {
  const { args, required = [], nullable = [], mayBeEmpty = [] } = example;
  const { emptyIsFine = false, isDocument = false } = example;
  const isFine = (field: string, other: unknown) =>
    (other === null && nullable.includes(field)) ||
    (Array.isArray(other) && other.length === 0 && mayBeEmpty.includes(field));
  for (const [at, value] of args.entries()) {
    const put = (other: unknown) => args.with(at, other);
    const isOptional = at >= methods[name]!.length;
    if (typeof value !== 'object' || value === null || value instanceof Blob) {
      const wrong = typeof value === 'number' ? NO_IDS : wrongFor(value);
      for (const other of wrong) yield [put(other), `argument ${at}`];
      continue;
    }
    for (const other of NO_FIELDS) yield [put(other), `argument ${at}`];
    if (!isOptional) yield [put(undefined), `argument ${at} missing`];
    if (!isOptional && !emptyIsFine) yield [put({}), `argument ${at} empty`];
    if (isDocument) continue;
    yield [put({ ...value, clientCode: 7 }), 'a field that the call does not have'];
    for (const [field, given] of Object.entries(value)) {
      for (const other of wrongFor(given))
        if (!isFine(field, other)) yield [put({ ...value, [field]: other }), `field ${field}`];
      const { [field]: _left, ...rest } = value as Record<string, unknown>;
      if (required.includes(field)) yield [put(rest), `field ${field} missing`];
    }
  }
}

for (const [client, [create, examples]] of Object.entries(CLIENTS)) {
  test(`there is an example for every method of the ${client} client, and it is sent`, async () => {
    assert.deepEqual(Object.keys(create()).toSorted(), Object.keys(examples).toSorted());
    for (const [name, { args, sends = 1 }] of Object.entries(examples)) {
      sent.length = 0;
      assert.equal(await outcomeOf(create() as Methods, name, args), 'sent', name);
      assert.equal(sent.length, sends, name);
    }
  });

  test(`every method of the ${client} client refuses wrong arguments with a TypeError and sends nothing`, async (t) => {
    let cases = 0;
    for (const [name, example] of Object.entries(examples)) {
      const methods = create() as Methods;
      const before = cases;
      for (const [args, what] of wrongCalls(name, methods, example)) {
        cases++;
        sent.length = 0;
        const outcome = await outcomeOf(methods, name, args);
        const said = `${name}: ${what}: ${inspect(args)}`;
        assert.ok(outcome instanceof TypeError, `${said}: ${String(outcome)}`);
        assert.deepEqual(sent, [], said);
      }
      assert.ok(example.args.length === 0 || cases - before >= 10, name);
    }
    t.diagnostic(`${Object.keys(examples).length} methods, ${cases} wrong calls`);
  });

  test(`no text that is passed to the ${client} client changes the path of a call`, async (t) => {
    let cases = 0;
    for (const [name, { args }] of Object.entries(examples)) {
      const methods = create() as Methods;
      sent.length = 0;
      await outcomeOf(methods, name, args);
      const paths = sent.map(({ path }) => path.split('?')[0]);
      for (const [at, value] of args.entries())
        for (const other of TRAVERSALS) {
          if (typeof value !== 'string') continue;
          cases++;
          sent.length = 0;
          const outcome = await outcomeOf(methods, name, args.with(at, other));
          const told = sent.map(({ path }) => path.split('?')[0]);
          if (!(outcome instanceof TypeError)) assert.deepEqual(told, paths, `${name} ${other}`);
          else assert.deepEqual(told, [], `${name} ${other}`);
        }
    }
    t.diagnostic(`${cases} texts`);
  });

  test(`what is optional for the ${client} client may be left out, and null where it means something`, async () => {
    for (const [name, { args, required = [], nullable = [], sends = 1 }] of Object.entries(examples)) {
      const methods = create() as Methods;
      const good: unknown[][] = [args.slice(0, methods[name]!.length)];
      for (const [at, value] of args.entries()) {
        if (typeof value !== 'object' || value === null || value instanceof Blob) continue;
        for (const field of Object.keys(value)) {
          const { [field]: _left, ...rest } = value as Record<string, unknown>;
          if (!required.includes(field) && (Object.keys(rest).length > 0 || at >= methods[name]!.length))
            good.push(args.with(at, rest));
          if (nullable.includes(field)) good.push(args.with(at, { ...value, [field]: null }));
        }
      }
      for (const one of good) {
        sent.length = 0;
        assert.equal(await outcomeOf(methods, name, one), 'sent', `${name} ${JSON.stringify(one)}`);
        assert.equal(sent.length, sends, name);
      }
    }
  });

  test(`an idempotency key that is missing, empty or no text is refused by the ${client} client`, async () => {
    for (const [name, { args }] of Object.entries(examples)) {
      const methods = create() as Methods;
      sent.length = 0;
      await outcomeOf(methods, name, args);
      if (!sent.some(({ headers }) => headers.has('idempotency-key'))) continue;
      const keys = [...EMPTY, ...STRANGE, 7].map((idempotencyKey) => ({ idempotencyKey }));
      for (const options of [...keys, 'order-1', 7, [], null]) {
        sent.length = 0;
        const outcome = await outcomeOf(methods, name, [...args, options]);
        assert.ok(outcome instanceof TypeError, `${name} ${String(outcome)}`);
        assert.deepEqual(sent, []);
      }
      assert.equal(await outcomeOf(methods, name, [...args, { idempotencyKey: 'order-1' }]), 'sent');
      assert.equal(sent[0]?.headers.get('idempotency-key'), 'order-1');
    }
  });
}

test('the error says which field is wrong, what it must be and what it is', async () => {
  const shop = createShopClient({ baseUrl, apiKey: 'lk_test', fetch }) as unknown as Methods;
  const says = async (name: string, ...args: unknown[]) =>
    ((await outcomeOf(shop, name, args)) as TypeError).message;
  assert.equal(
    await says('findConsumption', undefined),
    'external_id must be a text that is not empty, but is undefined: leave it out if there is none',
  );
  assert.equal(
    await says('getClient', '../benefits/list'),
    'the id or code must be a whole number above 0, but is "../benefits/list"',
  );
  assert.equal(
    await says('listConsumptions', { clientCode: 7 }),
    'there is no field "clientCode": this call takes external_id, client_code, from, to, cursor',
  );
});
