import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeDocuments } from './merge-documents.ts';

const contract = {
  paths: {
    '/v1/me': { get: { tags: ['My account'], summary: 'mine' } },
    '/v1/consumptions': {
      post: {
        operationId: 'record',
        tags: ['Consumptions'],
        requestBody: {
          content: { 'application/json': { schema: { properties: { amount: { examples: [26] } } } } },
        },
        responses: { 201: { description: 'Recorded.' }, 400: { description: 'Refused.' } },
      },
    },
  },
};
const extensions = {
  paths: {
    '/v1/me': { patch: { tags: ['My account'], summary: 'change' } },
    '/v1/news': { get: { tags: ['News'] } },
  },
  'x-contract-additions': {
    record: {
      fields: { external_id: { examples: ['order-1'] } },
      headers: { 'X-Points-Earned': 'The points.' },
    },
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

test('an operation of the contract has the fields and headers that extensions add, and its example has none of them', () => {
  const { requestBody, responses } = paths['/v1/consumptions']!['post'] as unknown as {
    requestBody: object;
    responses: object;
  };
  assert.deepEqual(requestBody, {
    content: {
      'application/json': {
        example: { amount: 26 },
        schema: { properties: { amount: { examples: [26] }, external_id: { examples: ['order-1'] } } },
      },
    },
  });
  assert.deepEqual(responses, {
    201: {
      description: 'Recorded.',
      headers: { 'X-Points-Earned': { description: 'The points.', schema: { type: 'string' } } },
    },
    400: {
      description: 'Refused.',
      headers: {
        'X-Error-Code': { $ref: '#/components/headers/X-Error-Code' },
        'X-Error-Hint': { $ref: '#/components/headers/X-Error-Hint' },
      },
    },
  });
});
