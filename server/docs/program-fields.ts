/** The page with every field of a program file, made from the model that reads it. */
import { programJsonSchema } from '../src/program/json-schema.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const HEAD = `<!-- Made by \`npm run docs\` from server/src/program/program.ts; change it there. -->

# Fields of the program file

[The program file](program-file.md) explains them; this is the list. \`[]\` stands for each entry of a list. A field that
has a default may be left out or be null. An entry's field without one has to be said where the entry is.

| field | default | what it says |
|---|---|---|
`;

export function programFieldsPage(): string {
  return `${HEAD}${rows(programJsonSchema(), '').join('\n')}\n`;
}

function rows(schema: Schema, path: string): string[] {
  const { properties = {}, items } = inside(schema);
  const below = Object.entries(properties).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [row(at, field), ...rows(field, at)];
  });
  return items === undefined ? below : [...below, ...rows(items, `${path}[]`)];
}

/** What may stand there besides null. */
function inside(schema: Schema): Schema {
  const kinds = schema.anyOf?.map(inside) ?? [];
  return kinds.find((kind) => kind.properties ?? kind.items) ?? schema;
}

function row(path: string, schema: Schema): string {
  // A field that may be null says under that choice what else it must be.
  const kinds = [schema, ...(schema.anyOf ?? [])];
  const said = kinds.map((kind) => kind.description ?? '');
  const text = said.find((one) => one.includes('Must be')) ?? said[0] ?? '';
  const fallback = schema.default === undefined ? 'required' : `\`${JSON.stringify(schema.default)}\``;
  return `| \`${path}\` | ${fallback} | ${text.replaceAll('|', '\\|')} |`;
}
