/** Makes every mistake of `docs/errors.md` by HTTP and reads what the service says. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { MISTAKES, type Mistake } from '../../docs/mistakes.ts';
import { whyWrongCode } from '#test/error-code.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { makeStaffKey } from '#test/staff.ts';

const { url } = await service();
const shop = await makeShop({
  earning: { money_per_point: 1 },
  benefits: [
    benefit('coffee', { cost: 10 }),
    benefit('dinner', { cost: 400 }),
    benefit('last', { cost: 0, buy_limit: 1 }),
  ],
});
const member = await shop.member();
await shop.sell(member, 60);
const { token } = await shop.browser(member);
await shop.voucher(member, 'last');
const used = await shop.voucher(member, 'coffee');
await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
const sold = await shop.post(
  '/v1/consumptions/client-code',
  { client_code: member.code, amount: 1 },
  { 'idempotency-key': 'used' },
);

const things: Readonly<Record<string, string>> = {
  staff_key: (await makeStaffKey(shop, 'manager')).key,
  key: shop.key,
  token,
  expired_token: await shop.expiredToken(member),
  refresh: `lr_${'A'.repeat(64)}`,
  id: String(shop.id),
  client_code: String(member.code),
  voucher: '20000000000001',
  used_voucher: String(used),
  used_key: 'used',
  purchase: sold.headers.get('x-consumption-id') ?? '',
  large: `{"note": "${'a'.repeat(17 * 1024)}"}`,
};

for (const mistake of MISTAKES) {
  test(`${mistake.mistake} (${mistake.call}) is told what to do next`, async () => {
    const answer = await make(mistake);
    assert.deepEqual(answer, { status: mistake.status, code: mistake.code, told: mistake.told });
  });
}

async function make({ call, headers = [], body }: Mistake) {
  const [method = '', path = ''] = fill(call).split(' ');
  const named = headers.flatMap((header) => {
    const [name = '', ...value] = fill(header).split(': ');
    return [name, value.join(': ')];
  });
  const sent = body === undefined ? '' : fill(body);
  // `fetch` would join headers that are sent twice, and add a content type.
  const outgoing = request(url + path, {
    method,
    headers: ['host', 'x', 'content-length', String(Buffer.byteLength(sent)), ...named],
  });
  outgoing.end(sent);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { message } = (await json(response)) as { message?: string };
  const { statusCode: status = 0, headers: received } = response;
  assert.equal(whyWrongCode(status, new Headers(received as Record<string, string>)), null);
  return { status, code: received['x-error-code'], told: received['x-error-hint'] ?? message };
}

function fill(text: string): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => things[name] ?? whole);
}
