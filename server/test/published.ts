/**
 * Checks every response that a test receives against the published documents, so that the documents always match the
 * service.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

export interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly [type: string]: { schema: object } } }>
  >;
}

export interface AnswerToCheck {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: unknown;
}

/** Returns what is wrong with the response to `method path`, or null. A call to an undocumented path is not checked. */
export type AnswerCheck = (method: string, path: string, answer: AnswerToCheck) => string | null;

/**
 * Checks responses against the response schemas of all documents. Fields that a schema does not name are errors. A
 * schema is compiled for the first response that needs it: most test files receive few of the hundreds.
 */
export function answerCheckOf(documents: readonly OpenApi[]): AnswerCheck {
  const operations = documents.flatMap((document) => operationsOf(document, { validateSchema: false }));
  return (method, path, answer) => {
    const [plain = ''] = path.split('?', 1);
    const operation = operations.find((one) => one.method === method && one.pattern.test(plain));
    if (operation === undefined) return null;
    const name = `${method} ${operation.template} ${answer.status}`;
    // A 304 is only sent to a caller that sent a tag, which the documents do not mention.
    if (answer.status === 304)
      return answer.body === '' && answer.contentType === null ? null : `${name} has a body`;
    const compile = operation.answers.get(answer.status) ?? anytime.get(answer.status);
    if (compile === undefined) return `${name} is not documented`;
    if (operation.files.has(`${answer.status} ${answer.contentType?.split(';')[0]}`)) return null;
    if (answer.contentType !== 'application/json; charset=utf-8') return `${name} is ${answer.contentType}`;
    const validate = compile();
    if (validate(answer.body)) return null;
    return `${name} is not as documented: ${JSON.stringify(validate.errors)} in ${JSON.stringify(answer.body)}`;
  };
}

/** Compiles every response schema of the documents, and throws if one is not valid. */
export function compileEveryAnswer(documents: readonly OpenApi[]): void {
  for (const { answers } of documents.flatMap((document) => operationsOf(document, { validateSchema: true })))
    for (const compile of answers.values()) compile();
}

interface DocumentedOperation {
  readonly method: string;
  readonly template: string;
  readonly pattern: RegExp;
  readonly answers: ReadonlyMap<number, () => ValidateFunction>;
  /** Answers that are not JSON, as status and type. Their content is not checked. */
  readonly files: ReadonlySet<string>;
}

function operationsOf(document: OpenApi, options: { validateSchema: boolean }): DocumentedOperation[] {
  const ajv = strictAjv(options);
  const prepared = (schema: object) => closed(absolute(schema)) as object;
  for (const [name, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(prepared(schema), `component:${name}`);
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      template,
      pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      files: new Set(
        Object.entries(responses).flatMap(([status, { content = {} }]) =>
          Object.keys(content).flatMap((type) => (type === 'application/json' ? [] : [`${status} ${type}`])),
        ),
      ),
      answers: new Map(
        Object.entries(responses).map(([status, { content }]) => [
          Number(status),
          atFirstCall(() => ajv.compile(prepared(content?.['application/json']?.schema ?? { not: {} }))),
        ]),
      ),
    })),
  );
  // `/v1/benefits/list` must match before `/v1/benefits/{benefit_id}`.
  return operations.sort((a, b) => countVariables(a.template) - countVariables(b.template));
}

/** Responses that any operation may send, although its document does not list them. */
const message = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
const anytime = new Map(
  [405, 409, 413, 429, 503].map((status) => [
    status,
    atFirstCall(() => strictAjv({ validateSchema: true }).compile(closed(message) as object)),
  ]),
);

function atFirstCall<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function strictAjv(options: { validateSchema: boolean }): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, ...options });
  formats.default(ajv);
  return ajv;
}

/** Forbids, in every object of a schema, fields that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const walked = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in walked ? { ...walked, additionalProperties: false } : walked;
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"component:')) as object;
}

function countVariables(template: string): number {
  return template.split('{').length;
}
