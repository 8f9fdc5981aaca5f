import { defineAttack, type Shop } from './harness/attack.ts';
import { at } from './harness/caller.ts';
import { rentedNetwork } from './harness/networks.ts';
import { sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

const size = { connections: 100, perSecond: 400 };

export const signInFlood = defineAttack({
  name: 'sign-in-flood',
  sentence: 'asks for sign-in codes far above the limit of a network, 100 times at once',
  load: {
    harmless: (field) => sendPurchases(field, size),
    attack: ({ port, attacked, isOver }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, () => caller.call(rentedNetwork(60_000), ask(attacked))),
      ),
  },
  check: ({ port, attacked }) =>
    withCaller(port, async (caller) => {
      const replies = await Promise.all(
        Array.from({ length: 150 }, () => caller.call(rentedNetwork(60_001), ask(attacked))),
      );
      const served = replies.filter(({ status }) => status === 200).length;
      const refused = replies.filter(({ status, headers }) => status === 429 && headers['retry-after']);
      return [
        {
          promise: 'one network asks 100 times in ten minutes at most and is then told when to come back',
          holds: served <= 100 && refused.length >= 50,
          seen: `${served} × 200, ${refused.length} × 429 of 150`,
        },
      ];
    }),
});

function ask(shop: Shop) {
  return {
    method: 'POST',
    path: '/v1/auth/otp/request',
    headers: at(shop.commerceId),
    body: { email: 'flood@example.com' },
  } as const;
}
