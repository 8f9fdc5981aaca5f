import fastJsonStringify from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';

/**
 * Compiles the writer of an answer when it is first sent. All of them at once are a tenth of the work before the service is
 * ready, and a process sends few of the 250. Answers of one schema share a writer.
 */
export function compileSerializersLate(app: FastifyInstance): void {
  const compiled = new WeakMap<object, Serialize>();
  app.setSerializerCompiler(({ schema }) => {
    let serialize: Serialize | undefined;
    return (payload) => {
      serialize ??= compiled.get(schema) ?? compile(schema);
      return serialize(payload);
    };
  });

  function compile(schema: object): Serialize {
    const serialize: Serialize = fastJsonStringify(schema);
    compiled.set(schema, serialize);
    return serialize;
  }
}

type Serialize = (payload: unknown) => string;
