import { defineAttack, type Shop } from './harness/attack.ts';
import { bearer, type Caller, type Reply } from './harness/caller.ts';
import { askForCode, signInByMail, waitForRest } from './harness/mailbox.ts';
import { ATTACKER, networkOfPerson, rentedNetwork } from './harness/networks.ts';
import { withFreshConnections } from './harness/purchases.ts';
import { askAsStrangers, SIGN_IN_SIZE } from './harness/strangers.ts';
import { sendWaves } from './harness/waves.ts';

const owner = { email: 'bomb@example.com', from: networkOfPerson(10_003) };

export const aliasesOfAMailbox = defineAttack({
  name: 'aliases-of-a-mailbox',
  sentence: 'asks for codes and causes invitations for bomb+1@…, bomb+2@… and so on, all of them one mailbox',
  spendsLimits: true,
  async prepare(stage) {
    const before = await stage.openShop('first-shop-of-bomb');
    const session = await withFreshConnections(stage.port, (caller) =>
      signInByMail(caller, stage.mails, before, owner),
    );
    if (session === null) throw new Error('the owner could not sign in before the attack');
  },
  load: {
    harmless: askAsStrangers,
    attack: ({ port, attacked, isOver }) =>
      withFreshConnections(port, (caller) =>
        sendWaves({ ...SIGN_IN_SIZE, isOver }, (n) => bomb(caller, attacked, n)),
      ),
  },
  during: ({ port, mails, others }) =>
    withFreshConnections(port, async (caller) => {
      const began = performance.now();
      const session = await signInByMail(caller, mails, others, owner);
      const seconds = Math.round((performance.now() - began) / 1_000);
      return [
        {
          promise: 'the owner of the mailbox signs in from her own network within a minute',
          holds: session !== null,
          seen: session === null ? 'locked out' : `after ${seconds} s`,
        },
      ];
    }),
  async check({ mails }) {
    await waitForRest(mails);
    const received = mails.received.filter(({ to }) => to.some((address) => /^bomb[+@]/.test(address)));
    const codes = received.filter(({ raw }) => /^Subject: .*\d{6}/m.test(raw)).length;
    const invitations = received.length - codes;
    return [
      { promise: 'the mailbox gets at most 20 codes', holds: codes <= 20, seen: `${codes} codes` },
      {
        promise: 'the mailbox gets one invitation of the shop',
        holds: invitations <= 1,
        seen: `${invitations} invitations`,
      },
    ];
  },
});

/** Codes from many networks, and purchases with the shop's key, in turn. */
function bomb(caller: Caller, shop: Shop, n: number): Promise<Reply> {
  const email = `bomb+${n}@example.com`;
  if (n % 2 === 0) return askForCode(caller, shop, { email, from: rentedNetwork(20_000 + n) });
  return caller.call(ATTACKER, {
    method: 'POST',
    path: '/v1/consumptions/email',
    headers: bearer(shop.key),
    body: { client_email: email, amount: 1 },
  });
}
