import type { Db } from './database.ts';

/**
 * A statement or a part of one. Values are kept apart from the text, so PostgreSQL never reads a value as SQL. A part
 * inside another part becomes part of its text.
 */
export class Sql<Row = unknown> {
  readonly #strings: readonly string[];
  readonly #values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings;
    this.#values = values;
  }

  /** Runs the statement. The caller declares the type of its rows. `rowCount` counts what it returned or changed. */
  execute(db: Db): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }> {
    const values: unknown[] = [];
    return db.query(this.#textWith(values), values);
  }

  /** Returns the text of a statement without values, for commands that take none. */
  text(): string {
    const values: unknown[] = [];
    const text = this.#textWith(values);
    if (values.length > 0) throw new TypeError('this statement must not have values');
    return text;
  }

  /** Returns the text with placeholders (`$1`, `$2`, …) and appends the values to `values`. */
  #textWith(values: unknown[]): string {
    let text = this.#strings[0]!;
    for (const [i, value] of this.#values.entries()) {
      text += value instanceof Sql ? value.#textWith(values) : `$${values.push(value)}`;
      text += this.#strings[i + 1]!;
    }
    return text;
  }
}

/** Builds a statement: sql`select … where id = ${id}`. Each `${}` is a value, unless it is SQL itself. */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Sql<Row> {
  return new Sql<Row>(strings, values);
}

/** Text that is used as SQL unchanged. Never pass user input. */
sql.raw = (text: string): Sql => new Sql([text], []);

/** A quoted name of a table, a column or a database. */
sql.id = (name: string): Sql => sql.raw(`"${name.replaceAll('"', '""')}"`);

/** A number written into the text, where PostgreSQL allows no placeholder: in a trigger, in `fetch 500 from …`. */
sql.lit = (value: number): Sql => sql.raw(String(value));

/** Joins parts. */
sql.join = (parts: readonly Sql[], between: Sql = sql`, `): Sql =>
  new Sql(
    ['', ...Array<string>(Math.max(0, parts.length * 2 - 1)).fill('')],
    parts.flatMap((part, i) => (i === 0 ? [part] : [between, part])),
  );
