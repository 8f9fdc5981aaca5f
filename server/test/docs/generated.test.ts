import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedDocuments } from '../../docs/generate.ts';
import { withCapacityFigures, withSpeed } from '../../../bench/figures-in-pages.ts';
import { readResults } from '../../../bench/results.ts';
import { read } from '#test/repository.ts';

for (const [path, text] of Object.entries(await generatedDocuments())) {
  test(`${path} is what the code says; where it is not, \`npm run docs\` writes it again`, () => {
    assert.equal(read(path), text);
  });
}

test('the figures of docs/capacity.md are those of the last benchmark', async () => {
  const page = read('docs/capacity.md');
  assert.equal(withCapacityFigures(page, await readResults()), page, 'run `npm run report -w bench`');
});

test('the sentence about speed in the README is that of the last benchmark', async () => {
  const readme = read('README.md');
  assert.equal(withSpeed(readme, await readResults()), readme, 'run `npm run report -w bench`');
});
