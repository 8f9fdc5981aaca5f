import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatedDocuments } from '../../docs/generate.ts';
import { read } from '#test/repository.ts';

for (const [path, text] of Object.entries(await generatedDocuments())) {
  test(`${path} is what the code says; where it is not, \`npm run docs\` writes it again`, () => {
    assert.equal(read(path), text);
  });
}
