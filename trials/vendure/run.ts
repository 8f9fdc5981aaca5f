/**
 * Runs the plugin in a real Vendure beside a real service: `npm run test:vendure [-- --seed 7 --orders 200 --kills 10]`. Installs both first,
 * which `--installed` leaves out; `--only outbox`, `orders`, `page` or `random` runs a part.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installShop } from './install.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    orders: { type: 'string', default: '40' },
    kills: { type: 'string', default: '4' },
    installed: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

if (!values.installed) installShop();
const files = {
  outbox: '../../integrations/vendure/test/outbox.ts',
  orders: 'orders.stories.ts',
  page: 'page.stories.ts',
  random: 'random.stories.ts',
};
const wanted = Object.entries(files).filter(([name]) => values.only === undefined || name === values.only);
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=1',
    ...wanted.map(([, file]) => fileURLToPath(new URL(file, import.meta.url))),
  ],
  {
    env: { ...process.env, STORY_SEED: values.seed, STORY_ORDERS: values.orders, STORY_KILLS: values.kills },
    stdio: 'inherit',
  },
);
process.exitCode = status ?? 1;
