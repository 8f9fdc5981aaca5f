import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { isJoined, JOINED } from './joined-typebox.ts';

/** What a process has that begins with these lines: where TypeBox was read, what it exports, and whether it works. */
function seeTypebox(...first: string[]): { from: string; exports: string[]; checks: boolean[] } {
  const lines = [
    ...first,
    "const box = await import('typebox');",
    "const { Value } = await import('typebox/value');",
    "const even = box.Type.Refine(box.Type.Integer(), (value) => value % 2 === 0, () => 'odd');",
    'const checks = [4, 5, "4"].map((value) => Value.Check(even, value));',
    "const from = import.meta.resolve('typebox');",
    'console.log(JSON.stringify({ from, exports: Object.keys(box).sort(), checks }));',
  ];
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', lines.join('\n')], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return JSON.parse(text) as ReturnType<typeof seeTypebox>;
}

test('an entry reads TypeBox as a few files, with all that the package has', () => {
  assert.ok(isJoined(), `${JOINED} is missing: run \`node server/build.ts\``);
  const joined = seeTypebox("await import('./start-quickly.js');");
  const asInstalled = seeTypebox();
  assert.match(joined.from, /\.cache\/typebox-[\d.]+\/index\.mjs$/);
  assert.match(asInstalled.from, /\/typebox\/build\/index\.mjs$/);
  assert.deepEqual(joined.exports, asInstalled.exports);
  assert.deepEqual(
    [joined.checks, asInstalled.checks],
    [
      [true, false, false],
      [true, false, false],
    ],
  );
});
