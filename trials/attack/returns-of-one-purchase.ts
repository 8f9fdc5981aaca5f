import { defineAttack, expectStatus, type Shop, type Stage } from './harness/attack.ts';
import { bearer, type Call } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { purchase, sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

const size = { connections: 300, perSecond: 600 };

interface Prepared {
  readonly consumptionId: string;
  readonly voucher: number;
}

export const returnsOfOnePurchase = defineAttack<Prepared>({
  name: 'returns-of-one-purchase',
  sentence: 'returns pieces of one purchase, redeems one code and joins as one member, 300 times at once',
  prepare: async ({ port, attacked }: Stage) =>
    withCaller(port, async (caller) => {
      const [buyer, holder] = attacked.members;
      const bought = await caller.call(ATTACKER, purchase(attacked, buyer!.code, 1_000_000));
      const exchanged = await caller.call(holder!.from, {
        method: 'POST',
        path: '/v1/me/benefits/exchange',
        headers: { ...bearer(holder!.access, attacked.commerceId), 'idempotency-key': 'one' },
        body: { benefit_id: 'coupon' },
      });
      const voucher = Number(/"client_benefit_code":(\d+)/.exec(exchanged.text)?.[1]);
      return { consumptionId: String(bought.headers['x-consumption-id']), voucher };
    }),
  load: {
    harmless: (field) => sendPurchases(field, size),
    attack: ({ port, attacked, prepared, isOver }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, (n) => caller.call(ATTACKER, callOf(attacked, prepared, n))),
      ),
  },
  check: ({ port, attacked }, { consumptionId }) =>
    withCaller(port, async (caller) => [
      expectStatus(
        'the purchase can still be returned',
        await caller.call(ATTACKER, callOf(attacked, { consumptionId, voucher: 0 }, 0)),
        [201],
      ),
    ]),
});

/** Four of six calls are returns. */
function callOf(shop: Shop, { consumptionId, voucher }: Prepared, n: number): Call {
  if (n % 6 === 4)
    return {
      method: 'POST',
      path: '/v1/benefits/redeem',
      headers: bearer(shop.key),
      body: { client_benefit_code: voucher },
    };
  if (n % 6 === 5)
    return {
      method: 'POST',
      path: '/v1/me/subscription',
      headers: bearer(shop.members[2]!.access, shop.commerceId),
    };
  return {
    method: 'POST',
    path: `/v1/consumptions/${consumptionId}/reversal`,
    headers: bearer(shop.key),
    body: { amount: 1 },
  };
}
