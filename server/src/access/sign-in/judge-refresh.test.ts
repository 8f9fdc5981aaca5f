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
  ['the first token is valid', [unused('a')], 'a', 'replaces a'],
  ['a successor is valid', [replaced('a', { isUsedLast: true }), unused('b')], 'b', 'replaces b'],
  [
    'a replaced token is valid until its successor is used',
    [replaced('a', { isUsedLast: true }), unused('b')],
    'a',
    'voids b',
  ],
  [
    'a replaced token is valid for 10 s, even if its successor was used',
    [replaced('a', { isFreshlyReplaced: true }), replaced('b', { isUsedLast: true }), unused('c')],
    'a',
    'voids c',
  ],
  [
    'after that it counts as reuse',
    [replaced('a'), replaced('b', { isUsedLast: true }), unused('c')],
    'a',
    'reuse',
  ],
  [
    'a token that is no longer stored counts as reuse',
    [replaced('b', { isUsedLast: true }), unused('c')],
    'a',
    'reuse',
  ],
  [
    'calls at the same time do not void each other’s tokens',
    [replaced('a', { isUsedLast: true }), unused('b', { isSettled: false }), unused('c')],
    'a',
    'voids c',
  ],
  [
    'the first of those tokens to be used voids the others',
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
