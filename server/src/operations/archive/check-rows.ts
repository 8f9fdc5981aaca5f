import { createHash } from 'node:crypto';
import { isPhone, isUsername } from '#members/profile.ts';
import { isStoredLines } from '#orders/stored-lines.ts';
import { isCartId } from '#vouchers/cart-id.ts';
import { isWrittenPicture } from '#pictures/written-picture.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { isOneLine } from '#text/plain-text.ts';
import { ArchiveRefused } from './read-archive.ts';

type Row = Readonly<Record<string, unknown>>;
type IsRight = (value: unknown, row: Row) => boolean | Promise<boolean>;

/**
 * Checks the values of rows that the service checks itself before it stores them, because no constraint of the database does.
 * @throws ArchiveRefused
 */
export async function checkRows(table: string, lines: readonly string[]): Promise<void> {
  const rules = Object.entries(RULES[table] ?? {});
  if (rules.length === 0) return;
  for (const line of lines) {
    const row = parseRow(table, line);
    for (const [column, isRight] of rules)
      if (!(await isRight(row[column], row)))
        throw new ArchiveRefused(`The archive has a row in ${table} whose ${column} no service has stored.`);
  }
}

function parseRow(table: string, line: string): Row {
  try {
    return JSON.parse(line) as Row;
  } catch (error) {
    throw new ArchiveRefused(`The archive has lines in ${table} that are not rows.`, { cause: error });
  }
}

const isAddress: IsRight = (value) => typeof value === 'string' && normaliseEmail(value) === value;
const isName: IsRight = (value) => typeof value === 'string' && isOneLine(value, 100);

const isCart: IsRight = (value) => typeof value === 'string' && isCartId(value);

function orNull(isRight: IsRight): IsRight {
  return (value, row) => value === null || isRight(value, row);
}

/** The database compares addresses and bytes, and knows nothing of their form. */
const RULES: Readonly<Record<string, Readonly<Record<string, IsRight>>>> = {
  users: { email: isAddress, created_at: isPast },
  staff_people: { email: isAddress, name: isName, created_at: isPast },
  api_keys: {
    name: isName,
    prefix: (value) => typeof value === 'string' && /^lk_[0-9A-Za-z_]{1,40}$/.test(value),
  },
  redemptions: { external_id: isCart },
  orders: { external_id: isCart },
  order_lines: { lines: (value) => isStoredLines(value) },
  purchase_lines: { lines: (value) => isStoredLines(value) },
  members: {
    email: orNull(isAddress),
    username: orNull((value) => typeof value === 'string' && isUsername(value)),
    phone: orNull((value) => typeof value === 'string' && isPhone(value)),
  },
  pictures: {
    hash: (value, { large }) => {
      const bytes = bytesOf(large);
      return createHash('sha256').update(bytes).digest().subarray(0, 16).toString('base64url') === value;
    },
    large: (value, { width, height }) => isWrittenPicture(bytesOf(value), 'large', { width, height }),
    small: (value) => isWrittenPicture(bytesOf(value), 'small'),
  },
};

/** An account and a person of the staff belong to the installation, which counts them by this instant. */
function isPast(value: unknown): boolean {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at >= 0 && at <= Date.now() + DAY_MS;
}

/** The clocks of two machines may differ. */
const DAY_MS = 24 * 60 * 60 * 1000;

function bytesOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value.slice(2) : '', 'hex');
}
