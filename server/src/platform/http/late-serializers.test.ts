import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import { service } from '#test/harness.ts';

test('every answer of the service can be written', async () => {
  const schemas = new Map<object, string>();
  const collect = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, schema }) => {
      for (const [status, answer] of Object.entries((schema?.response ?? {}) as Record<string, Answer>)) {
        const contents =
          answer.content === undefined ? [answer] : Object.values(answer.content).map((one) => one.schema);
        for (const content of contents) schemas.set(content, `${String(method)} ${url} ${status}`);
      }
    });
  };
  subscribe('fastify.initialization', collect);
  const { app } = await service();
  unsubscribe('fastify.initialization', collect);
  await app.ready();
  assert.ok(schemas.size > 100, `${schemas.size} answers`);
  for (const [schema, answer] of schemas) assert.doesNotThrow(() => fastJsonStringify(schema), answer);
});

interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
