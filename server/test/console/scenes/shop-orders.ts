import assert from 'node:assert/strict';
import { createKey } from '#commerces/api-keys.ts';
import { KEY_SCOPES } from '#http/key-scopes.ts';
import { call, service } from '#test/harness.ts';
import type { MadeMember, Shop } from '#test/make.ts';

/** An online shop sends orders in many states: the one that is told of was held, paid, edited and partly refunded. */
export async function makeOrders(shop: Shop, member: MadeMember): Promise<void> {
  const { db } = await service();
  const { key } = await createKey(db, shop.id, 'web shop', { scopes: KEY_SCOPES });
  let version = 0;
  const put = async (id: string, state: object) => {
    version += 1;
    const answer = await call('PUT', `/v1/orders/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${key}` },
      body: { client_code: member.code, refunded: 0, codes: [], version, status: 'paid', ...state },
    });
    assert.ok(answer.status < 300, answer.text);
  };
  for (let i = 0; i < 12; i++)
    await put(`WEB-2026-${1020 + i}`, { paid: 15 + i * 7, refunded: i === 4 ? 10 : 0 });
  const [code, used] = [await shop.voucher(member, 'coffee'), await shop.voucher(member, 'coffee')];
  const lines = [
    { id: '1', product: 'mug-blue', units: 2, amount: 36 },
    { id: '2', product: 'flat-white-beans-250g', units: 1, amount: 22 },
    { id: 'shipping', amount: 6 },
  ];
  await put('WEB-2026-1042', { status: 'open', paid: 64, codes: [code] });
  await put('WEB-2026-1042', { paid: 64, codes: [code], lines });
  await put('WEB-2026-1042', { paid: 72, codes: [code] });
  await put('WEB-2026-1042', { paid: 72, refunded: 18, codes: [code] });
  await put('WEB-2026-1043', { status: 'open', paid: 40, codes: [used] });
  const redeemed = await shop.post('/v1/benefits/redeem', { client_benefit_code: used });
  assert.equal(redeemed.status, 200, redeemed.text);
  await put('WEB-2026-1043', { paid: 40, codes: [used] });
  await put('WEB-2026-1044', {
    status: 'open',
    paid: 29,
    client_code: null,
    client_email: 'new@example.com',
  });
  await put('WEB-2026-1045', { status: 'open', paid: 18 });
  await put('WEB-2026-1045', { status: 'cancelled', paid: 18 });
}
