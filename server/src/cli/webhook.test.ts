import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { SECRET, service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { sql } from '#db/database.ts';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly types: string[] | null;
  readonly scopes: string[];
  readonly state: string;
}

test('a webhook is made, listed, changed, switched off and on, and deleted; mistakes are told in words', async () => {
  const { db } = await service();
  const shop = await makeShop();
  const run = (...args: string[]) =>
    loyalty(['webhook', args[0]!, '--commerce', shop.slug, '--json', ...args.slice(1)], {
      env: { SECRET_KEY: SECRET[0] },
    });
  const list = async () => (await run('list')).json<Listed[]>();

  const created = await run(
    'create',
    '--url',
    'https://shop.example/hook',
    '--types',
    'voucher.used',
    '--scopes',
    'members',
  );
  assert.equal(created.code, 0, created.stderr);
  const { id, secret } = created.json<{ id: string; secret: string }>();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.match(created.stderr, /shown only this once/);
  const [webhook] = await list();
  assert.deepEqual(
    [webhook!.id, webhook!.name, webhook!.types, webhook!.scopes, webhook!.state],
    [id, 'command line', ['voucher.used'], ['members'], 'enabled'],
  );

  const changed = await run('change', '--id', id, '--types', 'all', '--scopes', 'none', '--name', 'Mails');
  assert.equal(changed.code, 0, changed.stderr);
  const [after] = await list();
  assert.deepEqual([after!.name, after!.types, after!.scopes], ['Mails', null, []]);

  assert.equal((await run('disable', '--id', id)).code, 0);
  assert.equal((await list())[0]!.state, 'disabled (owner)');
  const tried = await run('test', '--id', id);
  assert.deepEqual([tried.code, /switched off/.test(tried.stderr)], [1, true]);
  assert.equal((await run('enable', '--id', id, '--from', 'now')).code, 0);
  assert.equal((await list())[0]!.state, 'enabled');
  assert.deepEqual((await run('replay', '--id', id, '--failed')).json(), { deliveries: 0 });

  for (const [args, code, says] of [
    [['create', '--url', 'http://shop.example/'], 2, /must begin with https:\/\//],
    [['create', '--url', 'https://169.254.169.254/'], 2, /not on the internet/],
    [
      ['create', '--url', 'https://shop.example/', '--types', 'voucher.use'],
      2,
      /did you mean voucher\.used\?/,
    ],
    [['create'], 2, /--url/],
    [['replay', '--id', id], 2, /give one of --delivery, --since and --failed/],
    [['replay', '--id', id, '--since', 'yesterday'], 2, /not an instant/],
    [['delete', '--id', 'we_00000000000000000000'], 1, /no webhook with this id/],
  ] as const) {
    const { code: actual, stderr } = await run(...args);
    assert.equal(actual, code, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, says);
  }
  const keyless = await loyalty([
    'webhook',
    'create',
    '--commerce',
    shop.slug,
    '--url',
    'https://shop.example/',
  ]);
  assert.deepEqual([keyless.code, /SECRET_KEY is not set/.test(keyless.stderr)], [1, true], keyless.stderr);
  assert.equal((await run('delete', '--id', id)).code, 0);
  assert.deepEqual(await list(), []);
  const { rows } = await sql<{ action: string }>`
    select action from audit where commerce_id = ${shop.id} and action like 'webhook.%' order by id`.execute(
    db,
  );
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['webhook.create', 'webhook.change', 'webhook.disable', 'webhook.enable', 'webhook.delete'],
  );
});
