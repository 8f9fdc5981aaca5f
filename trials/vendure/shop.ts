/** Starts the example shop beside a service that runs on this machine: `npm run shop:vendure`. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installShop, SHOP } from './install.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEY_FILE = join(SHOP, 'data/loyalty.json');

interface Connection {
  commerceId: number;
  key: string;
}

if (!existsSync(join(SHOP, 'node_modules/@vendure/core'))) {
  console.log('installing Vendure, which takes a minute the first time');
  installShop();
}
const { commerceId, key } = existsSync(KEY_FILE)
  ? (JSON.parse(readFileSync(KEY_FILE, 'utf8')) as Connection)
  : makeCommerce();
spawn(process.execPath, ['shop.js'], {
  cwd: SHOP,
  env: {
    ...process.env,
    PORT: process.env['SHOP_PORT'] ?? '3100',
    LOYALTY_COMMERCE: String(commerceId),
    LOYALTY_KEY: key,
  },
  stdio: 'inherit',
}).on('exit', (code) => (process.exitCode = code ?? 1));

/** Makes the shop's commerce and its key at the service that runs in this folder. */
function makeCommerce(): Connection {
  const { commerce_id: commerceId } = loyalty<{ commerce_id: number }>(['apply', join(SHOP, 'program.yaml')]);
  const scopes = 'default,undo,sign_in';
  const { key } = loyalty<{ key: string }>([
    'key',
    'create',
    '--commerce',
    'shop-vendure',
    '--scopes',
    scopes,
  ]);
  mkdirSync(join(SHOP, 'data'), { recursive: true });
  writeFileSync(KEY_FILE, JSON.stringify({ commerceId, key }), { mode: 0o600 });
  return { commerceId, key };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the alternative is a cast at every use
function loyalty<T>(args: readonly string[]): T {
  const printed = execFileSync(process.execPath, ['server/src/cli/loyalty.js', ...args, '--json'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(printed.toString()) as T;
}
