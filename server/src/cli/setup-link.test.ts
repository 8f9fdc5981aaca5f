import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { makeShop } from '#test/make.ts';
import { fromPage, settingUp } from '#test/set-up.ts';

const look = (url: string) => fromPage('POST', '/link', { token: url.split('#')[1] });

test('a link for another shop of the installation is printed, and works once', async () => {
  await makeShop();
  const made = await loyalty(['setup-link', '--hours', '72'], {
    env: { PUBLIC_URL: 'https://loyalty.example' },
  });
  assert.equal(made.code, 0, made.stderr);
  const { url, hours } = made.json<{ url: string; hours: number }>();
  assert.match(url, /^https:\/\/loyalty\.example\/console\/set-up#[\w-]{43}$/);
  assert.equal(hours, 72);
  const { body } = await look(url);
  const left = Date.parse((body as { expires_at: string }).expires_at) - Date.now();
  assert.ok(left > 71.9 * 3_600_000 && left <= 72 * 3_600_000);
  const person = await settingUp({ name: 'Second shop' }, { link: url.split('#')[1]! });
  assert.equal((await person.open()).status, 201);
  assert.equal((await look(url)).status, 404);
});

test('after a theft, a new link ends all others and what was typed with them', async () => {
  const thief = await settingUp({ name: 'Stolen' });
  const { url, ended } = (await loyalty(['setup-link', '--end-others'])).json<{
    url: string;
    ended: number;
  }>();
  assert.ok(ended >= 1);
  assert.equal((await thief.open()).status, 404);
  assert.equal((await look(url)).status, 200);
});

test('a number of hours that is none is refused', async () => {
  for (const hours of ['0', '721', 'a day']) {
    const { code, stderr } = await loyalty(['setup-link', '--hours', hours]);
    assert.equal(code, 2);
    assert.match(stderr, /whole number from 1 to 720/);
  }
});
