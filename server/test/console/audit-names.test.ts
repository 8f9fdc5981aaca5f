/** The page of the audit says every action in words. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { en } from '../../../console/src/team/texts-en.ts';
import { es } from '../../../console/src/team/texts-es.ts';

/** The actions that the service writes, as they stand in its source. */
const WRITTEN = new Set(
  globSync('server/src/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => readFileSync(path, 'utf8').match(/\baction(?::| =) .*'[a-z]+\.[a-z_]+'/g) ?? [])
    .flatMap((line) => [...line.matchAll(/'([a-z]+\.[a-z_]+)'/g)].map(([, action]) => action!)),
);

for (const [language, { actions }] of Object.entries({ en, es })) {
  test(`the audit has words for every action that is written, and for no other: ${language}`, () => {
    assert.ok(WRITTEN.has('program.apply') && WRITTEN.has('picture.upload'));
    assert.deepEqual(Object.keys(actions).sort(), [...WRITTEN].sort());
  });
}
