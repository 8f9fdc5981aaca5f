/** Sends a group of purchases to the service, then to the model. */
import assert from 'node:assert/strict';
import { sql } from '#db/database.ts';
import type { PurchaseCall } from '#purchases/record-purchases.ts';
import type { Reported } from '#test/random-purchases.ts';
import type { Bought } from './programs.ts';
import type { Answer } from './till.ts';
import type { World } from './world.ts';

/**
 * The service chooses the order of purchases that arrive at once. The ledger shows that order, and the model follows it.
 * Returns the group in that order, with the refused purchases at the end.
 */
export async function earn(world: World, group: readonly Bought[]): Promise<Bought[]> {
  const calls = group.map((bought, place) => callOf(world, bought, place));
  const sent = group.flatMap(({ key, late }, place) => {
    const call = calls[place]!;
    return key === 'sent twice' || key === 'named twice'
      ? [
          { call, late },
          { call, late: false },
        ]
      : [{ call, late }];
  });
  const answers = await world.till(sent);
  const outcomes = group.map((bought, place) => {
    const toIt = answers.filter((_, i) => sent[i]!.call === calls[place]);
    return { bought, ...outcomeOf(world, toIt) };
  });
  const recorded = outcomes.filter(({ id }) => id !== null).sort((a, b) => a.id! - b.id!);
  const refused = outcomes.filter(({ id }) => id === null);
  await assertInLedger(world, recorded);

  for (const { bought, id, told } of recorded) {
    const { person } = world.people[bought.who!]!;
    const made = world.model.earn(person, reportedOf(world, bought));
    assert.ok(made, 'recorded, though it had to be refused');
    assert.deepEqual(
      told,
      [{ points: made.earned.figures.points, balance: world.model.balanceOf(person) }],
      'told',
    );
    world.purchases.push({ id: id!, bought: made });
  }
  for (const { bought, why } of refused)
    if (bought.who !== null)
      assert.equal(
        world.model.earn(world.people[bought.who]!.person, reportedOf(world, bought)),
        undefined,
        why,
      );
  return [...recorded, ...refused].map(({ bought }) => bought);
}

function callOf(world: World, bought: Bought, place: number): PurchaseCall {
  const { commerceId, people, step } = world;
  const { who, byCode, key } = bought;
  const what = reportedOf(world, bought);
  const { email, code } = who === null ? UNUSABLE : people[who]!;
  return {
    commerceId,
    buyer: byCode && code !== null ? { code } : { email },
    ...what,
    request:
      key === 'none' || key === 'named twice'
        ? undefined
        : { key: `${step}/${place}`, path: {}, body: { who, ...what } },
    order: key === 'named twice' ? { externalId: `${step}/${place}`, body: { who, ...what } } : undefined,
  };
}

/** The interface takes no place for a purchase by address. */
function reportedOf({ people }: World, { who, what, byCode }: Bought): Reported {
  return byCode && who !== null && people[who]!.code !== null
    ? what
    : { ...what, branchId: null, registerId: null };
}

/** PostgreSQL refuses text with a zero character, so the whole transaction with this call is rolled back. */
const UNUSABLE = { email: 'nobody\0@example.com', code: null };

/** The result that all answers to one purchase share: its id, or null and the refusal. At most one answer is the first. */
function outcomeOf(
  world: World,
  answers: readonly Answer[],
): { id: number | null; why: string; told: unknown[] } {
  const [id, ...others] = new Set(answers.map((answer) => (answer.recorded ? answer.purchaseId : null)));
  assert.deepEqual(others, [], 'one key, one answer');
  const first = answers.filter((answer) => answer.recorded && !answer.replayed);
  assert.ok(first.length <= 1, 'recorded once');
  if (id !== null && first.length === 0) world.untold++;
  const [answer] = answers;
  const told = answers.map((one) => one.recorded && JSON.stringify([one.pointsEarned, one.balance]));
  assert.equal(new Set(told).size, 1, 'one purchase, one balance');
  return {
    id: id!,
    why: answer!.recorded ? '' : `refused: ${answer!.why}`,
    told: answer!.recorded ? [{ points: answer!.pointsEarned, balance: answer!.balance }] : [],
  };
}

/** Asserts that this step recorded each acknowledged purchase once, and no other purchase. */
async function assertInLedger(
  world: World,
  recorded: readonly { readonly id: number | null; readonly bought: Bought }[],
): Promise<void> {
  const { db, commerceId, people, purchases } = world;
  const { rows } = await sql`-- model-new-purchases
    select v.id, m.email, v.amount, v.branch_id as "branchId", v.register_id as "registerId",
           v.snapshot ->> 'channel' as channel, l.lines
      from movements v
      join members m on m.commerce_id = v.commerce_id and m.id = v.member_id
      left join purchase_lines l on l.commerce_id = ${commerceId} and l.purchase_id = v.id
     where v.commerce_id = ${commerceId} and v.type = 'purchase' and v.id > ${purchases.at(-1)?.id ?? 0}
     order by v.id`.execute(db);
  const acknowledged = recorded.map(({ id, bought }) => ({
    id,
    email: people[bought.who!]!.email,
    ...reportedOf(world, bought),
  }));
  assert.deepEqual(rows, acknowledged, 'purchases in the ledger');
}
