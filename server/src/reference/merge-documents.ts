/** The part of an OpenAPI document that the reference needs. */
export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: object; readonly securitySchemes?: object };
}

interface Operation {
  readonly tags?: readonly string[];
}

/** What precedes the tag of an operation that the contract does not have. */
const EXTENSION = 'Extensions: ';

/** The sections of the reference in reading order, each with the sentence below its heading. */
const SECTIONS: Readonly<Record<string, string>> = {
  Consumptions: 'Record purchases. API key.',
  Clients: 'Look up members and their balance. API key.',
  Benefits: 'The catalog, and codes at the till. API key.',
  Public: 'The branding and the catalog for visitors. No credential.',
  Authentication: 'Sign a member in with a code sent by e-mail. No credential.',
  'My account': 'Everything that a member sees and does. Access token.',
};

/**
 * Merges the contract and its extensions into one document for readers and for generators of clients. The contract's
 * operations come first, and each extension is in a section of its own, so that nobody takes one for the contract.
 * An operation that both documents describe is shown once, in the contract's section, with the extension's fields.
 */
export function mergeDocuments(contract: OpenApiDocument, extensions: OpenApiDocument): object {
  const ours = mapOperations(extensions, (operation, path, method) =>
    contract.paths?.[path]?.[method] === undefined
      ? { ...operation, tags: tagsOf(operation).map((tag) => EXTENSION + tag) }
      : operation,
  );
  const paths: Record<string, object> = { ...contract.paths };
  for (const [path, operations] of Object.entries(ours)) paths[path] = { ...paths[path], ...operations };
  const used = new Set(
    Object.values(paths).flatMap((operations) => (Object.values(operations) as Operation[]).flatMap(tagsOf)),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loyalty API',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: listTags(used),
    paths,
    components: {
      securitySchemes: {
        ...contract.components?.securitySchemes,
        ...extensions.components?.securitySchemes,
      },
      schemas: { ...contract.components?.schemas, ...extensions.components?.schemas },
    },
  };
}

function mapOperations(
  { paths = {} }: OpenApiDocument,
  change: (operation: Operation, path: string, method: string) => Operation,
): Record<string, Record<string, Operation>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, change(operation, path, method)]),
      ),
    ]),
  );
}

function tagsOf({ tags = ['Other'] }: Operation): readonly string[] {
  return tags;
}

/** Known sections in reading order, then any others, contract first. Sections without operations are left out. */
function listTags(used: ReadonlySet<string>): { name: string; description?: string }[] {
  const known = Object.keys(SECTIONS);
  const others = [...used].filter((tag) => !known.includes(tag) && !tag.startsWith(EXTENSION));
  const contract = [...known, ...others];
  const extensions = [...used].filter((tag) => tag.startsWith(EXTENSION));
  const rank = (tag: string) => contract.indexOf(tag.slice(EXTENSION.length)) + 1 || contract.length + 1;
  return [...contract, ...extensions.toSorted((a, b) => rank(a) - rank(b))]
    .filter((tag) => used.has(tag))
    .map((name) => (SECTIONS[name] === undefined ? { name } : { name, description: SECTIONS[name] }));
}
