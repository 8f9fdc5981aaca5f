/**
 * Installs the example shop as a stranger does: builds the three packages, packs them, and installs the files beside Vendure. Vendure is in no
 * lock file of this repository, so the shop has a folder of its own for it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PLUGIN = join(ROOT, 'integrations/vendure');
export const SHOP = join(ROOT, 'examples/shop-vendure');
const QUIETLY = ['--no-package-lock', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** Builds the packages and packs them. Returns the folder with the three files. */
export function packPlugin(): string {
  const packages = join(SHOP, 'packages');
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(packages, { recursive: true });
  npm(ROOT, ['pack', '--silent', '--pack-destination', packages, '-w', 'sdk', '-w', 'integrations/core']);
  const packed = readdirSync(packages).map((file) => join(packages, file));
  npm(PLUGIN, ['install', '--no-save', ...QUIETLY, ...packed]);
  npm(PLUGIN, ['pack', '--silent', '--pack-destination', packages]);
  return packages;
}

export function installShop(): void {
  packPlugin();
  // npm keeps what it has of a file with the same name.
  for (const old of ['@loyalty', '.package-lock.json'])
    rmSync(join(SHOP, 'node_modules', old), { recursive: true, force: true });
  npm(SHOP, ['install', ...QUIETLY]);
}

function npm(folder: string, args: readonly string[]): void {
  // Without what an outer `npm run` says about its own folder.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  execFileSync('npm', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

if (import.meta.main) console.log(`The packages are in ${packPlugin()}.`);
