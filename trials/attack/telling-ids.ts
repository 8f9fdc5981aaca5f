import { defineAttack, type Finding, type Shop, type Stage } from './harness/attack.ts';
import type { Caller } from './harness/caller.ts';
import { signInByMail } from './harness/mailbox.ts';
import { networkOfPerson, OTHERS } from './harness/networks.ts';
import { purchase, withCaller } from './harness/purchases.ts';

/** How many things another shop makes between two of the attacker's own. */
const BETWEEN = [1, 4, 9];

export const tellingIds = defineAttack({
  name: 'telling-ids',
  sentence: 'compares the ids of its own purchases and members to learn how busy the other shops are',
  check: (stage) =>
    withCaller(stage.port, async (caller) => {
      let people = 0;
      const buy = async (shop: Shop) => {
        const reply = await caller.call(OTHERS, purchase(shop, shop.members[0]!.code));
        return Number(reply.headers['x-consumption-id']);
      };
      const join = async (shop: Shop) => (await signInAs(caller, stage, shop, people++)).user_id;
      return [
        judge('ids of purchases', await stepsOf(stage, buy)),
        judge('ids of users', await stepsOf(stage, join)),
      ];
    }),
});

/** How far the attacker's own ids are apart, for each number of things that others made between them. */
async function stepsOf(
  { attacked, others }: Stage,
  make: (shop: Shop) => Promise<number>,
): Promise<number[]> {
  const steps: number[] = [];
  for (const between of BETWEEN) {
    const before = await make(attacked);
    for (let n = 0; n < between; n++) await make(others);
    steps.push((await make(attacked)) - before);
  }
  return steps;
}

/** An id tells if the steps grow with the number of things between, and are of that size. */
function judge(what: string, steps: readonly number[]): Finding {
  const grows = steps.every((step, n) => step > (steps[n - 1] ?? 0));
  const tells = grows && steps.every((step, n) => step < 100 * (BETWEEN[n]! + 1));
  return {
    promise: `${what} do not tell how many others there are`,
    holds: !tells,
    seen: `steps ${steps.join(', ')} for ${BETWEEN.join(', ')} of others between`,
  };
}

async function signInAs(caller: Caller, { mails }: Stage, shop: Shop, n: number) {
  const person = { email: `joins-${n}@example.com`, from: networkOfPerson(11_000 + n) };
  const session = await signInByMail(caller, mails, shop, person);
  if (session === null) throw new Error(`${person.email} could not sign in`);
  return session;
}
