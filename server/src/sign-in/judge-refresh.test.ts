import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeRefresh, type KeptToken } from './judge-refresh.ts';

const hash = (name: string) => Buffer.from(name);
const unused = (name: string, more: Partial<KeptToken> = {}): KeptToken => ({
  hash: hash(name),
  isReplaced: false,
  isFreshlyReplaced: false,
  isUsedLast: false,
  isSettled: true,
  ...more,
});
const replaced = (name: string, more: Partial<KeptToken> = {}) => unused(name, { isReplaced: true, ...more });

const EXAMPLES: [name: string, tokens: KeptToken[], presented: string, outcome: string][] = [
  ['the first token is good', [unused('a')], 'a', 'replaces a'],
  ['a successor is good', [replaced('a', { isUsedLast: true }), unused('b')], 'b', 'replaces b'],
  [
    'a replaced one is good while its successor was never used',
    [replaced('a', { isUsedLast: true }), unused('b')],
    'a',
    'voids b',
  ],
  [
    'a replaced one is good for 10 s after its successor was used',
    [replaced('a', { isFreshlyReplaced: true }), replaced('b', { isUsedLast: true }), unused('c')],
    'a',
    'voids c',
  ],
  [
    'after that it is a replay',
    [replaced('a'), replaced('b', { isUsedLast: true }), unused('c')],
    'a',
    'reuse',
  ],
  [
    'one that is not kept any more is a replay',
    [replaced('b', { isUsedLast: true }), unused('c')],
    'a',
    'reuse',
  ],
  [
    'calls at the same time leave each other their tokens',
    [replaced('a', { isUsedLast: true }), unused('b', { isSettled: false }), unused('c')],
    'a',
    'voids c',
  ],
  [
    'of those the first one used stays',
    [replaced('a', { isUsedLast: true }), unused('b'), unused('c')],
    'c',
    'replaces c, voids b',
  ],
];

for (const [name, tokens, presented, outcome] of EXAMPLES) {
  test(name, () => {
    const judged = judgeRefresh(tokens, hash(presented));
    const told = judged.good
      ? [
          judged.replaced && `replaces ${presented}`,
          judged.voided.length > 0 && `voids ${judged.voided.join()}`,
        ]
          .filter(Boolean)
          .join(', ')
      : 'reuse';
    assert.equal(told, outcome);
  });
}
