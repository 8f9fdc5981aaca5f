/** Text that is HTML already, so that it is not escaped again. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Value = string | number | Html | null | false | readonly Value[];

/**
 * Makes HTML of a template. Every text in it is escaped, for elements and quoted attributes alike; HTML stays as it is, a list is joined,
 * and null and false leave nothing.
 */
export function markup(template: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(String.raw({ raw: template }, ...values.map(write)));
}

function write(value: Value): string {
  if (value === null || value === false) return '';
  if (typeof value === 'object') return value instanceof Html ? value.toString() : value.map(write).join('');
  return String(value).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
