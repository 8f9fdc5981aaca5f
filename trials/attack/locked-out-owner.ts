import { defineAttack, type Finding, type Shop, type Stage } from './harness/attack.ts';
import type { Caller, Reply } from './harness/caller.ts';
import { askForCode, mailsTo, signInByMail, tryCode, waitForRest } from './harness/mailbox.ts';
import { networkOfPerson, rentedNetwork } from './harness/networks.ts';
import { withFreshConnections } from './harness/purchases.ts';
import { askAsStrangers, SIGN_IN_SIZE } from './harness/strangers.ts';
import { sendWaves } from './harness/waves.ts';

/** More shops than an address may have mails in a day. */
const SHOPS = 24;
/** Attacked at her own shop too, so that the digits of her mails are burned. */
const ana = { email: 'ana-the-owner@example.com', from: networkOfPerson(10_001) };
/** Attacked at all other shops, which would use up her day. */
const bea = { email: 'bea-the-owner@example.com', from: networkOfPerson(10_002) };

interface Prepared {
  readonly shops: readonly Shop[];
  /** Where the owners sign in during the attack. */
  readonly own: Shop;
}

export const lockedOutOwner = defineAttack<Prepared>({
  name: 'locked-out-owner',
  sentence: 'asks for codes of two members at 24 shops and tries wrong digits, from thousands of networks',
  spendsLimits: true,
  async prepare(stage) {
    const shops = await Promise.all(
      Array.from({ length: SHOPS }, (_, n) => stage.openShop(`street-${n}-end`)),
    );
    const own = await stage.openShop('own-shop');
    const before = await stage.openShop('first-shop');
    await withFreshConnections(stage.port, async (caller) => {
      for (const owner of [ana, bea])
        if ((await signInByMail(caller, stage.mails, before, owner)) === null)
          throw new Error(`${owner.email} could not sign in before the attack`);
      await spendTheDay(caller, { shops, own });
    });
    return { shops, own };
  },
  load: {
    harmless: askAsStrangers,
    attack: ({ port, prepared, isOver }) =>
      withFreshConnections(port, (caller) =>
        sendWaves({ ...SIGN_IN_SIZE, isOver }, (n) => lockOut(caller, prepared, n)),
      ),
  },
  during: ({ port, mails }, { own }) =>
    withFreshConnections(port, (caller) =>
      Promise.all(
        [ana, bea].map(async (owner): Promise<Finding> => {
          const began = performance.now();
          const session = await signInByMail(caller, mails, own, owner);
          const seconds = Math.round((performance.now() - began) / 1_000);
          return {
            promise: `${owner.email} signs in from her own network within a minute`,
            holds: session !== null,
            seen: session === null ? 'locked out' : `after ${seconds} s`,
          };
        }),
      ),
    ),
  async check({ mails }: Stage) {
    await waitForRest(mails);
    return [ana, bea].map(({ email }) => {
      const sent = mailsTo(mails, email).length;
      return { promise: `${email} gets at most 20 mails`, holds: sent <= 20, seen: `${sent} mails` };
    });
  },
});

/** Asks for a code at every shop and burns its digits: what a stranger needs to use up an address for a day. */
async function spendTheDay(caller: Caller, prepared: Prepared): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let shop = lane; shop <= SHOPS; shop += LANES)
      for (let call = shop * CALLS_AT_A_SHOP; call < (shop + 1) * CALLS_AT_A_SHOP; call++)
        await Promise.all([lockOut(caller, prepared, 2 * call), lockOut(caller, prepared, 2 * call + 1)]);
  });
  await Promise.all(lanes);
}

/** Shops that are attacked at the same time. */
const LANES = 5;
/** A code and five tries, one more than needed. */
const CALLS_AT_A_SHOP = 7;

/** Attacks the owners in turn, at one shop after another. Each call comes from the next network. */
function lockOut(caller: Caller, { shops, own }: Prepared, n: number): Promise<Reply> {
  const owner = n % 2 === 0 ? ana : bea;
  const streets = owner === ana ? [own, ...shops] : shops;
  const turn = Math.floor(n / 2);
  const shop = streets[Math.floor(turn / CALLS_AT_A_SHOP) % streets.length]!;
  const person = { email: owner.email, from: rentedNetwork(n % 20_000) };
  return turn % CALLS_AT_A_SHOP === 0
    ? askForCode(caller, shop, person)
    : tryCode(caller, shop, person, String(100_000 + n));
}
