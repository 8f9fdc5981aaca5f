import type { Static } from 'typebox';
import type { ExampleCallsSchema } from './wire.ts';

type ExampleCall = Static<typeof ExampleCallsSchema>['results'][number];

/** The part of an OpenAPI document that the commands are made from. */
export interface ContractDocument {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: {
            readonly required?: readonly string[];
            readonly properties: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
          };
        }
      >
    >;
  };
}

/** Things of a commerce that stand in the commands. Where it has none, the example of the document stands there. */
export interface ExampleValues {
  readonly commerceId: number;
  readonly clientCode: number | null;
  readonly benefitId: string | null;
  readonly voucherCode: number | null;
}

/**
 * Writes each operation of the contract as a `curl` command. Credentials are variables of the shell, because keys are not stored. Purchases
 * and typed text are the document's example: no address of a member stands in a command.
 */
export function writeExampleCalls(
  { paths = {} }: ContractDocument,
  baseUrl: string,
  values: ExampleValues,
): ExampleCall[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      operation_id: operation.operationId,
      summary: operation.summary,
      tag: operation.tags[0]!,
      method: method.toUpperCase(),
      path,
      credential: credentialOf(operation),
      curl: writeCommand(method.toUpperCase(), baseUrl + path, operation, ownValues(values)),
    })),
  );
}

function credentialOf({ security = [] }: Operation): ExampleCall['credential'] {
  if (security.some((one) => 'CommerceApiKey' in one)) return 'key';
  return security.some((one) => 'UserToken' in one) ? 'user' : 'header';
}

/** Values of this commerce by the name of the field. `$…` is a variable of the shell. */
function ownValues(values: ExampleValues): ReadonlyMap<string, string | number> {
  return new Map<string, string | number>(
    Object.entries({
      'X-Commerce-Id': values.commerceId,
      client_code: values.clientCode,
      benefit_id: values.benefitId,
      client_benefit_code: values.voucherCode,
      refresh: '$REFRESH_TOKEN',
    }).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

function writeCommand(
  method: string,
  url: string,
  operation: Operation,
  own: ReadonlyMap<string, string | number>,
): string {
  const { parameters = [], requestBody } = operation;
  const credential = credentialOf(operation);
  const filled = parameters.reduce(
    (address, { name, in: where, example }) =>
      where === 'path'
        ? address.replace(`{${name}}`, encodeURIComponent(String(own.get(name) ?? example)))
        : address,
    url,
  );
  const headers = [
    ...(credential === 'key' ? ['Authorization: Bearer $API_KEY'] : []),
    ...(credential === 'user' ? ['Authorization: Bearer $ACCESS_TOKEN'] : []),
    ...parameters.flatMap(({ name, in: where }) => {
      if (where !== 'header') return [];
      return name === 'X-Commerce-Id'
        ? [`${name}: ${own.get(name)}`]
        : [`${name}: ${operation.operationId}-$(date +%s)`];
    }),
    ...(requestBody === undefined ? [] : ['Content-Type: application/json']),
  ];
  return [
    `curl ${method === 'GET' || (method === 'POST' && requestBody !== undefined) ? '' : `-X ${method} `}"${filled}"`,
    ...headers.map((header) => `-H "${header}"`),
    ...(requestBody === undefined ? [] : [`-d ${inQuotes(JSON.stringify(bodyOf(requestBody, own)))}`]),
  ].join(' \\\n  ');
}

/** The required fields. */
function bodyOf(
  { content }: NonNullable<Operation['requestBody']>,
  own: ReadonlyMap<string, string | number>,
): Record<string, unknown> {
  const { required = [], properties } = content['application/json']!.schema;
  return Object.fromEntries(
    required.map((name) => [name, own.get(name) ?? properties[name]?.examples?.[0] ?? null]),
  );
}

/** Quotes a text for a shell. Only our variables are filled in. */
function inQuotes(text: string): string {
  if (!text.includes('$')) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `"${text.replaceAll(/["\\`]/g, String.raw`\$&`)}"`;
}
