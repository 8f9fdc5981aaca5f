import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfBranch, nameOfRegister } from './branches.ts';
import { readProgram } from './read-program.ts';
import { warningsOf } from './warnings.ts';

const branches = [
  { id: 3, name: 'Harbour Street', registers: [{ id: 1, name: 'Counter' }] },
  {
    id: 4,
    name: 'Market',
    registers: [
      { id: 1, name: 'Window' },
      { id: 2, name: 'Bar' },
    ],
  },
];

test('a register is named within its branch, and without one if only one branch has it', () => {
  assert.equal(nameOfBranch(branches, 4), 'Market');
  assert.equal(nameOfBranch(branches, 5), null);
  assert.equal(nameOfRegister(branches, 1, 4), 'Window');
  assert.equal(nameOfRegister(branches, 2, 3), null);
  assert.equal(nameOfRegister(branches, 2, null), 'Bar');
  assert.equal(nameOfRegister(branches, 1, null), null);
});

test('a rule by a branch that a program with branches does not have is a warning', () => {
  const warningsWith = (named: object[]) => {
    const read = readProgram(
      JSON.stringify({
        slug: 'shop',
        name: 'Shop',
        currency: 'EUR',
        time_zone: 'UTC',
        branches: named,
        earning: {
          money_per_point: 1,
          rules: [{ id: 'a', title: 'A', when: { branches: [3, 7] }, give: { multiply: 2 } }],
        },
      }),
    );
    assert.ok(read.ok);
    return warningsOf(read.program, new Date());
  };
  assert.deepEqual(warningsWith([]), []);
  assert.deepEqual(warningsWith(branches), [
    'earning.rules[0].when.branches: 7 is not the id of a branch of this program',
  ]);
});
