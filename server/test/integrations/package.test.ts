/** Installs the core of shop plugins from its package, as its README says, and runs the README's examples from plain JavaScript. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { service } from '#test/harness.ts';
import { makeShop } from '#test/make.ts';
import { read, ROOT } from '#test/repository.ts';

const run = promisify(execFile);
const WORKSPACES = ['sdk', 'integrations/core'];

const readme = read('integrations/core/README.md');
const [orders, receiver] = [...readme.matchAll(/```js\n(import[^]*?)```/g)].map(([, code]) => code!);
const [pack, install] = /```sh\n([^]*?)```/.exec(readme)![1]!.trim().split('\n') as [string, string];

const folder = await mkdtemp(join(tmpdir(), 'installs-the-core-'));
after(() => rm(folder, { recursive: true }));
const project = join(folder, 'project');
await installPacked();

test('the package has the SDK as its only dependency, and nothing in it that is not built', async () => {
  const place = join(project, 'node_modules/@loyalty/shop-core');
  const manifest = JSON.parse(await readFile(join(place, 'package.json'), 'utf8')) as {
    version: string;
    dependencies: object;
  };
  assert.deepEqual(manifest.dependencies, { '@loyalty/sdk': manifest.version });
  const { stdout } = await run('find', ['.', '-type', 'f'], { cwd: place });
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .filter((file) => !/^\.\/(dist\/[\w-]+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(file)),
    [],
  );
});

test("the README's example makes an order follow", async () => {
  const { url } = await service();
  const made = await makeShop();
  await runModule('orders.mjs', orders!.replace('https://loyalty.example', url), {
    LOYALTY_API_KEY: made.key,
  });
  const { points } = (await made.get('/v1/orders/order-1042')).body as { points: number };
  assert.equal(points, 80);
});

test("the README's receiver refuses what is not signed", async () => {
  const refused = `${receiver!}\nconsole.log(await receive('{}', {}));`;
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  assert.equal(await runModule('receiver.mjs', refused, { WEBHOOK_SECRET: secret }), '401\n');
});

/** Packs from a copy of the sources, because another test packs the SDK at the same time. */
async function installPacked(): Promise<void> {
  const checkout = join(folder, 'checkout');
  for (const path of [...WORKSPACES, 'tsconfig.json', 'package.json'])
    await cp(join(ROOT, path), join(checkout, path), {
      recursive: true,
      filter: (source) => !['dist', 'node_modules'].includes(basename(source)),
    });
  await symlink(join(ROOT, 'node_modules/typescript'), await inFolder(checkout, 'node_modules/typescript'));
  await symlink(join(ROOT, 'node_modules/@types'), join(checkout, 'node_modules/@types'));
  await symlink(join(ROOT, 'node_modules/undici-types'), join(checkout, 'node_modules/undici-types'));
  await symlink(join(ROOT, 'node_modules/.bin'), join(checkout, 'node_modules/.bin'));
  await symlink(join(checkout, 'sdk'), await inFolder(checkout, 'node_modules/@loyalty/sdk'));
  const manifest = JSON.parse(read('package.json')) as object;
  await writeFile(join(checkout, 'package.json'), JSON.stringify({ ...manifest, workspaces: WORKSPACES }));
  const packed = /^npm ci && (npm pack .+)$/.exec(pack)![1]!;
  await inFolder(project, 'package.json');
  await run('npm', ['init', '--yes'], { cwd: project });
  await run('bash', ['-c', `${packed} --pack-destination ${project}`], { cwd: checkout });
  const env = { ...process.env, npm_config_offline: 'true' };
  await run('bash', ['-c', install], { cwd: project, env });
}

/** Makes the folder of a path, and returns the path. */
async function inFolder(base: string, path: string): Promise<string> {
  await mkdir(join(base, path, '..'), { recursive: true });
  return join(base, path);
}

async function runModule(name: string, code: string, env: Record<string, string>): Promise<string> {
  await writeFile(join(project, name), code);
  return (await run(process.execPath, [name], { cwd: project, env: { ...process.env, ...env } })).stdout;
}
