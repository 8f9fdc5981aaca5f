import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { createCaps } from '#base/caps.ts';
import { TooManyRequests } from '#problems/problem.ts';
import { createFailureLimit } from './failed-credentials.ts';

test('a token that the database could not look up does not count as a failure', async () => {
  const request = { ip: '198.51.100.1' } as FastifyRequest;
  let isAway = true;
  const lookUp = createFailureLimit(
    1,
    createCaps(),
  )((_token: string) => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(null)));
  for (let i = 0; i < 10; i++) await assert.rejects(async () => lookUp(`token ${i}`, request), /away/);
  isAway = false;
  for (let i = 0; i < 5; i++) assert.equal(await lookUp(`wrong ${i}`, request), null);
  await assert.rejects(async () => lookUp('wrong 6', request), TooManyRequests);
});

test('calls with one token that arrive together count as one lookup, so that a start does not refuse a busy shop', async () => {
  const request = { ip: '198.51.100.2' } as FastifyRequest;
  const lookUp = createFailureLimit(1, createCaps())((token: string) => Promise.resolve({ token }));
  const found = await Promise.all(Array.from({ length: 50 }, async () => lookUp('key', request)));
  assert.equal(found.filter(Boolean).length, 50);
});
