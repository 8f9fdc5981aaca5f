/**
 * Makes a JSON Schema of the program file from the model, in draft 7 because editors understand it. It gives editors
 * completion, descriptions and the checks of single fields. Rules between fields are checked when the file is read.
 */
import { programFileSchema } from './program.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

export function programJsonSchema(): JsonSchema {
  const model = JSON.parse(JSON.stringify(programFileSchema)) as JsonSchema;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Loyalty program',
    ...forEditors(model),
  };
}

/** A field with a default may be left out or be null; `must` becomes a sentence of its description. */
function forEditors(model: JsonSchema): JsonSchema {
  const {
    must,
    successors: _successors,
    instant,
    locale: _locale,
    default: otherwise,
    properties,
    required: _,
    items,
    anyOf,
    description,
    ...rest
  } = model;
  const said = [description, typeof must === 'string' && `Must be ${must}.`].filter(Boolean).join(' ');
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  const schema = {
    ...(said && { description: said }),
    ...(otherwise !== undefined && { default: otherwise }),
    ...rest,
    ...(instant === true && { format: 'date-time' }),
    ...(Array.isArray(anyOf) && { anyOf: (anyOf as JsonSchema[]).map(forEditors) }),
    ...(items !== undefined && { items: forEditors(items as JsonSchema) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(fields.map(([key, field]) => [key, forEditors(field)])),
      required: fields.filter(([, field]) => !('default' in field)).map(([key]) => key),
    }),
  };
  return otherwise === undefined || otherwise === null ? schema : orNull(schema);
}

function orNull(schema: JsonSchema): JsonSchema {
  const { description, default: otherwise, ...inner } = schema;
  return { description, default: otherwise, anyOf: [inner, { type: 'null' }] };
}
