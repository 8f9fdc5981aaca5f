import { REFUSAL_HEADERS } from '#http/error-headers.ts';
import { describeRefusals, REFUSALS_OF_ALL } from './describe-refusals.ts';

/** The part of an OpenAPI document that the reference needs. */
export interface OpenApiDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, object>>;
  /** The additions of the extensions to operations of the contract, by `operationId`. */
  readonly 'x-contract-additions'?: Readonly<Record<string, Addition>>;
}

interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
  readonly responses?: Readonly<Record<string, object>>;
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
}

interface Addition {
  readonly fields: Readonly<Record<string, object>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Precedes the tag of an operation that the contract does not have. */
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
 * operations come first, with the fields and headers that the extensions add to them. Each refusal lists its codes. Each operation that only the
 * extensions have is in a section of its own, so that nobody takes it for the contract.
 */
export function mergeDocuments(contract: OpenApiDocument, extensions: OpenApiDocument): object {
  const additions = extensions['x-contract-additions'] ?? {};
  const paths: Record<string, object> = mapOperations(contract, (operation) =>
    describeRefusals(withAddition(operation, additions[operation.operationId ?? '']), REFUSAL_HEADERS),
  );
  const ours = mapOperations(extensions, (operation) => ({
    ...describeRefusals(operation, REFUSAL_HEADERS),
    tags: tagsOf(operation).map((tag) => EXTENSION + tag),
  }));
  for (const [path, operations] of Object.entries(ours)) paths[path] = { ...paths[path], ...operations };
  const used = new Set(
    Object.values(paths).flatMap((operations) => (Object.values(operations) as Operation[]).flatMap(tagsOf)),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loyalty API',
      version: '1.0.0',
      description: REFUSALS_OF_ALL,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: listTags(used),
    paths,
    components: mergeComponents(contract.components ?? {}, extensions.components ?? {}),
  };
}

/** Merges every kind of component that either document has, so that no reference is left without its target. */
function mergeComponents(
  contract: Readonly<Record<string, object>>,
  extensions: Readonly<Record<string, object>>,
): object {
  const kinds = new Set([...Object.keys(contract), ...Object.keys(extensions)]);
  return Object.fromEntries([...kinds].map((kind) => [kind, { ...contract[kind], ...extensions[kind] }]));
}

function mapOperations(
  { paths = {} }: OpenApiDocument,
  change: (operation: Operation) => Operation,
): Record<string, Record<string, Operation>> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, change(operation)]),
      ),
    ]),
  );
}

/**
 * Adds the fields to the body and the headers to the successes. The example of the body stays the contract's: an
 * `external_id` that the page fills in would make the second try a replay.
 */
function withAddition(operation: Operation, addition: Addition | undefined): Operation {
  if (addition === undefined) return operation;
  const { requestBody, responses = {} } = operation;
  const headers = Object.fromEntries(
    Object.entries(addition.headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
  return {
    ...operation,
    ...(requestBody && {
      requestBody: {
        ...requestBody,
        content: Object.fromEntries(
          Object.entries(requestBody.content).map(([type, media]) => [
            type,
            { ...media, example: exampleOf(media.schema), schema: withFields(media.schema, addition.fields) },
          ]),
        ),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        status.startsWith('2') ? { ...response, headers } : response,
      ]),
    ),
  };
}

function exampleOf({ properties = {} }: BodySchema): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { examples }]) => [name, examples?.[0] ?? null]),
  );
}

function withFields(schema: BodySchema, fields: Readonly<Record<string, object>>): BodySchema {
  return { ...schema, properties: { ...schema.properties, ...fields } };
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
