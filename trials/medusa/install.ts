/**
 * Installs a Medusa shop with the plugin in a folder beside the repository, because Medusa's packages are not for everybody who works on the
 * service. `npm run pack:medusa [-- --version 2.21.1]`; `MEDUSA_FOLDER` names another folder. Again, it builds the plugin anew.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../server/test/repository.ts';

/** Where the shop is installed. */
export const FOLDER = resolve(process.env['MEDUSA_FOLDER'] ?? join(ROOT, '..', 'loyalty-shop-medusa'));

const EXAMPLE = join(ROOT, 'examples/shop-medusa');
const PLUGIN = join(ROOT, 'integrations/medusa');

const QUIETLY = { NODE_ENV: 'production', MEDUSA_DISABLE_TELEMETRY: 'true' };

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { version: { type: 'string' } } });
  installShop(values.version);
  process.stdout.write(`The packages are in ${join(FOLDER, 'packages')}.\n`);
}

/** @param version of Medusa; the one that the plugin names by default */
export function installShop(version?: string): void {
  mkdirSync(join(FOLDER, 'packages'), { recursive: true });
  npm(
    ROOT,
    'pack',
    '--workspace',
    'sdk',
    '--workspace',
    'integrations/core',
    '--pack-destination',
    join(FOLDER, 'packages'),
  );
  installPackages(version);
  buildPlugin();
  for (const file of ['medusa-config.js', 'tsconfig.json', 'club.yaml'])
    cpSync(join(EXAMPLE, file), join(FOLDER, file));
}

/** The packages of Medusa and those that build the plugin, together in one folder. */
function installPackages(version: string | undefined): void {
  const { dependencies } = manifestIn(EXAMPLE);
  const { devDependencies } = manifestIn(PLUGIN);
  const { '@loyalty/medusa': _built, ...others } = dependencies;
  const wanted = Object.entries({ ...devDependencies, ...others }).map(([name, range]) => [
    name,
    version !== undefined && name.startsWith('@medusajs/') && name !== '@medusajs/ui' ? version : range,
  ]);
  const manifest = `${JSON.stringify({ name: 'shop-medusa', private: true, dependencies: Object.fromEntries(wanted) as object }, null, 2)}\n`;
  const file = join(FOLDER, 'package.json');
  if (!existsSync(file) || readFileSync(file, 'utf8') !== manifest || !existsSync(medusaCommand())) {
    writeFileSync(file, manifest);
    npm(FOLDER, 'install', '--no-package-lock', '--no-audit', '--no-fund');
  }
  for (const name of ['sdk', 'shop-core']) unpack(`loyalty-${name}-${versionOf()}.tgz`, name);
}

function buildPlugin(): void {
  const built = join(FOLDER, 'plugin');
  rmSync(built, { recursive: true, force: true });
  for (const file of ['src', 'package.json', 'tsconfig.json', 'README.md', 'LICENSE'])
    cpSync(join(PLUGIN, file), join(built, file), { recursive: true });
  execFileSync(process.execPath, [medusaCommand(), 'plugin:build'], {
    cwd: built,
    env: { ...process.env, ...QUIETLY },
    stdio: 'inherit',
  });
  npm(built, 'pack', '--ignore-scripts', '--pack-destination', join(FOLDER, 'packages'));
  unpack(`loyalty-medusa-${versionOf()}.tgz`, 'medusa');
}

/** Puts a packed package where npm would put it. npm itself would keep an older one with the same version. */
function unpack(file: string, name: string): void {
  const place = join(FOLDER, 'node_modules/@loyalty', name);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', join(FOLDER, 'packages', file), '-C', place, '--strip-components=1']);
}

/** True if the shop's admin was built, which takes minutes: `buildAdmin`. */
export function hasAdmin(): boolean {
  return existsSync(join(FOLDER, 'public/admin/index.html'));
}

/** Builds the pages of the shop's admin, with those of the plugin. */
export function buildAdmin(): void {
  const options = { LOYALTY_URL: 'http://127.0.0.1:1', LOYALTY_COMMERCE_ID: '1', LOYALTY_API_KEY: 'none' };
  execFileSync(process.execPath, [medusaCommand(), 'build'], {
    cwd: FOLDER,
    env: { ...process.env, ...options, ...QUIETLY, ADMIN: 'on', DATABASE_URL: 'postgres://none' },
    stdio: 'inherit',
  });
  rmSync(join(FOLDER, 'public'), { force: true });
  symlinkSync('.medusa/server/public', join(FOLDER, 'public'));
}

/** The command line of Medusa in that folder. */
export function medusaCommand(): string {
  return join(FOLDER, 'node_modules/@medusajs/cli/cli.js');
}

function versionOf(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function npm(folder: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}
