import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, test } from 'node:test';
import { makeShop } from '#test/make.ts';
import { makeStaff } from '#test/staff.ts';
import { isPublicAddress } from '#webhooks/judge-address.ts';
import { createPoster, NoAnswer } from '#webhooks/post.ts';
import { whyUnfit } from '#webhooks/webhook-address.ts';
import { openNameServer } from './name-server.ts';
import { openReceiver } from './receiver.ts';
import { startTestSender, makeWebhook, until } from './sending.ts';

/** Addresses of networks that no stranger may reach, as a name server or a shop can write them. */
const INSIDE = [
  // This machine, and nothing in particular.
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '::1',
  '::',
  // Private networks.
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.254',
  '192.168.0.1',
  '192.168.255.255',
  '100.64.0.1',
  '100.127.255.254',
  'fc00::1',
  'fd12:3456:789a::1',
  'fec0::1',
  // The next machine, and the metadata of clouds.
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'fd00:ec2::254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  // The same, mapped to IPv6.
  '::ffff:7f00:1',
  '::ffff:a00:1',
  '::ffff:c0a8:1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:7f00:1',
  '::7f00:1',
  '::a00:1',
  // Through NAT64.
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::c0a8:101',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1:a00::1',
  // Through 6to4, Teredo and ISATAP.
  '2002:7f00:1::1',
  '2002:a00:1::1',
  '2002:c0a8:101::1',
  '2002:a9fe:a9fe::1',
  '2001::7f00:1',
  '2001:0:a00:1::1',
  '2606:2800:220:1:0:5efe:a00:1',
  '2606:2800:220:1:200:5efe:7f00:1',
  // To many, to nobody, to examples and tests.
  '224.0.0.1',
  '239.255.255.250',
  'ff02::1',
  'ff0e::1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '192.88.99.1',
  '192.0.0.1',
  '2001:db8::1',
  '3fff::1',
  '100::1',
  '2001:10::1',
  '4000::1',
];

/** Other ways to write 127.0.0.1 and 169.254.169.254 in an address. */
const WRITTEN = [
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '0x7f.1',
  '2852039166',
  '[::ffff:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  'localhost',
  'LOCALHOST.',
  'x.localhost',
  '①②⑦.0.0.1',
];

const reached: string[] = [];
const server: Server = createServer((socket) => {
  reached.push(socket.localAddress ?? '');
  socket.destroy();
});
await new Promise<void>((resolve) => server.listen(0, '::', resolve));
after(() => server.close());
const { port } = server.address() as AddressInfo;
const rules = { ports: [443, port], ownHosts: ['club.example'], loopback: false };
const names = await openNameServer();
const poster = createPoster({ rules, nameServer: names.address, longestMs: 2_000 });
after(() => poster.close());

const post = (host: string) =>
  poster.post(`https://${host}:${port}/`, {}, '{}', new AbortController().signal);
const inBrackets = (address: string) => (address.includes(':') ? `[${address}]` : address);

test('60 addresses lead inside, and none of them is reached, neither by itself nor behind a name', async () => {
  assert.ok(INSIDE.length >= 60, String(INSIDE.length));
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  for (const address of [...INSIDE, ...own]) {
    assert.equal(isPublicAddress(address), false, address);
    await assert.rejects(post(inBrackets(address)), NoAnswer, address);
    names.answers = () => [address];
    await assert.rejects(post('inside.example'), NoAnswer, address);
  }
  for (const host of WRITTEN) await assert.rejects(post(host), NoAnswer, host);
  assert.deepEqual(reached, []);
});

test('a name that leads to the internet and inside is refused, in any order', async () => {
  for (const answers of [
    ['93.184.215.14', '127.0.0.1'],
    ['127.0.0.1', '93.184.215.14'],
    ['93.184.215.14', '::1'],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '10.0.0.1'],
  ]) {
    names.answers = () => answers;
    await assert.rejects(post('both.example'), /leads to/);
  }
  assert.deepEqual(reached, []);
});

test('a name that changes its mind is judged with each connection, and what was judged is what is dialled', async () => {
  for (const inside of ['127.0.0.1', '::1', '::ffff:7f00:1']) {
    names.answers = (_, asked) => (asked % 2 === 0 ? ['192.31.7.130'] : [inside]);
    // The first answer is on the internet, where nobody answers a test; the second one leads here.
    for (let i = 0; i < 4; i++) await assert.rejects(post(`changes-${inside.length}.example`), NoAnswer);
  }
  assert.deepEqual(reached, []);
});

test('addresses on the internet are fit, and other ports, schemes and the service itself are not', () => {
  for (const address of [
    '93.184.215.14',
    '8.8.8.8',
    '2606:2800:21f:cb07::1',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ])
    assert.equal(isPublicAddress(address), true, address);
  const usual = { ports: [443, 8443], ownHosts: ['club.example'], loopback: false };
  assert.equal(whyUnfit('https://shop.example/hooks?token=1', usual), null);
  assert.equal(whyUnfit('https://shop.example:8443/', usual), null);
  for (const wrong of [
    'http://shop.example/',
    'https://shop.example:22/',
    'https://user:word@shop.example/',
    'https://shop.example/#x',
    'https://club.example/admin',
    'https://CLUB.example./admin',
    'ftp://shop.example/',
    'file:///etc/passwd',
    'shop.example',
    `https://shop.example/${'x'.repeat(2_000)}`,
  ])
    assert.notEqual(whyUnfit(wrong, usual), null, wrong);
  const trial = { ...usual, loopback: true };
  assert.equal(whyUnfit('http://127.0.0.1:8080/hook', trial), null);
  assert.notEqual(whyUnfit('http://10.0.0.1:8080/hook', trial), null);
});

test('an address that leads inside is refused when it is given, and a redirect is followed nowhere', async () => {
  const shop = await makeShop();
  const owner = await makeStaff(shop, 'owner');
  for (const url of [
    'https://10.0.0.1/',
    'https://[fe80::1]/',
    'https://2852039166/',
    'http://shop.example/',
  ]) {
    const { status, text } = await owner.post('webhooks', { name: 'x', url });
    assert.equal(status, 422, `${url}: ${text}`);
  }
  const [from, to] = [await openReceiver(), await openReceiver()];
  const sender = startTestSender();
  from.answer = (response) => void response.writeHead(307, { location: to.url }).end();
  const id = await makeWebhook(shop, from);
  await shop.member();
  await until(() => from.received.length > 0, 'a request');
  await until(async () => {
    const { body } = await owner.get(`webhooks/${id}/deliveries`);
    return (body as { results: { status: number }[] }).results.some(({ status }) => status === 307);
  }, 'a redirect is recorded as a failure');
  assert.deepEqual([to.received, to.wrong], [[], []]);
  await sender.stop();
});
