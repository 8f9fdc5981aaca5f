import { defineAttack } from './harness/attack.ts';
import { at } from './harness/caller.ts';
import { sendPurchases, withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

const size = { connections: 150, perSecond: 600 };

export const ownRefreshToken = defineAttack({
  name: 'own-refresh-token',
  sentence: 'refreshes one session, her own, 150 times at once',
  load: {
    harmless: (field) => sendPurchases(field, size),
    attack: ({ port, attacked, isOver }) =>
      withCaller(port, (caller) => {
        const { refresh, from } = attacked.members[0]!;
        return sendWaves({ ...size, isOver }, () =>
          caller.call(from, {
            method: 'POST',
            path: '/v1/auth/refresh',
            headers: at(attacked.commerceId),
            body: { refresh },
          }),
        );
      }),
  },
});
