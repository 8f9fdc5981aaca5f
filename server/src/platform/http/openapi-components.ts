/**
 * Moves every object schema that has a title into `components` and replaces it with a reference. Generated clients then
 * have one `Benefit` instead of twenty anonymous copies. Leaves out our own keywords. Throws if two different schemas have the same title.
 */
export function nameSchemas<T extends object>(document: T): T {
  const named = new Map<string, object>();
  const { components, ...rest } = document as { components?: { schemas?: object } };
  const walked = replaceTitled(rest, named);
  const schemas = Object.fromEntries([...named].sort(([a], [b]) => a.localeCompare(b)));
  return { ...(walked as T), components: { ...components, schemas: { ...components?.schemas, ...schemas } } };
}

/** Keywords that only the reader of requests knows. */
const OURS: ReadonlySet<string> = new Set(['x-max-length', 'x-hint', 'x-error-codes']);

function replaceTitled(node: unknown, named: Map<string, object>): unknown {
  if (Array.isArray(node)) return node.map((item) => replaceTitled(item, named));
  if (typeof node !== 'object' || node === null) return node;
  const walked = Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => !OURS.has(key))
      .map(([key, value]) => [key, replaceTitled(value, named)]),
  );
  const { title, type, properties, description, ...keywords } = walked as Record<string, unknown>;
  if (typeof title !== 'string' || typeof properties !== 'object') return walked;
  const isNullable = Array.isArray(type) && type.includes('null');
  addSchema(named, title, { title, type: 'object', properties, ...keywords });
  const reference = { $ref: `#/components/schemas/${title}` };
  if (isNullable) return { anyOf: [reference, { type: 'null' }] };
  return description === undefined ? reference : { ...reference, description };
}

function addSchema(named: Map<string, object>, title: string, schema: object): void {
  const existing = named.get(title);
  if (existing && JSON.stringify(existing) !== JSON.stringify(schema))
    throw new Error(`two different schemas have the title ${title}`);
  named.set(title, schema);
}
