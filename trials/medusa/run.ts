/**
 * `npm run test:medusa [-- --orders N --kills N --version V --only WORDS]`: a real Medusa with the plugin beside a real service. First the stories,
 * then random lives under kills. Exits with 1 if anything is not as the shop's orders say.
 */
import { parseArgs } from 'node:util';
import { shopInBrowser } from './browser.ts';
import { installShop } from './install.ts';
import { live } from './lives.ts';
import { STORIES } from './stories.ts';
import { makeWorld } from './world.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '40' },
    kills: { type: 'string', default: '4' },
    version: { type: 'string' },
    only: { type: 'string' },
  },
});

installShop(values.version);
const world = await makeWorld();
let failures = 0;
try {
  const stories = { ...STORIES, 'a customer in a browser': shopInBrowser };
  for (const [name, story] of Object.entries(stories)) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    try {
      await story(world, `story-${Math.random().toString(36).slice(2)}@example.com`);
      process.stdout.write(`✔ ${name}\n`);
    } catch (error) {
      failures += 1;
      process.stdout.write(`✖ ${name}\n${String(error instanceof Error ? error.stack : error)}\n`);
    }
  }
  if (values.only === undefined || 'lives'.includes(values.only)) {
    const report = await live(world, { orders: Number(values.orders), kills: Number(values.kills) });
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  }
} catch (error) {
  failures += 1;
  process.stdout.write(`✖ ${String(error instanceof Error ? error.stack : error)}\n`);
} finally {
  await world.remove();
}
process.exitCode = failures === 0 ? 0 : 1;
