/** Reads large results quickly: PostgreSQL sends the rows of a select in its binary form, and each row is read in place. */
import { Query, type PoolClient } from 'pg';
import type { Sql } from './sql.ts';

/** A bigint if it is beyond the safe integers. Two figures that are equal are always equal by `===`. */
export type Figure = number | bigint;

/** The columns of one row, to be read in their order. A row is valid only until its reader returns. */
export interface CopiedRow {
  integer(): Figure | null;
  /** A smallint. */
  small(): number | null;
  text(): string | null;
  boolean(): boolean | null;
  /** A date, as PostgreSQL writes it: `2027-01-31` or `infinity`. */
  day(): string | null;
  /** A jsonb, as text. */
  json(): string | null;
  /** A timestamptz in milliseconds since 1970. */
  instant(): number | null;
  bytes(): Buffer | null;
}

/**
 * Runs a select without values and passes each row to `read`. Rows are passed while they arrive, so PostgreSQL waits if
 * `read` is slow, and a result of any length needs no memory.
 */
export async function copyOut(
  client: PoolClient,
  select: Sql,
  read: (row: CopiedRow) => void,
): Promise<void> {
  await client.query(new CopyOut(select.text(), read));
}

/** A query of the driver, because a connection that sends statements together accepts no other kind. */
class CopyOut extends Query {
  // oxlint-disable-next-line unicorn/no-thenable -- the driver returns the query itself, and whoever waits for it waits for its end
  readonly then: Promise<void>['then'];
  readonly #rows: (message: Buffer) => void;
  #failure: unknown = null;

  constructor(select: string, read: (row: CopiedRow) => void) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    super(`copy (${select}) to stdout (format binary)`, [], (error: unknown) => {
      const failure = error ?? this.#failure;
      if (failure === null) resolve();
      else reject(failure);
    });
    // oxlint-disable-next-line unicorn/no-thenable -- sets the same property
    this.then = promise.then.bind(promise);
    this.#rows = rowsOf(read);
  }

  // The driver calls it with each message. An error thrown here would end the process.
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    if (this.#failure !== null) return;
    try {
      this.#rows(chunk);
    } catch (error) {
      this.#failure = error;
    }
  }
}

const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const HEADER_BYTES = HEADER.length + 8;

/** PostgreSQL sends whole rows: the first message has the header before its row, the last one has the end mark alone. */
function rowsOf(read: (row: CopiedRow) => void): (message: Buffer) => void {
  const row = new Row();
  let isFirst = true;
  return (message) => {
    row.begin(message, isFirst ? HEADER_BYTES : 0);
    isFirst = false;
    while (row.next()) read(row);
  };
}

class Row implements CopiedRow {
  #message: Buffer = HEADER;
  #at = 0;
  /** The number of columns that are not read yet. */
  #left = 0;
  readonly #days = new Map<number, string>();

  begin(message: Buffer, at: number): void {
    this.#message = message;
    this.#at = at;
  }

  /** Goes to the next row, past the columns that nobody has read. Returns false at the end of the message. */
  next(): boolean {
    while (this.#left > 0) {
      const length = this.#length();
      this.#at += Math.max(0, length);
    }
    if (this.#at === this.#message.length) return false;
    this.#left = this.#message.readInt16BE(this.#at);
    this.#at += 2;
    return this.#left >= 0;
  }

  integer(): Figure | null {
    if (this.#length() < 0) return null;
    const at = this.#at;
    this.#at += 8;
    const value = this.#message.readInt32BE(at) * 2 ** 32 + this.#message.readUInt32BE(at + 4);
    return Number.isSafeInteger(value) ? value : this.#message.readBigInt64BE(at);
  }

  small(): number | null {
    if (this.#length() < 0) return null;
    this.#at += 2;
    return this.#message.readInt16BE(this.#at - 2);
  }

  boolean(): boolean | null {
    if (this.#length() < 0) return null;
    this.#at += 1;
    return this.#message[this.#at - 1] === 1;
  }

  day(): string | null {
    if (this.#length() < 0) return null;
    this.#at += 4;
    const number = this.#message.readInt32BE(this.#at - 4);
    if (number === 0x7fff_ffff) return 'infinity';
    if (number === -0x8000_0000) return '-infinity';
    let day = this.#days.get(number);
    if (day === undefined) {
      if (this.#days.size === MOST_DAYS) this.#days.clear();
      day = new Date(EPOCH_MS + number * 86_400_000).toISOString().slice(0, -14);
      this.#days.set(number, day);
    }
    return day;
  }

  text(): string | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    return this.#message.toString('utf8', this.#at - length, this.#at);
  }

  json(): string | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    // The first byte is the version of the form.
    return this.#message.toString('utf8', this.#at - length + 1, this.#at);
  }

  instant(): number | null {
    const micros = this.integer();
    return micros === null ? null : toMilliseconds(micros);
  }

  bytes(): Buffer | null {
    const length = this.#length();
    if (length < 0) return null;
    this.#at += length;
    return this.#message.subarray(this.#at - length, this.#at);
  }

  #length(): number {
    this.#left -= 1;
    this.#at += 4;
    return this.#message.readInt32BE(this.#at - 4);
  }
}

const MOST_DAYS = 20_000;
/** PostgreSQL counts from the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

/** Returns an instant that PostgreSQL has in microseconds since 2000 in milliseconds since 1970. */
export function toMilliseconds(micros: Figure): number {
  return Math.floor(Number(micros) / 1000) + EPOCH_MS;
}

/** Returns a number if it is exact as one. */
export function figure(value: bigint): Figure {
  return value >= -MOST && value <= MOST ? Number(value) : value;
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** Adds two figures without rounding. */
export function add(a: Figure, b: Figure): Figure {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return figure(BigInt(a) + BigInt(b));
}
