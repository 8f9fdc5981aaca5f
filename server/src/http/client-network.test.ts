import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetworkOf } from './client-network.ts';

const SAME: [address: string, network: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8::7', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
];

for (const [address, network] of SAME) {
  test(`${address} calls from ${network}`, () => assert.equal(clientNetworkOf(address), network));
}

test('text that is not an IP address counts as a network of its own, cut to 64 characters', () => {
  assert.equal(clientNetworkOf('unknown'), 'unknown');
  assert.equal(clientNetworkOf('x'.repeat(5000)).length, 64);
});
