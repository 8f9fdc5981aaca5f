/** Hostile texts and numbers in every field of every body, path and query of the back office: a refusal, never a 500. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstallationIds } from '#batching/wire-ids.ts';
import { assertBooksAgree } from '#test/books.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { hostileTails, hostileTexts } from '../contract/hostile.ts';

const NUMBERS = [0, -1, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 53, 1e300, 1.5];
const DAYS = ['0001-01-01', '9999-12-31', '-000001-01-01', '+010000-01-01', '2026-02-30'];

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    content: Record<string, { schema: { properties?: Record<string, object>; $ref?: string } }>;
  };
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

test('no text and no number in any field of the back office makes a 500', async () => {
  const { app, db } = await service();
  const shop = await makeShop({ benefits: [benefit('coffee')] });
  const { headers } = await makeStaff(shop, 'owner');
  const member = await shop.member();
  await shop.sell(member, 100);
  const code = await shop.voucher(member, 'coffee');
  const memberId = (await readInstallationIds(db, 'member')).toWire(member.memberId);
  const sensible: Record<string, unknown> = {
    member_id: memberId,
    client_benefit_code: String(code),
    consumption_id: 1,
    staff_id: 1,
    amount: 5,
    points: 5,
    reason: 'a test',
    text: 'eva',
    level_id: null,
    confirm: '1',
    email: 'a@example.com',
    role: 'cashier',
  };
  const { paths } = (await app.inject({ url: '/admin/openapi.json' })).json<{
    paths: Record<string, Record<string, Operation>>;
  }>();
  const failed: string[] = [];
  let calls = 0;
  const send = async (method: string, url: string, payload?: object) => {
    calls++;
    const { statusCode } = await app.inject({
      method: method.toUpperCase() as 'GET',
      url,
      headers: { ...headers, 'idempotency-key': `hostile-${calls}` },
      ...(payload && { payload }),
    });
    if (statusCode >= 500) failed.push(`${statusCode} ${method} ${url} ${JSON.stringify(payload)}`);
  };
  for (const [path, methods] of Object.entries(paths)) {
    if (path.includes('/auth/') || path.endsWith('/erasure')) continue;
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(sensible[name]));
    for (const [method, { requestBody, parameters = [] }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema;
      const fields = Object.keys(schema?.properties ?? {});
      const body = Object.fromEntries(
        fields.flatMap((field) =>
          field in sensible && field !== 'client_benefit_code' ? [[field, sensible[field]]] : [],
        ),
      );
      for (const field of fields)
        for (const value of [...hostileTexts, ...NUMBERS, ...DAYS, null, [], {}])
          await send(method, address, { ...body, [field]: value });
      for (const { name, in: place } of parameters) {
        if (place === 'query')
          for (const value of hostileTails)
            await send(method, `${address}?${name}=${value}`, requestBody && body);
        if (place === 'path')
          for (const value of hostileTails)
            await send(method, path.replace(`{${name}}`, value), requestBody && body);
      }
    }
  }
  assert.ok(calls > 1_000, String(calls));
  assert.deepEqual(failed, []);
  await assertBooksAgree(db, shop.id);
});
