import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandFolder, loyalty } from '#test/command.ts';

const COMMANDS = [
  ['apply', 'shop.yaml'],
  ['commerce', 'list'],
  ['key', 'create', '--commerce', 'a'],
  ['migrate'],
  ['migrate', '--status'],
  ['ledger', 'verify'],
  ['worker'],
];

for (const command of COMMANDS) {
  test(`\`${command.join(' ')}\` creates no database and says what to do`, async () => {
    const dataDir = join(commandFolder, 'nothing-here');
    await loyalty(['init', 'shop.yaml', '--name', 'Shop', '--force', '--json']);
    const { code, stdout, stderr } = await loyalty(command, { env: { DATABASE_URL: '', DATA_DIR: dataDir } });
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(
      stderr,
      `There is no database in ${dataDir} yet. Start the service once (\`npm start\`), or set DATABASE_URL or DATA_DIR.\n`,
    );
    assert.equal(existsSync(dataDir), false);
  });
}
