/** The pages for shops that no test runs: their code parses, and the calls and events that they name exist. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesThatEnd, read } from '#test/repository.ts';

const pages = filesThatEnd('.md', 'docs/shops').map((path) => ({ path, text: read(path) }));
const languages = {
  js: { ending: 'mjs', check: [process.execPath, '--check'] },
  php: { ending: 'php', check: ['php', '-l'] },
} as const;

for (const [language, { ending, check }] of Object.entries(languages))
  test(`the ${language} of every page parses`, (t) => {
    const [program, ...args] = check;
    if (spawnSync(program, ['--version']).status !== 0) return t.skip(`${program} is not installed`);
    const folder = mkdtempSync(join(tmpdir(), 'loyalty-pages-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const blocks = pages.flatMap(({ path, text }) =>
      [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, code]) => ({
        path,
        code: code!,
      })),
    );
    assert.ok(blocks.length > 0);
    for (const { path, code } of blocks) {
      const file = join(folder, `block.${ending}`);
      writeFileSync(file, language === 'php' && !code.startsWith('<?php') ? `<?php\n${code}` : code);
      const { status, stdout, stderr } = spawnSync(program, [...args, file], { encoding: 'utf8' });
      assert.equal(status, 0, `${path}: ${stdout}${stderr}`);
    }
  });

test('every call and every event that they name exists, and each says that no shop has run it', () => {
  const known = read('docs/scopes.md') + read('docs/api.md') + read('docs/events.md');
  for (const { path, text } of pages) {
    assert.match(text, /^\*\*Not run\.\*\* /m, path);
    const calls = [...text.matchAll(/\/v[12]\/[a-z][a-z/-]*[a-z]/g)].map(([call]) => call);
    const events = [...text.matchAll(/\b(?:voucher|member|purchase|points)\.[a-z_]+/g)].map(
      ([event]) => `\`${event}\``,
    );
    assert.deepEqual(
      [...calls, ...events].filter((name) => !known.includes(name)),
      [],
      path,
    );
  }
});
