import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countingDatabase } from '#test/count-statements.ts';
import { benefit, makeShop, type ProgramFields } from '#test/make.ts';
import { importMembers, type MemberLine } from './import-members.ts';

const gift = (id: string, kind: string) => benefit(id, { benefit_type: kind, cost: 0 });
const tiers = (count: number) => ({
  ladder: Array.from({ length: count }, (_, i) => ({
    name: `Tier ${i + 1}`,
    threshold: i * 10,
    benefit: `tier-${i + 1}`,
  })),
});
const tierBenefits = (count: number) =>
  Array.from({ length: count }, (_, i) => gift(`tier-${i + 1}`, 'level'));

const programs: [given: string, fields: ProgramFields][] = [
  ['nothing', {}],
  ['points', { rewards: { welcome: { points: 5 } } }],
  ['a benefit', { rewards: { welcome: { benefit: 'hello' } }, benefits: [gift('hello', 'welcome')] }],
  [
    'a benefit and the benefits of three tiers',
    {
      rewards: { welcome: { benefit: 'hello' } },
      levels: tiers(3),
      benefits: [gift('hello', 'welcome'), ...tierBenefits(3)],
    },
  ],
  [
    'points and the benefits of ten tiers',
    {
      rewards: { welcome: { points: 5 } },
      levels: tiers(10),
      benefits: tierBenefits(10),
    },
  ],
];

for (const [given, fields] of programs) {
  test(`an import takes the same number of statements for 500 members as for 50 if each gets ${given}`, async (t) => {
    const { db, count } = await countingDatabase();
    const shop = await makeShop(fields);
    const imported = (people: number) => importMembers(db, shop.id, lines(people), { welcome: true });
    await imported(1); // loads the program into memory
    const few = await count(async () => assert.equal((await imported(50)).imported, 50));
    const many = await count(async () => assert.equal((await imported(500)).imported, 500));
    assert.deepEqual(withoutRepeatedSearches(many.names), withoutRepeatedSearches(few.names));
    assert.ok(many.statements <= 29, many.names.join(', '));
    t.diagnostic(`${many.statements} statements: ${many.names.join(', ')}`);
  });
}

/**
 * Leaves one of several searches for free codes. In one of 600 imports of 500 members, two of their random codes are equal
 * or one is taken, and the import searches again for as many as are missing.
 */
function withoutRepeatedSearches(names: readonly string[]): string[] {
  const searches = names.filter((name) => name === 'free-codes').length;
  assert.ok(searches <= 3, `${searches} searches for free codes`);
  return names.filter((name, i) => name !== 'free-codes' || names[i - 1] !== name);
}

let people = 0;

// oxlint-disable-next-line typescript/require-await -- rows are read one by one, as from a file
async function* lines(count: number): AsyncGenerator<MemberLine> {
  for (let i = 0; i < count; i++)
    yield { line: i + 1, fields: { email: `p${people++}@example.com`, points: '95' } };
}
