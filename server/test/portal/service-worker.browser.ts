/** A new release reaches an installed club at its next opening, and no service worker can lock a member out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Shop } from '#test/make.ts';
import {
  becomes,
  clubs,
  ENGLISH,
  open,
  startClubs,
  visit,
  type Visit,
  waitForWorker,
  waitUntil,
} from './browser.ts';
import { club } from './club.ts';
import { startNetwork, type Network, type Reply } from './network.ts';

const ENTER = { name: ENGLISH.enter };

async function installed(): Promise<{ shop: Shop; network: Network; phone: Visit }> {
  const shop = await club();
  const network = await startNetwork(await clubs());
  const phone = await visit(shop, {}, `/club/${shop.slug}`, network.url);
  await phone.page.getByRole('link', ENTER).first().waitFor();
  await waitForWorker(phone.page);
  return { shop, network, phone };
}

/** Makes the service look like a later release: another script, under another name, and the old one is gone. */
function release(network: Network, name: string, worker = ''): void {
  network.change = (path, reply) => {
    if (/^\/club\/_assets\/index-[\w-]+\.js$/.test(path)) {
      if (!path.includes(name)) return { ...reply, status: 404, body: '' };
    }
    if (path === '/club/_worker.js') return { ...reply, body: reply.body + worker };
    if (!/^\/club\/[\w-]+$/.test(path)) return reply;
    return { ...reply, body: reply.body.replaceAll(/index-[\w-]+\.js/g, `index-${name}.js`) };
  };
}

/** Serves this script as the service worker. */
function serveWorker(network: Network, body: string): void {
  network.change = (path, reply: Reply) => (path === '/club/_worker.js' ? { ...reply, body } : reply);
}

async function releaseOf(page: Page): Promise<string> {
  const source = await page.locator('script[src]').getAttribute('src');
  return /index-([\w-]+)\.js/.exec(source!)![1]!;
}

test('a new release reaches an installed club at the next opening, and the old files are removed', async () => {
  const { network, phone } = await installed();
  const { page } = phone;
  const old = await releaseOf(page);
  await useOwnScripts(network, old);
  for (const [name, worker] of [
    ['second', ''],
    ['third', '\n// another worker'],
  ] as const) {
    release(network, name, worker);
    await page.reload();
    await becomes(() => releaseOf(page), name);
    await page.getByRole('link', ENTER).first().waitFor();
    await waitUntil(
      page,
      async (name) => {
        const [cache] = await caches.keys();
        const urls = (await (await caches.open(cache!)).keys()).map(({ url }) => url);
        const scripts = urls.filter((url) => url.endsWith('.js'));
        return scripts.length === 1 && scripts[0]!.includes(name);
      },
      name,
    );
    // Without a network, it is the new release that opens.
    network.isUp = false;
    await page.reload();
    await page.getByText('The club is not responding at the moment.').waitFor();
    await becomes(() => releaseOf(page), name);
    network.isUp = true;
  }
});

/** A later release has the same script under another name. */
async function useOwnScripts(network: Network, old: string): Promise<void> {
  const target = network.target;
  const proxy = await startNetwork(target);
  network.target = proxy.url;
  const script = await (await fetch(`${target}/club/_assets/index-${old}.js`)).text();
  proxy.change = (path, reply) =>
    /^\/club\/_assets\/index-(second|third)\.js$/.test(path)
      ? { status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: script }
      : reply;
}

test('a slow network does not keep an installed club closed, and the new release opens the next time', async () => {
  const { network, phone } = await installed();
  const { page } = phone;
  const old = await releaseOf(page);
  await useOwnScripts(network, old);
  release(network, 'second');
  network.delayMs = 5_000;
  await page.reload();
  await becomes(() => releaseOf(page), old);
  await waitUntil(page, async () => {
    const [cache] = await caches.keys();
    return (await (await caches.open(cache!)).keys()).some(({ url }) => url.includes('second'));
  });
  network.delayMs = 0;
  await page.reload();
  await becomes(() => releaseOf(page), 'second');
});

for (const [what, script] of [
  ['cannot be read', 'this is not a script'],
  ['throws when it starts', 'throw new Error("broken")'],
  ['cannot be installed', "addEventListener('install', (event) => event.waitUntil(Promise.reject('no')))"],
  [
    'throws at every request',
    "addEventListener('install', () => skipWaiting()); addEventListener('activate', (event) => event.waitUntil(clients.claim())); addEventListener('fetch', () => { throw new Error('broken') })",
  ],
] as const)
  test(`a service worker that ${what} does no harm, and the next one takes its place`, async () => {
    const shop = await club();
    const network = await startNetwork(await clubs());
    serveWorker(network, script);
    const phone = await visit(shop, {}, `/club/${shop.slug}`, network.url);
    const { page } = phone;
    for (let times = 0; times < 2; times++) {
      await page.getByRole('link', ENTER).first().waitFor();
      await page.reload();
    }
    network.change = null;
    await page.reload();
    await page.getByRole('link', ENTER).first().waitFor();
    await waitForWorker(page);
    network.isUp = false;
    await page.reload();
    await page.getByText('The club is not responding at the moment.').waitFor();
  });

const REFUSES_EVERYTHING = `
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => event.respondWith(Response.error()));
`;

for (const remedy of ['is mended', 'is switched off'] as const)
  test(`even a service worker that refuses every request is gone at the next visit but one, if it ${remedy}`, async () => {
    const { network, phone } = await installed();
    const { page } = phone;
    serveWorker(network, REFUSES_EVERYTHING);
    await page.reload();
    const isRefused = () =>
      page.evaluate(() =>
        fetch(location.href).then(
          () => false,
          () => true,
        ),
      );
    // The worker before it gives way only while it has nothing to do, so the page asks seldom.
    for (let tries = 0; !(await isRefused()); tries++) {
      assert.ok(tries < 60, 'the worker never took over');
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
    network.change = null;
    if (remedy === 'is switched off') network.target = await startClubs({ worksOffline: false });
    // This opening still fails, but the browser has looked for another worker.
    const address = page.url();
    await page.evaluate(() => caches.open('of another application'));
    await page.goto(address).catch(() => undefined);
    let next = page;
    for (let tries = 0; tries < 100; tries++) {
      await next.close();
      next = await phone.context.newPage();
      if (
        await next.goto(address).then(
          (response) => response?.ok() === true,
          () => false,
        )
      )
        break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await next.getByRole('link', ENTER).first().waitFor();
    if (remedy === 'is mended') return waitForWorker(next);
    // Another application at the same address keeps what is its own.
    await waitUntil(
      next,
      async () =>
        (await navigator.serviceWorker.getRegistrations()).length === 0 &&
        (await caches.keys()).join() === 'of another application',
    );
    await next.close();
    const last = await phone.context.newPage();
    await last.goto(address);
    await last.getByRole('link', ENTER).first().waitFor();
    assert.equal(await last.evaluate(() => navigator.serviceWorker.controller), null);
  });

test('without any service worker, the page works', async () => {
  const shop = await club();
  const base = await startClubs({ worksOffline: false });
  const visited = await visit(shop, {}, `/club/${shop.slug}`, base);
  await visited.page.getByRole('link', ENTER).first().waitFor();
  await visited.page.waitForLoadState('networkidle');
  assert.equal(
    await visited.page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
    0,
  );
  assert.deepEqual(visited.faults, []);
});

test('a worker leaves the pages of other shops alone, even of one whose address begins like its own', async () => {
  const { shop, network, phone } = await installed();
  await club({ slug: `${shop.slug}-2`, name: 'The longer name' });
  const page = await phone.context.newPage();
  await page.goto(`${network.url}/club/${shop.slug}-2`);
  await page.getByText('The longer name').first().waitFor();
  await waitForWorker(page);
  network.isUp = false;
  await page.reload();
  await page.getByText('The longer name').first().waitFor();
  const first = await phone.context.newPage();
  await first.goto(`${network.url}/club/${shop.slug}`);
  await first.getByText('Harbour Bakery').first().waitFor();
  assert.equal(await first.getByText('The longer name').count(), 0);
});

test('a closed shop stays closed, also on a phone that had kept its page', async () => {
  const { shop, network, phone } = await installed();
  await shop.close();
  await phone.page.reload();
  await phone.page.getByText('No club here').waitFor();
  network.isUp = false;
  await phone.page.reload().catch(() => undefined);
  assert.equal(await phone.page.getByText('Harbour Bakery').count(), 0);
});

test('a sign-in page of a public network does not replace the page that was kept', async () => {
  const { network, phone } = await installed();
  network.change = () => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<h1>Free Wi-Fi</h1>',
  });
  await phone.page.reload();
  await phone.page.getByText('Free Wi-Fi').waitFor();
  network.change = null;
  network.isUp = false;
  await phone.page.reload();
  await phone.page.getByText('Harbour Bakery').first().waitFor();
});

test('the worker’s own policy lets it fetch from the service only, and the page allows no other worker', async () => {
  const shop = await club();
  const base = await clubs();
  const worker = await fetch(`${base}/club/_worker.js`);
  assert.equal(worker.headers.get('content-security-policy'), "default-src 'none'; connect-src 'self'");
  assert.equal(worker.headers.get('cache-control'), 'no-cache');
  assert.match(worker.headers.get('content-type')!, /^text\/javascript/);
  const { page } = await open({});
  await page.goto(`${base}/club/${shop.slug}`);
  const refusal = await page.evaluate(() =>
    navigator.serviceWorker.register('/club/_assets/other.js').then(
      () => 'registered',
      (error: Error) => error.name,
    ),
  );
  assert.equal(refusal, 'TypeError');
});
