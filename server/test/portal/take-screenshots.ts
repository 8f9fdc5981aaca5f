/** `npm run screenshots -- FOLDER` runs `screenshots.ts` on a PostgreSQL of its own. */
import { spawnSync } from 'node:child_process';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('Name the folder for the pictures: npm run screenshots -- FOLDER\n');
  process.exit(2);
}
const screenshots = new URL('screenshots.ts', import.meta.url).pathname;
const setup = new URL('../global-setup.ts', import.meta.url).pathname;
const { status } = spawnSync(process.execPath, ['--test', `--test-global-setup=${setup}`, screenshots], {
  stdio: 'inherit',
  env: { ...process.env, SCREENSHOTS: folder },
});
process.exit(status ?? 1);
