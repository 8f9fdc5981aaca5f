/** The request that an idempotency key stands for: the whole of it, field by field as the documents declare it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sql } from '#db/database.ts';
import { call, service, type Answer } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type Shop } from '#test/make.ts';

interface Made {
  readonly shop: Shop;
  readonly member: MadeMember;
  readonly voucher: number;
  readonly purchaseId: number;
}

interface Request {
  readonly path?: (made: Made) => Fields;
  readonly body: (made: Made) => Fields;
  /** The parts of it that release 0.1 digested. */
  readonly formerly: (made: Made) => unknown[];
}

type Fields = Readonly<Record<string, unknown>>;

/** A request of every operation that takes a key, by operation id. */
const requests: Readonly<Record<string, Request>> = {
  recordConsumptionByClientCode: {
    body: ({ member }) => ({ client_code: member.code, amount: 10, id_suc: 4 }),
    formerly: ({ member }) => [{ code: member.code }, 10, 4, null],
  },
  recordConsumptionByEmail: {
    body: ({ member }) => ({ client_email: member.email, amount: 10 }),
    formerly: ({ member }) => [{ email: member.email }, 10, null, null],
  },
  reverseConsumption: {
    path: ({ purchaseId }) => ({ consumption_id: purchaseId }),
    body: () => ({}),
    formerly: ({ purchaseId }) => [purchaseId, null],
  },
  redeemBenefit: {
    body: ({ voucher }) => ({ client_benefit_code: voucher }),
    formerly: ({ voucher }) => [voucher],
  },
  exchangeBenefit: {
    body: () => ({ benefit_id: 'coffee' }),
    formerly: () => ['coffee'],
  },
};

const operations = await operationsWithAKey();

test('every operation that takes a key is here', () => {
  assert.deepEqual(operations.map(({ id }) => id).toSorted(), Object.keys(requests).toSorted());
});

for (const { id, template, path, body } of operations) {
  const request = requests[id]!;

  for (const name of Object.keys(body)) {
    test(`${id}: another ${name} with the same key is another request`, async () => {
      const made = await make();
      const said = request.body(made);
      assertFirst(await send(made, said));
      assertReused(await send(made, { ...said, [name]: another(body[name]!, said[name]) }));
      assertReplayed(await send(made, said));
    });
  }

  for (const name of Object.keys(path)) {
    test(`${id}: another ${name} in the path with the same key is another request`, async () => {
      const made = await make();
      const ids = request.path!(made);
      assertFirst(await send(made, request.body(made)));
      assertReused(await send(made, request.body(made), { ...ids, [name]: another(path[name]!, ids[name]) }));
    });
  }

  test(`${id}: null says what a field left out says`, async () => {
    const made = await make();
    const said = request.body(made);
    const left = Object.keys(body).filter((name) => !(name in said));
    assertFirst(await send(made, said));
    assertReplayed(await send(made, { ...said, ...Object.fromEntries(left.map((name) => [name, null])) }));
  });

  test(`${id}: a key that release 0.1 stored is good for its request, and no other`, async () => {
    const { db } = await service();
    const made = await make();
    const said = request.body(made);
    assertFirst(await send(made, said));
    const fingerprint = createHash('sha256')
      .update(JSON.stringify(request.formerly(made)))
      .digest();
    await sql`update idempotency_keys set fingerprint = ${fingerprint} where commerce_id = ${made.shop.id} and key = 'k'`.execute(
      db,
    );
    assertReplayed(await send(made, said));
    for (const name of Object.keys(body))
      assertReused(await send(made, { ...said, [name]: another(body[name]!, said[name]) }));
  });

  async function send(made: Made, said: Fields, ids: Fields = request.path?.(made) ?? {}): Promise<Answer> {
    const address = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const key = { 'idempotency-key': 'k' };
    if (id !== 'exchangeBenefit') return made.shop.post(address, said, key);
    return (await made.shop.browser(made.member)).post(address, said, key);
  }
}

function assertFirst(answer: Answer): void {
  assert.ok(answer.status < 300, answer.text);
  assert.equal(answer.headers.get('idempotency-replayed'), null);
}

function assertReplayed(answer: Answer): void {
  assert.ok(answer.status < 300, answer.text);
  assert.equal(answer.headers.get('idempotency-replayed'), 'true');
}

function assertReused(answer: Answer): void {
  assert.equal(answer.status, 422, `answered as if it were the first request: ${answer.text}`);
  const { detail } = answer.body as { detail: { loc: unknown }[] };
  assert.deepEqual(detail[0]?.loc, ['header', 'idempotency-key']);
}

async function make(): Promise<Made> {
  const shop = await makeShop({ benefits: [benefit('coffee', { cost: 1 }), benefit('tea', { cost: 1 })] });
  const member = await shop.member();
  const sold = await shop.post('/v1/consumptions/client-code', { client_code: member.code, amount: 1_000 });
  const voucher = await shop.voucher(member, 'tea');
  return { shop, member, voucher, purchaseId: Number(sold.headers.get('x-consumption-id')) };
}

interface Declared {
  readonly type?: string | readonly string[];
  readonly format?: string;
}

/** Another value that the schema takes. */
function another({ type, format }: Declared, value: unknown): unknown {
  const types = [type].flat();
  if (types.includes('integer')) return ((value as number | undefined) ?? 1) + 1;
  if (types.includes('boolean')) return value !== true;
  if (types.includes('array')) return [{ id: '1', amount: 1 }];
  if (format === 'email') return `another-${(value as string | undefined) ?? 'one@example.com'}`;
  if (types.includes('string') && format === undefined) return `${(value as string | undefined) ?? ''}x`;
  throw new Error(`say what another value of ${JSON.stringify({ type, format })} is`);
}

interface Published {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Declared }[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': { readonly schema: { readonly properties: Record<string, Declared> } };
    };
  };
}

async function operationsWithAKey() {
  const documents = await Promise.all(
    ['/openapi.json', '/openapi-extensions.json'].map(async (path) => (await call('GET', path)).body),
  );
  return (documents as { paths: Record<string, Record<string, Published>> }[])
    .flatMap(({ paths }) => Object.entries(paths))
    .flatMap(([template, methods]) => Object.values(methods).map((operation) => ({ template, ...operation })))
    .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'Idempotency-Key'))
    .map(({ operationId: id, template, parameters = [], requestBody }) => {
      assert.ok(!parameters.some((one) => one.in === 'query'), `${id}: a key stands for path and body alone`);
      const inPath = parameters.filter((one) => one.in === 'path');
      return {
        id,
        template,
        path: Object.fromEntries(inPath.map(({ name, schema }) => [name, schema])),
        body: requestBody!.content['application/json'].schema.properties,
      };
    });
}
