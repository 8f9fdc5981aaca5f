import { defineAttack, expectStatus, type Shop } from './harness/attack.ts';
import { at, bearer } from './harness/caller.ts';
import { ATTACKER } from './harness/networks.ts';
import { withCaller } from './harness/purchases.ts';
import { sendWaves } from './harness/waves.ts';

const size = { connections: 10, perSecond: 100 };
/** All different: encoding a domain takes longer the more characters differ. */
const DOMAIN = String.fromCodePoint(...Array.from({ length: 5_300 }, (_, n) => 0x4e_00 + n));

export const longDomains = defineAttack({
  name: 'long-domains',
  sentence: 'sends addresses with a domain of 5,300 different Chinese characters, with a key and without',
  load: {
    // As many bytes, most of them blanks.
    harmless: ({ port, attacked, isOver }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, (n) =>
          caller.call(ATTACKER, buyAs(attacked, `h-${n % 50}@example.com`)),
        ),
      ),
    attack: ({ port, attacked, isOver }) =>
      withCaller(port, (caller) =>
        sendWaves({ ...size, isOver }, (n) =>
          caller.call(
            ATTACKER,
            n % 2 === 0 ? buyAs(attacked, `a${n}@${DOMAIN}.com`) : askAs(attacked, `a${n}@${DOMAIN}.com`),
          ),
        ),
      ),
  },
  check: ({ port, attacked, service }) =>
    withCaller(port, async (caller) => {
      const costOf = async (email: string) => {
        const before = await service.processorSeconds();
        for (let n = 0; n < 40; n++) await caller.call(ATTACKER, buyAs(attacked, email));
        return (await service.processorSeconds()) - before;
      };
      const usual = await costOf('h-1@example.com');
      const long = await costOf(`a@${DOMAIN}.com`);
      return [
        expectStatus(
          'a purchase for such an address is refused',
          await caller.call(ATTACKER, buyAs(attacked, `a@${DOMAIN}.com`)),
          [422],
        ),
        {
          promise: 'refusing it takes no more processor time than a purchase',
          // Processor time is counted in steps of 10 ms.
          holds: long <= 4 * usual + 0.3,
          seen: `${long.toFixed(2)} s for 40, ${usual.toFixed(2)} s for 40 purchases`,
        },
      ];
    }),
});

function buyAs(shop: Shop, email: string) {
  return {
    method: 'POST',
    path: '/v1/consumptions/email',
    headers: bearer(shop.key),
    raw: pad({ client_email: email, amount: 1 }),
  } as const;
}

function askAs(shop: Shop, email: string) {
  return {
    method: 'POST',
    path: '/v1/auth/otp/request',
    headers: at(shop.commerceId),
    raw: pad({ email }),
  } as const;
}

/** JSON of 16,000 bytes. */
function pad(body: object): string {
  const json = JSON.stringify(body);
  return json + ' '.repeat(Math.max(0, 16_000 - Buffer.byteLength(json)));
}
