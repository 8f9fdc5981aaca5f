/** What the members' pages and the console share stands once, in `ui/`. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/repository.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const sheets = globSync('{portal,console}/src/**/*.css', { cwd: ROOT }).toSorted();

/** The custom properties that a style sheet gives to the whole page. */
function tokensOf(sheet: string): Set<string> {
  const rules = [...read(sheet).matchAll(/(?:^|[\s(]):root\)? \{([^}]*)\}/g)].map(([, rule]) => rule!);
  return new Set(rules.flatMap((rule) => [...rule.matchAll(/(--[\w-]+):/g)].map(([, name]) => name!)));
}

test('a color or a size of all pages is said in one file', () => {
  const shared = tokensOf('ui/src/tokens.css');
  assert.ok(shared.has('--page') && shared.has('--accent') && shared.has('--size-text'));
  const twice = sheets.flatMap((sheet) =>
    [...tokensOf(sheet)].filter((name) => shared.has(name)).map((name) => `${sheet}: ${name}`),
  );
  assert.deepEqual(twice, []);
});

test('each light color has one for the dark', () => {
  const [light, dark] = read('ui/src/tokens.css').split(':root {\n  color-scheme')[1]!.split('@media');
  const colors = (text: string) => [...text.matchAll(/(--[\w-]+): (?:#|0 )/g)].map(([, name]) => name!);
  assert.deepEqual(colors(dark!), colors(light!));
});

test('no rule of the shared sheet is repeated word for word by an application', () => {
  const rulesOf = (sheet: string) => new Set(read(sheet).match(/^[^\s@/}][^{}]*\{[^{}]*\}/gm));
  const shared = rulesOf('ui/src/base.css');
  assert.ok(shared.size > 20);
  const twice = sheets.flatMap((sheet) =>
    [...rulesOf(sheet)].filter((rule) => shared.has(rule)).map((rule) => `${sheet}: ${rule}`),
  );
  assert.deepEqual(twice, []);
});
