/** The parts of JSON Schema that our schemas of input use, for tests that walk them. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly 'x-max-length'?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly pattern?: string;
}

export const PARTS = ['params', 'querystring', 'headers', 'body'] as const;

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null;
}
