import { sql, type Sql } from '../database.ts';

/** PostgreSQL numbers the values of a statement with 16 bits. */
const MOST_VALUES = 65_535;

/** Returns rows in pieces that fit into one statement of `rowsIn` with so many columns each. */
export function inPieces<Row>(rows: readonly Row[], columns: number): Row[][] {
  const most = Math.floor(MOST_VALUES / columns);
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, i) =>
    rows.slice(i * most, (i + 1) * most),
  );
}

/** A column of the rows that a statement brings along: its type, and the value of each row. */
export type Column = readonly [type: string, values: readonly unknown[]];

/**
 * Returns rows of values for an insert on a cluster, in their order. One server takes an array for each column, so that the text of a statement
 * is the same for any number of rows. A cluster would copy such rows through its coordinator and commit them in two phases; `values` go straight
 * to the machine of the rows. Their number is in the text, so the statement must not be prepared under a name.
 */
export function rowsIn(columns: readonly Column[]): Sql {
  const count = columns[0]?.[1].length ?? 0;
  const row = (i: number) =>
    sql`(${sql.join(columns.map(([type, values]) => sql`${values[i]}::${sql.raw(type)}`))})`;
  return sql`values ${sql.join(Array.from({ length: count }, (_, i) => row(i)))}`;
}
