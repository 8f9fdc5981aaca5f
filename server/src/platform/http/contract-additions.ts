import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The headers that we add to the successes of an operation. If it is one of the contract, the extensions document
     * describes them and the fields of its body that are marked `x-extension`; the contract's document shows neither.
     */
    addedHeaders?: Readonly<Record<string, string>>;
  }
}

/** Our additions to one operation of the contract. */
interface Addition {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly fields: Readonly<Record<string, object>>;
  readonly headers: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, { readonly 'x-extension'?: true; readonly description?: string }>>;

/** Collects what we add to operations of the contract, from now on. */
export function collectAdditions(app: FastifyInstance): () => readonly Addition[] {
  const additions: Addition[] = [];
  app.addHook('onRoute', (route) => {
    if (route.config?.document !== 'contract') return;
    const fields = addedFields(route.schema);
    const headers = route.config?.addedHeaders ?? {};
    if (Object.keys(fields).length === 0 && Object.keys(headers).length === 0) return;
    additions.push({
      method: String(route.method),
      path: route.url.replaceAll(/:(\w+)/g, '{$1}'),
      operationId: (route as RouteOptions & { schema: { operationId: string } }).schema.operationId,
      fields,
      headers,
    });
  });
  return () => additions;
}

/** Returns a body without the fields that the contract does not have. */
export function withoutAdditions(body: unknown): unknown {
  const { properties = {}, ...rest } = (body ?? {}) as { properties?: Fields };
  const kept = Object.entries(properties).filter(([, field]) => field['x-extension'] !== true);
  return { ...rest, properties: Object.fromEntries(kept) };
}

/** Describes the additions in the document of the extensions: in its text, and under `x-contract-additions` for programs. */
export function describeAdditions<T extends object>(document: T, additions: readonly Addition[]): T {
  if (additions.length === 0) return document;
  const { info } = document as { info?: object };
  const text = additions.map(({ method, path, fields, headers }) => {
    const described = [
      ...Object.entries(fields).map(
        ([name, field]) =>
          `- body \`${name}\` (optional): ${(field as { description?: string }).description}`,
      ),
      ...Object.entries(headers).map(
        ([name, description]) => `- response header \`${name}\`: ${description}`,
      ),
    ];
    return `\`${method} ${path}\`\n\n${described.join('\n')}`;
  });
  return {
    ...document,
    info: {
      ...info,
      description: `What the service offers beyond the contract. It also adds to these operations of the contract:\n\n${text.join('\n\n')}`,
    },
    'x-contract-additions': Object.fromEntries(
      additions.map(({ operationId, fields, headers }) => [operationId, { fields, headers }]),
    ),
  };
}

function addedFields(schema: FastifySchema | undefined): Record<string, object> {
  const { properties = {} } = (schema?.body ?? {}) as { properties?: Fields };
  const added = Object.entries(properties).filter(([, field]) => field['x-extension'] === true);
  return Object.fromEntries(added.map(([name, { 'x-extension': _mark, ...field }]) => [name, field]));
}
