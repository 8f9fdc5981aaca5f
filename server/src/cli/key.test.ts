import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { call } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';

interface Rotated {
  readonly id: number;
  readonly key: string;
  readonly replaces_id: number;
  readonly old_key_ends_at: string;
}

test('a key is replaced by one that works beside it for the hours of the overlap, and only once', async () => {
  const shop = await makeShop();
  const rotate = (...args: string[]) =>
    loyalty(['key', 'rotate', '--commerce', shop.slug, '--json', '--id', ...args]);
  const [{ id }] = (await loyalty(['key', 'list', shop.slug, '--json'])).json<[{ id: number }]>();

  const rotated = await rotate(String(id), '--overlap', '48');
  assert.equal(rotated.code, 0, rotated.stderr);
  const next = rotated.json<Rotated>();
  assert.equal(next.replaces_id, id);
  const hours = (Date.parse(next.old_key_ends_at) - Date.now()) / 3_600_000;
  assert.ok(Math.round(hours) === 48, String(hours));
  assert.match(
    rotated.stderr,
    new RegExp(`^Key ${next.id} is shown only once\\. Key ${id} is accepted until `),
  );
  assert.deepEqual([await statusWith(shop.key), await statusWith(next.key)], [200, 200]);

  const again = await rotate(String(id));
  assert.equal(again.code, 1);
  assert.match(again.stderr, /replaced: replace the newer key/);
  const last = (await rotate(String(next.id), '--overlap', '0')).json<Rotated>();
  assert.equal(await statusWith(last.key), 200);
  const wrong = await rotate(String(last.id), '--overlap', '721');
  assert.deepEqual([wrong.code, /from 0 to 720, not "721"/.test(wrong.stderr)], [2, true]);
});

async function statusWith(key: string): Promise<number> {
  return (await call('GET', '/v1/clients/list', { headers: { authorization: `Bearer ${key}` } })).status;
}
