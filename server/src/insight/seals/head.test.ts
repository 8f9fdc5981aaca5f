import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeadSigner, isSignedBy, readHeads, type Head, type SignedHead } from './head.ts';

const signer = createHeadSigner('a secret');
const origin = 'loyalty/luna/1111';

function signed(head: Partial<Head>): SignedHead {
  return readHeads(signer.sign({ origin, size: 3, root: Buffer.alloc(32, 7), ...head }))![0]!;
}

test('a head is signed by the key of its log, and by no key of another log of the installation', () => {
  const other = signed({ origin: 'loyalty/sol/2222' });
  assert.ok(isSignedBy(signed({}), signer.verifierKey(origin)));
  assert.ok(isSignedBy(other, signer.verifierKey(other.origin)));
  assert.ok(!isSignedBy(other, signer.verifierKey(origin)));

  // Its signature is by the same private key, so it is put under the name and the key id of the first log.
  const id = Buffer.from(signer.verifierKey(origin).split('+')[1]!, 'hex');
  const value = Buffer.concat([id, other.signatures[0]!.value.subarray(4)]);
  assert.ok(!isSignedBy({ ...other, signatures: [{ name: origin, value }] }, signer.verifierKey(origin)));
});

test('a size beyond what can be counted exactly is no head', () => {
  const text = (size: string) => `${origin}\n${size}\n${Buffer.alloc(32, 7).toString('base64')}\n`;
  assert.equal(readHeads(text('9007199254740991'))![0]!.size, Number.MAX_SAFE_INTEGER);
  for (const size of ['9007199254740992', '9999999999999999']) assert.equal(readHeads(text(size)), null);
});
