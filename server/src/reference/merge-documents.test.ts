import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDocuments } from './merge-documents.ts';

const contract = {
  paths: {
    '/v1/me': { get: { tags: ['My account'], summary: 'mine' } },
    '/v1/consumptions': { post: { tags: ['Consumptions'], summary: 'without an external id' } },
  },
};
const extensions = {
  paths: {
    '/v1/me': { patch: { tags: ['My account'], summary: 'change' } },
    '/v1/consumptions': { post: { tags: ['Consumptions'], summary: 'with an external id' } },
    '/v1/news': { get: { tags: ['News'] } },
  },
};

interface Merged {
  tags: { name: string }[];
  paths: Record<string, Record<string, { tags: string[]; summary?: string }>>;
}
const { tags, paths } = mergeDocuments(contract, extensions) as Merged;

test('each extension is in a section of its own, after those of the contract, and no section is empty', () => {
  assert.deepEqual(
    tags.map(({ name }) => name),
    ['Consumptions', 'My account', 'Extensions: My account', 'Extensions: News'],
  );
  assert.deepEqual(paths['/v1/me']?.['get']?.tags, ['My account']);
  assert.deepEqual(paths['/v1/me']?.['patch']?.tags, ['Extensions: My account']);
});

test('an operation of both documents is shown once, in the contract’s section, with the extension’s fields', () => {
  assert.deepEqual(paths['/v1/consumptions']?.['post'], {
    tags: ['Consumptions'],
    summary: 'with an external id',
  });
});
