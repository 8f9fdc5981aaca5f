import type { Db } from './database.ts';

/**
 * A statement, or a part of one: the text, and apart from it the values, so that no value is ever read as SQL. A part
 * that stands in another becomes text of it.
 */
export class Sql<Row = unknown> {
  readonly #strings: readonly string[];
  readonly #values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings;
    this.#values = values;
  }

  /** Runs it as one statement. `Row` is what the caller knows of its columns. */
  execute(db: Db): Promise<{ readonly rows: Row[] }> {
    const values: unknown[] = [];
    return db.query(this.#textWith(values), values) as Promise<{ readonly rows: Row[] }>;
  }

  /** The text with `$1`, `$2` … where the values go; appends these to `values`. */
  #textWith(values: unknown[]): string {
    let text = this.#strings[0]!;
    for (const [i, value] of this.#values.entries()) {
      text += value instanceof Sql ? value.#textWith(values) : `$${values.push(value)}`;
      text += this.#strings[i + 1]!;
    }
    return text;
  }
}

/** Writes SQL: sql`select … where id = ${id}`. What stands in `${}` is a value, unless it is SQL itself. */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql<Row>(strings, values);
}

/** Text that is SQL as it stands. Never made of what somebody sent. */
sql.raw = (text: string): Sql => new Sql([text], []);

/** The name of a table, a column or a database. */
sql.id = (name: string): Sql => sql.raw(`"${name.replaceAll('"', '""')}"`);

/** A number where a statement takes no values: the body of a trigger, the count of a `fetch`. */
sql.lit = (value: number): Sql => sql.raw(String(value));

/** Parts, one after the other. */
sql.join = (parts: readonly Sql[], between: Sql): Sql =>
  new Sql(
    ['', ...Array<string>(Math.max(0, parts.length * 2 - 1)).fill('')],
    parts.flatMap((part, i) => (i === 0 ? [part] : [between, part])),
  );
