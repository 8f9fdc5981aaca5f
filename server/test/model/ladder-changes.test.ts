import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMember } from '#members/lock-members.ts';
import type { Standing } from '#members/member.ts';
import { readVouchersOf } from '#vouchers/voucher.ts';
import { service } from '#test/harness.ts';
import { benefit, makeShop, type MadeMember, type ProgramFields, type Shop } from '#test/make.ts';
import { Climber, type LadderRules, type Step } from './ladder.ts';

/** Every kind of change at every place of the ladder, each with the resulting ladder. */
const BASE: readonly Step[] = [step('bronze', 50), step('silver', 100), step('gold', 1000)];
const changes: [what: string, ladder: readonly Step[]][] = [
  ['none is left', []],
  ['added at the bottom, from 0', [step('new', 0), ...BASE]],
  ['added at the bottom', [step('new', 20), ...BASE]],
  ['added in second place', BASE.toSpliced(1, 0, step('new', 70))],
  ['added in third place', BASE.toSpliced(2, 0, step('new', 500))],
  ['added on top', [...BASE, step('new', 1500)]],
  ['two added', [step('new', 10), ...BASE, step('newer', 1100)]],
  ...BASE.flatMap(({ id, threshold }, i): [string, Step[]][] => [
    [`${id} removed`, BASE.toSpliced(i, 1)],
    [`only ${id} is left`, [BASE[i]!]],
    [`${id} removed and one added in its place`, BASE.with(i, step('new', threshold))],
    [`${id} raised`, BASE.with(i, step(id, threshold + 45))],
    [`${id} raised above all`, [...BASE.toSpliced(i, 1), step(id, 1600)]],
    [`${id} lowered`, BASE.with(i, step(id, threshold - 45))],
    [`${id} lowered below all`, [step(id, 0), ...BASE.toSpliced(i, 1)]],
    [`${id} raised and one added below`, [step('new', 5), ...BASE.with(i, step(id, threshold + 45))]],
  ]),
  ['bronze and silver change places', withOrder('silver', 'bronze', 'gold')],
  ['silver and gold change places', withOrder('bronze', 'gold', 'silver')],
  ['bronze and gold change places', withOrder('gold', 'silver', 'bronze')],
  ['all move up one place', withOrder('gold', 'bronze', 'silver')],
  ['all move down one place', withOrder('silver', 'gold', 'bronze')],
];
const BOUGHT = [0, 50, 99, 150, 1000, 1700];

for (const [what, ladder] of changes) {
  test(`everyone stands where the model says after a change of the ladder: ${what}`, async () => {
    const shop = await makeShop(programOf(BASE));
    const people: Person[] = [];
    for (const amount of BOUGHT) {
      const member = await shop.member();
      const person = { member, climber: new Climber() };
      person.climber.join(rulesOf(BASE), 0);
      people.push(person);
      await buy(shop, person, amount, BASE, 1);
    }
    const compare = async (rules: readonly Step[], now: number, since: readonly Standing[] | null) => {
      const stand: Standing[] = [];
      for (const [i, { member, climber }] of people.entries()) {
        const place = climber.seen(rulesOf(rules), now);
        const { standing } = (await findMember(db, { commerceId: shop.id, code: member.code }))!;
        const said = `${BOUGHT[i]} bought`;
        assert.equal(standing.tierId, place.tier, said);
        const isSame = standing.reachedAt?.getTime() === since?.[i]?.reachedAt?.getTime();
        if (since !== null && place.tier !== null && since[i]!.tierId === place.tier)
          assert.equal(isSame, place.reachedAt !== now, `${said}: reached_at`);
        const gifts = await readVouchersOf(db, shop.id, member.memberId);
        assert.deepEqual(
          gifts.map(({ benefit }) => benefit.id).sort(),
          climber.gifts.map(({ tier }) => tier).sort(),
          said,
        );
        stand.push(standing);
      }
      return stand;
    };
    const { db } = await service();
    const before = await compare(BASE, 2, null);
    await shop.apply(programOf(ladder));
    for (const { climber } of people) climber.change(rulesOf(BASE), rulesOf(ladder), 3);
    const after = await compare(ladder, 3, before);
    for (const person of people) await buy(shop, person, 60, ladder, 4);
    await compare(ladder, 4, after);
  });
}

interface Person {
  readonly member: MadeMember;
  readonly climber: Climber;
}

async function buy(
  shop: Shop,
  { member, climber }: Person,
  amount: number,
  ladder: readonly Step[],
  now: number,
): Promise<void> {
  if (amount === 0) return;
  await shop.sell(member, amount);
  climber.earn({ points: amount, amount }, rulesOf(ladder), now);
}

function step(id: string, threshold: number): Step {
  return { id, threshold, gift: true };
}

/** The same thresholds, from the lowest on, for tiers in another order. */
function withOrder(...ids: string[]): Step[] {
  return ids.map((id, i) => step(id, BASE[i]!.threshold));
}

function rulesOf(ladder: readonly Step[]): LadderRules {
  return { zone: 'Europe/Madrid', measure: 'points', validMonths: null, ladder };
}

function programOf(ladder: readonly Step[]): ProgramFields {
  const ids = ['bronze', 'silver', 'gold', 'new', 'newer'];
  return {
    levels: { ladder: ladder.map(({ id, threshold }) => ({ id, name: id, threshold, benefit: id })) },
    benefits: ids.map((id) => benefit(id, { benefit_type: 'level', cost: 0 })),
  };
}
