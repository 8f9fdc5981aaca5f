import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toyServer } from '#test/http/toy-server.ts';
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

const app = await toyServer({ trustProxy: ['10.0.0.0/8', 'fd00::/8'] });
app.get('/network', { config: { credential: 'none' } }, (request) => ({
  network: clientNetworkOf(request.ip),
}));
after(() => app.close());

const REPORTED: [forwarded: string | string[], network: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:1234', '203.0.113.7'],
  ['"203.0.113.7:1234"', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['[2001:db8::1]', '2001:db8:0:0::/64'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['"[2001:db8::1]:443"', '2001:db8:0:0::/64'],
  ['[2001:db8::1%eth0]:443', '2001:db8:0:0::/64'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['198.51.100.1, 203.0.113.7:1234', '203.0.113.7'],
  ['203.0.113.7:1, 10.0.0.2:99', '203.0.113.7'],
  ['203.0.113.7:1 ,  [fd00::7]:99', '203.0.113.7'],
  [['198.51.100.1', '203.0.113.7:80'], '203.0.113.7'],
  // Anything that is not an address counts as the proxy that reported it.
  ['unknown', '10.0.0.1'],
  ['', '10.0.0.1'],
  [',', '10.0.0.1'],
  ['203.0.113.7, garbage', '10.0.0.1'],
  ['203.0.113.7, garbage, 10.0.0.2:99', '10.0.0.2'],
  ['203.0.113.7:port', '10.0.0.1'],
  ['203.0.113.7:', '10.0.0.1'],
  ['203.0.113.7:123456', '10.0.0.1'],
  ['[203.0.113.7]:80', '10.0.0.1'],
  ['[2001:db8::1', '10.0.0.1'],
  ['2001:db8::1]:80', '10.0.0.1'],
  ['"203.0.113.7', '10.0.0.1'],
  ['203.0.113.007', '10.0.0.1'],
  ['x'.repeat(5000), '10.0.0.1'],
];

for (const [forwarded, network] of REPORTED) {
  test(`a trusted proxy that reports ${JSON.stringify(forwarded).slice(0, 60)} has a call from ${network}`, async () => {
    const answer = await app.inject({
      url: '/network',
      remoteAddress: '10.0.0.1',
      headers: { 'x-forwarded-for': forwarded },
    });
    assert.deepEqual(answer.json(), { network });
  });
}

test('nobody else may report an address', async () => {
  const answer = await app.inject({
    url: '/network',
    remoteAddress: '198.51.100.9',
    headers: { 'x-forwarded-for': '203.0.113.7' },
  });
  assert.deepEqual(answer.json(), { network: '198.51.100.9' });
});

test('a connection that is closed already has a network, so that its call is no defect', () => {
  assert.equal(clientNetworkOf(undefined), '');
});
