/**
 * Browser tests find things as people do: by role and name, by label, by text. A class may be renamed by whoever mends a style, and an
 * element that only a class finds may have no name for a screen reader either.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/repository.ts';

/** The classes that a test may name, by the reason. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'drawn for the eye: screen readers have the same in words': [
    'chart-box',
    'chart-reading',
    'code-picture',
    'confetti',
    'drawing',
    'gain',
    'icon',
    'month-bars',
    'picture',
    'piece',
    'qr',
    'u-over',
    'week',
  ],
  'measured: how the words lie on the screen is the question': [
    'card',
    'celebration',
    'code-pass',
    'figure',
    'greeting',
    'headline',
    'note',
    'pass',
    'balance',
    'row-words',
    'small',
    'small-figures',
    'ticket',
    'toward-words',
  ],
  'the link that lies over a row, whatever it is called': ['row', 'row-link'],
  'not seen: words that are not shown are left out': ['skip', 'unseen'],
  'the reference is drawn by a library': ['execute', 'live-responses-table', 'opblock-summary-control'],
};

/** The classes in the selectors of a test: in `locator(…)`, in `querySelector(…)`, and in constants that are selectors. */
function classesIn(source: string): string[] {
  const calls = source.matchAll(/(?:locator|querySelector(?:All)?|closest)(?:<\w+>)?\(\s*(['`])([^]*?)\1/g);
  const constants = source.matchAll(/(['`])(\.(?!(?:js|md|tsx)\b)[a-z][\w-]*)\1/g);
  return [...calls, ...constants].flatMap(([, , selector]) =>
    [
      ...selector!
        .replaceAll(/\$\{(?:[^{}`]|\{[^{}]*\})*\}/g, '')
        .matchAll(/(?<![\w/$}])\.([a-z][\w-]*)|(?<=[a-z])\.([a-z][\w-]*)/g),
    ].map(([, alone, after]) => alone ?? after!),
  );
}

test('browser tests find things by role and name, and by a class only for a reason', () => {
  const files = globSync(['server/test/**/*.browser.ts', 'server/test/{console,portal}/*.ts'], {
    cwd: ROOT,
  }).filter((file) => !file.endsWith('.test.ts') && !file.includes('screenshots'));
  assert.ok(files.length > 30);
  const allowed = new Set(Object.values(ALLOWED).flat());
  const named = new Set<string>();
  const wrong: string[] = [];
  for (const file of new Set(files))
    for (const name of classesIn(readFileSync(join(ROOT, file), 'utf8'))) {
      named.add(name);
      if (!allowed.has(name)) wrong.push(`${file}: .${name}`);
    }
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    [...allowed].filter((name) => !named.has(name)),
    [],
    'an exception that nothing needs',
  );
});
