import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createKey } from '#commerces/api-keys.ts';
import { loyalty } from '#test/command.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { buildApp } from '../../app.ts';

const { db } = await service();
const shop = await makeShop({ name: 'Bakery <b>"&' });
const member = await shop.member('nora');
const { key } = await createKey(db, shop.id, 'demo');
const demo = { commerceId: shop.id, name: 'Bakery <b>"&', slug: shop.slug, key, clientCode: member.code };
const deps = { db, log: false, secret: SECRET, demo } as const;
const app = await buildApp({ ...deps, devMailbox: true });
const production = await buildApp({ ...deps, publicUrl: 'https://loyalty.example' });
after(() => Promise.all([app.close(), production.close()]));

test('on a developer’s machine the page shows the demo, its key, a call and the member to sign in as', async () => {
  const { statusCode, headers, body } = await app.inject({ url: '/', headers: { host: 'localhost:4000' } });
  assert.equal(statusCode, 200);
  assert.match(String(headers['content-type']), /^text\/html/);
  assert.equal(headers['cache-control'], 'no-store');
  for (const shown of [
    key,
    member.email,
    `http://localhost:4000/v1/consumptions/client-code`,
    `&quot;client_code&quot;: ${member.code}`,
    `href="club/${shop.slug}"`,
    'href="dev/mail"',
    'href="console"',
    '<link rel="icon"',
    'href="docs"',
    'Bakery &lt;b&gt;&quot;&amp;',
  ])
    assert.ok(body.includes(shown), shown);
  assert.ok(!body.includes('<b>"'));
});

test('the page runs only its own script, loads only from the service, and has no origin', async () => {
  const { headers, body } = await app.inject({ url: '/' });
  const policy = String(headers['content-security-policy']);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^' ]+'; .*sandbox allow-scripts$/);
  assert.ok(!policy.includes('unsafe') && !policy.includes('allow-same-origin'));
  const loaded = [...body.matchAll(/(?:src|href|action)="([^"]*)"/g)].map(([, address]) => address!);
  for (const address of loaded) assert.doesNotMatch(address, /^(\w+:|\/)/);
});

test('anyone else sees the name of the service and nothing more', async () => {
  const neutral = (await production.inject({ url: '/' })).body;
  assert.match(neutral, /<body>\s*<main class="plain"><h1>Loyalty<\/h1><\/main>\s*<\/body>/);
  assert.doesNotMatch(neutral, /lk_|\d+\.\d+\.\d+|example|running/i);
  const calls = [
    { remoteAddress: '192.168.1.7' },
    { headers: { host: 'evil.example' } },
    { headers: { 'x-forwarded-for': '127.0.0.1' } },
    { headers: { via: '1.1 proxy' } },
  ];
  for (const call of calls) assert.equal((await app.inject({ url: '/', ...call })).body, neutral);
});

test('without a demo, and after it was closed, the page shows how to make a shop', async () => {
  const other = await makeShop({ name: 'Corner Shop' });
  const { key: lost } = await createKey(db, other.id, 'demo');
  await other.close();
  const closed = { ...demo, commerceId: other.id, name: 'Corner Shop', slug: other.slug, key: lost };
  for (const one of [null, closed]) {
    const bare = await buildApp({ ...deps, devMailbox: true, demo: one });
    const { body } = await bare.inject({ url: '/' });
    await bare.close();
    assert.ok(body.includes('loyalty apply corner-shop.yaml'));
    assert.ok(!body.includes('lk_test_') && !body.includes(other.slug));
  }
});

test('the three steps make a shop and its key, however the shop is called', async () => {
  const bare = await buildApp({ ...deps, devMailbox: true, demo: null });
  const { body } = await bare.inject({ url: '/' });
  await bare.close();
  const commands = [...body.matchAll(/npx --no-install loyalty ([^<]*)/g)].map(([, args]) =>
    args!.split(' '),
  );
  assert.equal(commands.length, 3);
  const answered = ['--name', 'Pixel Books 2', '--yes'];
  for (const args of commands) {
    const { code, stderr } = await loyalty(args[0] === 'init' ? [...args, ...answered] : args);
    assert.equal(code, 0, stderr);
  }
  const { stdout } = await loyalty(['export', 'corner-shop']);
  assert.match(stdout, /^name: Pixel Books 2$/m);
});
