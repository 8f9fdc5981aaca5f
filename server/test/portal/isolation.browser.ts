/**
 * The portal keeps members' tokens in the local storage of its origin. The other pages of the service come from the
 * same address, so a script that got into one of them must not reach that storage.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { someone } from '#test/sign-in.ts';
import { becomes, clubs, signIn, visit } from './browser.ts';
import { club } from './club.ts';
import { intercept } from './intercept.ts';

/** Returns the data that an injected script gets when it reads the storage itself, and through a frame with the portal in it. */
async function attack(page: Page, slug: string): Promise<{ origin: string; held: string; framed: string }> {
  await page.evaluate((slug) => {
    const frame = document.createElement('iframe');
    frame.src = `/club/${slug}`;
    document.documentElement.append(frame);
  }, slug);
  // Timers of a page without scripts do not run.
  await sleep(300);
  return page.evaluate(() => {
    const attempt = (steal: () => string) => {
      try {
        return steal();
      } catch (error) {
        return (error as Error).name;
      }
    };
    return {
      origin: self.origin,
      held: attempt(() => JSON.stringify(localStorage)),
      framed: attempt(() => JSON.stringify(document.querySelector('iframe')!.contentWindow!.localStorage)),
    };
  });
}

const PATHS = ['/docs', '/dev/mail', '/openapi.json', '/healthz', '/club/_assets/nothing', '/nothing'];

test('a script in another page of the service cannot read the tokens of the portal', async (t) => {
  const shop = await club();
  const visitor = await visit(shop);
  await signIn(visitor, someone());
  assert.match(await visitor.page.evaluate(() => JSON.stringify(localStorage)), /lr_/);

  for (const path of PATHS) {
    await t.test(path, async () => {
      // The same browser with the same session, as in another tab.
      const page = await visitor.context.newPage();
      await page.goto((await clubs()) + path);
      assert.deepEqual(await attack(page, shop.slug), {
        origin: 'null',
        held: 'SecurityError',
        framed: 'SecurityError',
      });
      await page.close();
    });
  }
});

test('a script in a mail does not run in the mailbox', async (t) => {
  const shop = await club({
    name: '<script>document.title = "in"</script>',
    mail: { sender: '<img src=x onerror=\'document.title="in"\'>' },
  });
  const visitor = await visit(shop);
  await signIn(visitor, someone());
  const page = await visitor.context.newPage();
  await page.goto(`${await clubs()}/dev/mail`);
  await becomes(() => page.title(), 'Mailbox');
  // Even without the escaping and with a policy that allows inline scripts, the sandbox stops them.
  await intercept(t, page, '**/dev/mail', async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    const policy = headers['content-security-policy']!.replace(
      'style-src',
      "script-src 'unsafe-inline'; style-src",
    );
    const body = (await response.text()).replace('</body>', '<script>document.title = "in"</script></body>');
    await route.fulfill({ response, body, headers: { ...headers, 'content-security-policy': policy } });
  });
  await page.reload();
  await becomes(() => page.title(), 'Mailbox');
});

test('an injected script in the API docs runs without an origin', async (t) => {
  const shop = await club();
  const visitor = await visit(shop);
  await signIn(visitor, someone());
  const page = await visitor.context.newPage();
  await intercept(t, page, '**/docs/**', async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    if (!headers['content-type']?.startsWith('text/html')) return route.fulfill({ response });
    const policy = headers['content-security-policy']!.replace(
      "script-src 'self'",
      "script-src 'self' 'unsafe-inline'",
    );
    const script =
      '<script>try { document.title = JSON.stringify(localStorage) } catch (e) { document.title = e.name }</script>';
    const body = (await response.text()).replace('</body>', `${script}</body>`);
    await route.fulfill({ response, body, headers: { ...headers, 'content-security-policy': policy } });
  });
  await page.goto(`${await clubs()}/docs/`, { waitUntil: 'networkidle' });
  await becomes(() => page.title(), 'SecurityError');
});
