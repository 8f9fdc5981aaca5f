/**
 * Writes the leaf of a movement a second time, for checks that have the movement in memory. The statement in `leaf.ts` says what a leaf
 * is. Where this text is another one, that statement decides, so a mistake here costs time and hides nothing: no other text has the hash
 * that was sealed.
 */
import { hash } from 'node:crypto';
import { toMilliseconds, type Figure } from '#db/copy-out.ts';

/** The columns of a movement as PostgreSQL sends them. Instants are microseconds since 2000. */
export interface SealedColumns {
  readonly id: number;
  readonly memberId: number;
  readonly points: Figure;
  readonly pointsEarned: Figure;
  readonly amount: Figure | null;
  readonly purchases: Figure;
  readonly balanceAfter: Figure | null;
  readonly branchId: Figure | null;
  readonly registerId: Figure | null;
  readonly reversesId: Figure | null;
  readonly voucherCode: Figure | null;
  readonly atMicros: Figure | null;
  readonly recordedAtMicros: Figure | null;
  readonly type: string;
  readonly event: string | null;
  readonly note: string | null;
  /** JSON, in the bytes of PostgreSQL. */
  readonly splitJson: string;
  readonly snapshotJson: string | null;
  /** Of a note that a person typed, in hex. */
  readonly noteDigest: string | null;
}

/** Writes leaves, which are JSON arrays. */
export interface LeafWriter {
  write(movement: SealedColumns): string;
  /** Returns the hash of the leaf, as in RFC 6962, with a character for each byte. */
  hash(movement: SealedColumns): string;
}

export function createLeafWriter(): LeafWriter {
  const writeInstant = createInstantWriter();
  const write = (m: SealedColumns) =>
    `["movement/1",[${m.id},${m.memberId},${m.points},${m.pointsEarned},${m.amount},${m.purchases},${m.balanceAfter},` +
    `${m.branchId},${m.registerId},${m.reversesId},${m.voucherCode}],` +
    `["${writeInstant(m.atMicros)}","${writeInstant(m.recordedAtMicros)}"],` +
    `[${writeText(m.type)},${writeText(m.event)},${writeText(m.note)}],${m.splitJson},${m.snapshotJson},${writeText(m.noteDigest)}]`;
  return { write, hash: (movement) => hash('sha256', `\0${write(movement)}`, 'latin1') };
}

function writeText(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}

/**
 * Instants as PostgreSQL writes them in JSON: in UTC, without zeros at the end of the fraction. They are put together from texts that are
 * there already, because a `Date` for each would take longer than all the rest of a leaf.
 */
function createInstantWriter(): (micros: Figure | null) => string {
  const days = new Map<number, string>();
  const writeDay = (day: number) => {
    let text = days.get(day);
    if (text === undefined) {
      if (days.size === MOST_DAYS) days.clear();
      text = new Date(toMilliseconds(day * DAY_MICROS)).toISOString().slice(0, -'00:00:00.000Z'.length);
      days.set(day, text);
    }
    return text;
  };
  return (micros) => {
    // Centuries from now, or none.
    if (typeof micros !== 'number') return String(micros);
    const day = Math.floor(micros / DAY_MICROS);
    const time = micros - day * DAY_MICROS;
    const seconds = Math.floor(time / 1_000_000);
    const minutes = Math.floor(seconds / 60);
    const hours = Math.floor(minutes / 60);
    const clock = `${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes - hours * 60]}:${TWO_DIGITS[seconds - minutes * 60]}`;
    return writeDay(day) + clock + writeFraction(time - seconds * 1_000_000);
  };
}

const DAY_MICROS = 86_400_000_000;
const MOST_DAYS = 20_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THOUSANDTHS = Array.from({ length: 1000 }, (_, number) => fractionOf(number * 1000));

function writeFraction(micros: number): string {
  return THOUSANDTHS[micros / 1000] ?? fractionOf(micros);
}

function fractionOf(micros: number): string {
  return micros === 0 ? '' : `.${String(micros).padStart(6, '0').replace(/0+$/, '')}`;
}
