import { randomBytes } from 'node:crypto';
import { newKeyToken } from '../../server/src/loyalty/commerces/key-token.ts';
import { defineAttack, type Shop } from './harness/attack.ts';
import { at, bearer, type Call } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

const size = { connections: 50, perSecond: 500 };

export const anonymousNoise = defineAttack({
  name: 'anonymous-noise',
  sentence:
    'sends invented refresh tokens and keys, and reads documents, health checks and club pages, anonymously',
  load: {
    harmless: ({ port, attacked, isOver }) =>
      withCaller(port, (caller) => {
        const path = `/v1/clients/${attacked.members[0]!.code}`;
        return sendWaves({ ...size, isOver }, () =>
          caller.call(ATTACKER, { path, headers: bearer(attacked.key) }),
        );
      }),
    attack: ({ port, attacked, isOver }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, (n) => caller.call(ATTACKER, noise(attacked, n))),
      ),
  },
  check: ({ port, attacked }) =>
    withCaller(port, async (caller) => {
      const replies = await Promise.all(
        Array.from({ length: 200 }, (_, n) => caller.call(ATTACKER, noise(attacked, n))),
      );
      const wrong = replies.filter(({ status }) => status === 0 || status >= 500).length;
      return [
        { promise: 'noise is answered, and never with a 5xx', holds: wrong === 0, seen: `${wrong} of 200` },
      ];
    }),
});

/** Everything that costs the service something and needs no credential. */
function noise({ commerceId }: Shop, n: number): Call {
  const turns: (() => Call)[] = [
    () => ({
      method: 'POST',
      path: '/v1/auth/refresh',
      headers: at(commerceId),
      body: { refresh: `lr_${randomBytes(48).toString('base64url')}` },
    }),
    () => ({ path: '/v1/benefits/list', headers: bearer(newKeyToken('live')) }),
    () => ({ path: '/openapi.json' }),
    () => ({ path: '/readyz' }),
    () => ({ path: `/club/nobody-${n}` }),
  ];
  return turns[n % turns.length]!();
}
