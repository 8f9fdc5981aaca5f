/**
 * `npm run screenshots -- FOLDER` takes the pictures of the portal and of the console on a PostgreSQL of its own.
 * `npm run screenshots -- FOLDER console` takes only those of the console.
 */
import { spawnSync } from 'node:child_process';

const [folder, only] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder for the pictures: npm run screenshots -- FOLDER\n');
  process.exit(2);
}
const screenshots = ['portal', 'console']
  .filter((name) => only === undefined || name === only)
  .map((name) => new URL(`../${name}/screenshots.ts`, import.meta.url).pathname);
const setup = new URL('../global-setup.ts', import.meta.url).pathname;
const { status } = spawnSync(
  process.execPath,
  ['--test', `--test-global-setup=${setup}`, '--test-concurrency=1', ...screenshots],
  {
    stdio: 'inherit',
    env: { ...process.env, SCREENSHOTS: folder },
  },
);
process.exit(status ?? 1);
