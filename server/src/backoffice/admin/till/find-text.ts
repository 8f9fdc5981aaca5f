import type { WireIds } from '#batching/wire-ids.ts';
import { sql, type Db } from '#db/database.ts';
import { findMember } from '#members/lock-members.ts';
import { findOrder } from '#purchases/recorded-purchases.ts';
import { findPeople } from '#search/find-people.ts';
import { describePeople, type FoundPerson } from '#search/found-person.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { readTillVoucher, type HeldVoucher } from './read-till-voucher.ts';

/** The meaning of a text: the things that it may stand for. The others are empty. */
export interface FoundByText {
  readonly people: readonly FoundPerson[];
  readonly voucher: HeldVoucher | null;
  readonly movement: MovementOf | null;
  /** An address that nobody here has. */
  readonly stranger: string | null;
}

interface MovementOf {
  readonly id: number;
  readonly memberId: number;
}

export interface Search {
  readonly commerceId: number;
  readonly text: string;
  readonly purchaseIds: WireIds;
  /** A cashier finds no purchase by the shop's own id, and nobody by the beginning of an address. */
  readonly isCashier: boolean;
}

/** The most people that a text finds. */
const MOST_FOUND = 8;

/**
 * Finds what a text stands for that somebody typed or scanned: 9 digits are a member's card, 14 a code, other digits a
 * movement, an @ makes an address, and anything else is the beginning of a name. Spaces and dashes between digits do not
 * count.
 */
export async function findText(db: Db, search: Search): Promise<FoundByText> {
  const { commerceId } = search;
  const text = search.text.trim();
  const digits = text.replaceAll(/[\s\p{Pd}]/gu, '');
  if (/^[1-9]\d{0,15}$/.test(digits)) return findNumber(db, { ...search, text }, digits);
  if (text.includes('@')) return findAddress(db, { ...search, text });
  const people = text === '' ? [] : await findPeople(db, commerceId, text, MOST_FOUND);
  return { ...NOTHING, people, movement: await findByOrder(db, { ...search, text }) };
}

const NOTHING: FoundByText = { people: [], voucher: null, movement: null, stranger: null };

async function findNumber(db: Db, search: Search, digits: string): Promise<FoundByText> {
  const { commerceId, purchaseIds } = search;
  const number = Number(digits);
  const people = digits.length === 9 ? await findPeople(db, commerceId, digits, MOST_FOUND) : [];
  const voucher = digits.length === 14 ? ((await readTillVoucher(db, commerceId, number)) ?? null) : null;
  if (people.length > 0 || voucher !== null) return { ...NOTHING, people, voucher };
  const id = purchaseIds.fromWire(number);
  const movement = id === null ? undefined : await findMovement(db, commerceId, id);
  return { ...NOTHING, movement: movement ?? (await findByOrder(db, search)) };
}

/** Anyone who can find people by the beginnings of their addresses can spell out the addresses, letter by letter. */
async function findAddress(db: Db, { commerceId, text, isCashier }: Search): Promise<FoundByText> {
  const email = normaliseEmail(text);
  const holder = email === null ? undefined : await findMember(db, { commerceId, email });
  const exact = await describePeople(db, holder === undefined ? [] : [holder]);
  const people = isCashier ? exact : await findPeople(db, commerceId, text, MOST_FOUND);
  return { ...NOTHING, people, stranger: holder === undefined ? email : null };
}

async function findByOrder(db: Db, { commerceId, text, isCashier }: Search): Promise<MovementOf | null> {
  return !isCashier && text !== '' ? ((await findOrder(db, commerceId, text)) ?? null) : null;
}

async function findMovement(db: Db, commerceId: number, id: number): Promise<MovementOf | undefined> {
  const { rows } = await sql<MovementOf>`-- find-movement
    select id, member_id as "memberId"
      from movements
     where commerce_id = ${commerceId} and id = ${id} and type not in ('expiry', 'redate')`.execute(db);
  return rows[0];
}
