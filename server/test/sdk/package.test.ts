/** Installs the SDK from its package in a separate folder and uses it from JavaScript and TypeScript. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { service } from '#test/harness.ts';
import { benefit, makeShop } from '#test/make.ts';
import { mailedCodes } from '#test/sign-in.ts';
import { makeStaffKey } from '#test/staff.ts';

const run = promisify(execFile);
const SDK = new URL('../../../sdk/', import.meta.url).pathname;
const TSC = new URL('../../../node_modules/typescript/bin/tsc', import.meta.url).pathname;

const project = await mkdtemp(join(tmpdir(), 'uses-the-sdk-'));
after(() => rm(project, { recursive: true }));
await installPacked();
const [shopExample, memberExample, officeExample, errorExample] = [
  ...(await readFile(join(SDK, 'README.md'), 'utf8')).matchAll(/```js\n(import[^]*?)```/g),
].map(([, code]) => code!);

test('the package contains JavaScript, type declarations and the licence, and has no dependencies', async () => {
  const { stdout } = await run('tar', ['-tzf', 'sdk.tgz'], { cwd: project });
  const files = stdout.trim().split('\n');
  assert.ok(files.includes('package/dist/index.js'));
  assert.ok(files.includes('package/dist/index.d.ts'));
  assert.deepEqual(
    files.filter(
      (file) =>
        !/^package\/(dist\/(admin\/)?[\w-]+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(file),
    ),
    [],
  );
  const [licence, ours] = await Promise.all(
    [join(project, 'node_modules/@loyalty/sdk/LICENSE'), join(SDK, '../LICENSE')].map((file) =>
      readFile(file, 'utf8'),
    ),
  );
  assert.equal(licence, ours);
  const manifest = JSON.parse(
    await readFile(join(project, 'node_modules/@loyalty/sdk/package.json'), 'utf8'),
  ) as object;
  assert.equal('dependencies' in manifest, false);
});

test("the README's example for a shop runs from plain JavaScript", async () => {
  const { url } = await service();
  const made = await makeShop({ benefits: [benefit('ten-off')] });
  const member = await made.member();
  await made.sell(member, 100);
  const code = await made.voucher(member, 'ten-off');
  const example = withAddress(shopExample!, url)
    .replaceAll('123456789,', `${member.code},`)
    .replaceAll('(123456789)', `(${member.code})`)
    .replaceAll('12345678901234', String(code));
  const printed = await runModule('shop.js', example, { LOYALTY_API_KEY: made.key });
  assert.match(printed, /^purchase \d+ recorded, the balance is 1840 points\n10 % off\n$/);
  assert.equal((await made.get(`/v2/benefits/preview/${code}`)).status, 400);
});

test("the README's example for the back office runs from plain JavaScript", async () => {
  const { url } = await service();
  const made = await makeShop();
  const member = await made.member();
  const { key } = await makeStaffKey(made, 'cashier');
  const spaced = String(member.code).replace(/(\d{3})(?=\d)/g, '$1 ');
  const example = withAddress(officeExample!, url).replace('123 456 789', spaced);
  const printed = await runModule('office.js', example, { LOYALTY_ADMIN_KEY: key });
  assert.equal(printed, '1750 points, the balance is 1750\n');
});

test("the README's lines install the package in a project, and its example tells errors apart", async () => {
  const readme = await readFile(join(SDK, 'README.md'), 'utf8');
  const [pack, install] = /```sh\n([^]*?)```/.exec(readme)![1]!.trim().split('\n') as [string, string];
  const shop = await mkdtemp(join(tmpdir(), 'installs-the-sdk-'));
  after(() => rm(shop, { recursive: true }));
  await run('npm', ['init', '--yes'], { cwd: shop });
  const packed = /^npm ci && (npm pack --workspace sdk) /.exec(pack)![1]!;
  await run('bash', ['-c', `${packed} --pack-destination ${shop}`], { cwd: join(SDK, '..') });
  await run('bash', ['-c', install], { cwd: shop, env: { ...process.env, npm_config_offline: 'true' } });
  const { version } = JSON.parse(await readFile(join(SDK, 'package.json'), 'utf8')) as { version: string };
  const manifest = JSON.parse(await readFile(join(shop, 'package.json'), 'utf8')) as { dependencies: object };
  assert.deepEqual(manifest.dependencies, { '@loyalty/sdk': `file:loyalty-sdk-${version}.tgz` });

  const { url } = await service();
  const { key } = await makeShop();
  await writeFile(join(shop, 'errors.mjs'), withAddress(errorExample!, url));
  const env = { ...process.env, LOYALTY_API_KEY: key };
  const { stdout } = await run(process.execPath, ['errors.mjs'], { cwd: shop, env });
  assert.equal(stdout, 'There is no such code.\n');
});

test("the README's example for a member's browser runs from plain JavaScript", async () => {
  const { url } = await service();
  const made = await makeShop({ benefits: [benefit('ten-off')] });
  await made.post('/v1/consumptions/email', { client_email: 'ana@example.com', amount: 50 });
  const [ask, rest] = withAddress(memberExample!, url)
    .replace('commerceId: 1,', `commerceId: ${made.id},`)
    .replace(/await member\.verify/, '/* the mail comes */ await member.verify')
    .split('/* the mail comes */');
  const withMail = `const kept = new Map();
    globalThis.localStorage = { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v), removeItem: (k) => kept.delete(k) };
    ${ask}
    const digits = await new Promise((resolve) => process.stdin.once('data', (text) => resolve(String(text).trim())));
    ${rest!.replace("'123456'", 'digits')}
    process.exit();`.replace(/^([^]*?)(import .*?;)/, '$2\n$1');
  const running = runModule('member.js', withMail, {}, async () => {
    for (;;) {
      const [code] = await mailedCodes(made.id, 'ana@example.com');
      if (code !== undefined) return `${code}\n`;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  assert.match(await running, /^show \d{14} at the till\n$/);
});

test('its type declarations pass strict TypeScript, with Node’s and with a bundler’s module resolution', async () => {
  await writeFile(
    join(project, 'uses.ts'),
    `import { createShopClient, createMemberClient, webTokens, ApiError, type Benefit, type ShopClient } from '@loyalty/sdk';
    import { createAdminClient } from '@loyalty/sdk/admin';
    const shop: ShopClient = createShopClient({ baseUrl: 'https://x.example', apiKey: 'k' });
    const costs: Promise<number[]> = shop.listBenefits().then((all: Benefit[]) => all.map((one) => one.cost));
    const member = createMemberClient({ baseUrl: 'https://x.example', commerceId: 1, tokens: webTokens('x') });
    member.getMyLevel().then((level) => level?.next_level?.threshold ?? 0).catch((e) => e instanceof ApiError && e.status);
    // @ts-expect-error a member cannot make this call
    member.redeemBenefit(1);
    const office = createAdminClient({ baseUrl: 'https://x.example', commerceId: 1 });
    void office.recordPurchase({ member_id: 1, amount: 5 }).then(({ replayed, balance }) => replayed && balance);
    // @ts-expect-error the amount is missing
    void shop.recordConsumptionByClientCode({ client_code: 1 });
    export { costs };\n`,
  );
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ] as const) {
    await run(
      process.execPath,
      [
        TSC,
        'uses.ts',
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--lib',
        'es2022,dom',
        '--types',
        '',
        '--module',
        module,
        '--moduleResolution',
        resolution,
      ],
      { cwd: project },
    ).catch((error: { stdout: string }) => assert.fail(error.stdout));
  }
});

test('an API key in a web page fails at once, before anything is sent', async () => {
  const page = `import { createShopClient } from '@loyalty/sdk';
    globalThis.document = {};
    try { createShopClient({ baseUrl: 'https://x.example', apiKey: 'k' }); } catch (error) { console.log(error.message); }`;
  assert.match(await runModule('page.js', page), /belongs on the shop's server/);
});

/** Installs the package as `npm install` would, but without a registry. */
async function installPacked(): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], { cwd: SDK });
  const [packed] = Object.values(
    JSON.parse(stdout.slice(stdout.search(/[[{]/))) as Record<string, { filename: string }>,
  );
  await run('mv', [packed!.filename, 'sdk.tgz'], { cwd: project });
  const place = join(project, 'node_modules/@loyalty/sdk');
  await mkdir(place, { recursive: true });
  await run('tar', ['-xzf', 'sdk.tgz', '-C', place, '--strip-components=1'], { cwd: project });
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
}

function withAddress(example: string, url: string): string {
  return example.replace('https://loyalty.example', url);
}

/** Runs a module in the project and returns its output. */
async function runModule(
  name: string,
  code: string,
  env: Record<string, string> = {},
  input: () => Promise<string> = () => Promise.resolve(''),
): Promise<string> {
  await writeFile(join(project, name), code);
  const running = run(process.execPath, [name], { cwd: project, env: { ...process.env, ...env } });
  running.child.stdin?.end(await input());
  return (await running).stdout;
}
