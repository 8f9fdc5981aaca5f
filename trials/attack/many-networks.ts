import { setTimeout as sleep } from 'node:timers/promises';
import { defineAttack, type Stage } from './harness/attack.ts';
import { at, type Caller, type Reply } from './harness/caller.ts';
import { askForCode, codeOf, mailsTo, signInByMail, textOf } from './harness/mailbox.ts';
import { networkOfPerson, PROXY, rentedNetwork } from './harness/networks.ts';
import { withFreshConnections } from './harness/purchases.ts';
import { askAsStrangers, SIGN_IN_SIZE } from './harness/strangers.ts';
import { sendWaves } from './harness/waves.ts';

const ADDRESSES = 200;
const NETWORKS = 130;
const TRIES = 1_000;
const owner = { email: 'owner-of-wide@example.com', from: networkOfPerson(10_004) };

export const manyNetworks = defineAttack({
  name: 'many-networks',
  sentence: 'tries 1,000 wrong codes over 200 addresses from 130 networks of one /48',
  spendsLimits: true,
  prepare: (stage) =>
    withFreshConnections(stage.port, async (caller) => {
      const first = await stage.openShop('first-shop-of-wide');
      if ((await signInByMail(caller, stage.mails, first, owner)) === null)
        throw new Error('the owner could not sign in before the attack');
      const people = Array.from({ length: ADDRESSES }, (_, n) => n);
      await Promise.all(people.map((n) => askUntilHeard(caller, stage, n)));
    }),
  load: {
    harmless: askAsStrangers,
    attack: ({ port, attacked, isOver }) =>
      withFreshConnections(port, (caller) =>
        sendWaves({ ...SIGN_IN_SIZE, isOver }, (n) => tryFromBlock(caller, attacked.commerceId, n, wrong(n))),
      ),
  },
  during: ({ port, mails, others }) =>
    withFreshConnections(port, async (caller) => {
      const session = await signInByMail(caller, mails, others, owner);
      return [
        {
          promise: 'a member signs in from her own network within a minute',
          holds: session !== null,
          seen: session === null ? 'locked out' : 'signed in',
        },
      ];
    }),
  async check(stage) {
    const { port, attacked } = stage;
    return withFreshConnections(port, async (caller) => {
      // On a busy machine some tries get a 503 and do not count, so they are made again.
      for (let n = 0, failures = 0; failures < TRIES && n < 10 * TRIES; n += 50) {
        const some = Array.from({ length: 50 }, (_, i) => n + i);
        const replies = await Promise.all(
          some.map((i) => tryFromBlock(caller, attacked.commerceId, i, wrong(i))),
        );
        failures += replies.filter(({ status }) => status === 400 || status === 429).length;
      }
      const code = await freshCodeOf(caller, stage, ADDRESSES);
      const reply = await tryFromBlock(caller, attacked.commerceId, ADDRESSES, code);
      return [
        {
          promise: 'after 1,000 failures even a right code from that /48 is refused',
          holds: reply.status === 400 || reply.status === 429,
          seen: `status ${reply.status}`,
        },
      ];
    });
  },
});

/** Tries a code for the n-th address from the n-th network of the /48. */
function tryFromBlock(caller: Caller, commerceId: number, n: number, otp: string): Promise<Reply> {
  return caller.call(PROXY, {
    method: 'POST',
    path: '/v1/auth/otp/verify',
    headers: { ...at(commerceId), 'x-forwarded-for': `2001:db8:7:${((n % NETWORKS) + 1).toString(16)}::1` },
    body: { email: addressOf(n % (ADDRESSES + 1)), otp },
  });
}

/** A try counts only where there is a code, and on a busy machine some calls for one get a 503. */
async function askUntilHeard(
  caller: Caller,
  { attacked }: Pick<Stage, 'attacked'>,
  n: number,
): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const person = { email: addressOf(n), from: rentedNetwork(45_000 + n) };
    const { status } = await askForCode(caller, attacked, person);
    if (status !== 503) return;
    await sleep(200);
  }
  throw new Error('nobody answers who asks for a code');
}

async function freshCodeOf(caller: Caller, { mails, attacked }: Stage, n: number): Promise<string> {
  const email = addressOf(n);
  await askUntilHeard(caller, { attacked }, n);
  while (mailsTo(mails, email).length === 0) await mails.waitForMails(mails.received.length + 1);
  return codeOf(textOf(mailsTo(mails, email)[0]!))!;
}

function addressOf(n: number): string {
  return `guessed-${n}@example.com`;
}

function wrong(n: number): string {
  return String(100_000 + (n % 900_000));
}
