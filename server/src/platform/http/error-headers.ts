/** The headers that tell callers more about an answer than the contract's bodies can. */
const HEADERS = {
  'X-Error-Code': {
    description:
      'The reason of a refusal, as one word that is never renamed. `docs/errors.md` lists all of them.',
    schema: { type: 'string', examples: ['points_short'] },
  },
  'X-Error-Hint': {
    description: 'What to do next, as a sentence for people, where the body cannot say it. May change.',
    schema: { type: 'string', examples: ['Amounts are whole currency units: 18, not "18.00" or 18.50.'] },
  },
  'X-Unknown-Fields': {
    description:
      'The fields and query parameters that were sent and are not known, and headers that look like a misspelled `Idempotency-Key` or like `external_id`, at most ten.',
    schema: { type: 'string', examples: ['"body.clientCode", "query.limt"'] },
  },
} as const;

const TEXT = `Every refusal, of the operations of the contract too, has these headers:

- \`X-Error-Code\`: ${HEADERS['X-Error-Code'].description}
- \`X-Error-Hint\`: ${HEADERS['X-Error-Hint'].description}

Every answer may have this one:

- \`X-Unknown-Fields\`: ${HEADERS['X-Unknown-Fields'].description}`;

interface Document {
  readonly info: { readonly description?: string };
  readonly components?: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

/** Adds the headers to every refusal in a document, and their description to its text. */
export function describeErrorHeaders<T extends object>(document: T): T {
  const { info, components, paths } = document as unknown as Document;
  const described = {
    ...document,
    info: { ...info, description: [info.description, TEXT].filter(Boolean).join('\n\n') },
    components: { ...components, headers: HEADERS },
    paths: mapValues(paths, (operations) =>
      mapValues(operations, ({ responses, ...operation }) => ({
        ...operation,
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [
            status,
            Number(status) < 400
              ? response
              : { ...response, headers: { ...response.headers, ...REFUSAL_HEADERS } },
          ]),
        ),
      })),
    ),
  };
  return described;
}

/** The headers of every refusal, as references to their descriptions. */
export const REFUSAL_HEADERS = {
  'X-Error-Code': { $ref: '#/components/headers/X-Error-Code' },
  'X-Error-Hint': { $ref: '#/components/headers/X-Error-Hint' },
};

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
