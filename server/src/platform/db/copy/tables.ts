/** All rows of a database, as COPY writes them: how backups, moves and upgrades hand them on. */

/** A table and the columns that COPY reads and writes. Generated columns are left out. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** About how many rows it has, to show progress. */
  readonly aboutRows: number;
}

/** A check or a foreign key that the rows were under. */
export interface Guard {
  readonly table: string;
  readonly name: string;
  /** False if rows from before it may break it. */
  readonly isValid: boolean;
}

/** The last number that a sequence gave out. */
export interface Counter {
  readonly table: string;
  readonly column: string;
  /** A text in backups of earlier versions of the program. */
  readonly last: number | string;
}

/** The schema that the rows fit. */
export interface Schema {
  /** The migrations that were applied, in order. */
  readonly migrations: readonly string[];
  readonly tables: readonly Table[];
  readonly guards: readonly Guard[];
}

/** Rows to fill an empty database with. They are asked for in the order of `tables`, each table once. */
export interface Rows extends Schema {
  /** Returns the rows of a table in COPY's text format: each ends with a line feed, and has no other. */
  read(table: Table): AsyncIterable<Buffer>;
  /** Is called after the last table. */
  readCounters(): Promise<readonly Counter[]>;
  /** Is called after that, when all rows are written and nothing is committed yet. An error undoes everything. */
  confirm?(): Promise<void>;
}
