/** The page of the audit says every action in words. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** The actions that the service writes, as they stand in its source. */
const WRITTEN = new Set(
  globSync('server/src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => readFileSync(path, 'utf8').match(/\baction(?::| =) .*'[a-z]+\.[a-z_]+'/g) ?? [])
    .flatMap((line) => [...line.matchAll(/'([a-z]+\.[a-z_]+)'/g)].map(([, action]) => action!)),
);

for (const language of ['en', 'es']) {
  test(`the audit has words for every action that is written, and for no other: ${language}`, () => {
    const texts = readFileSync(`console/src/team/texts-${language}.ts`, 'utf8');
    const [, actions] = /\n {2}actions: \{([^}]*)\}/.exec(texts)!;
    const named = [...actions!.matchAll(/'([a-z]+\.[a-z_]+)':/g)].map(([, action]) => action!);
    assert.ok(WRITTEN.has('program.apply') && WRITTEN.has('picture.upload'));
    assert.deepEqual(named.sort(), [...WRITTEN].sort());
  });
}
