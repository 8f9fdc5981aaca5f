import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { read } from '#test/repository.ts';
import { makeStaffKey } from '#test/staff.ts';

const run = promisify(execFile);
const page = read('docs/admin-api.md');

test('the call of the page records a purchase, and the answer has the fields that the page shows', async () => {
  const { url } = await service();
  const { key } = await makeStaffKey(await makeShop(), 'cashier');
  const [, curl] = /```sh\n(curl [^]*?)```/.exec(page)!;
  const [, shown] = /```http\n[^]*?\n\n(\{.*\})\n/.exec(page)!;
  const command = curl!.replace('http://127.0.0.1:3000', url).replace('lk_admin_…', key);
  const { stdout } = await run('bash', ['-c', command]);
  const [head, body] = stdout.split('\r\n\r\n') as [string, string];
  assert.match(head, /^HTTP\/1\.1 201 /);
  const { consumption_id: _, at: __, ...sale } = JSON.parse(body) as Record<string, unknown>;
  const { consumption_id: ___, at: ____, ...promised } = JSON.parse(shown!) as Record<string, unknown>;
  assert.deepEqual(sale, promised);
  const again = await run('bash', ['-c', command]);
  assert.match(again.stdout, /idempotency-replayed: true/i);
});
