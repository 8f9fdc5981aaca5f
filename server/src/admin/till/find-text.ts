import type { WireIds } from '#calls/wire-ids.ts';
import { sql, type Db } from '#db/database.ts';
import { findMember, type MemberRef } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { findOrder } from '#purchases/recorded-purchases.ts';
import { normaliseEmail } from '#text/email-address.ts';
import { readTillVoucher, type HeldVoucher } from './read-till-voucher.ts';

/** What a text stands for. The parts that it does not stand for are empty. */
export interface FoundByText {
  readonly members: readonly Member[];
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
  /** Whether the shop's own ids of purchases are looked up too. */
  readonly findsOrders: boolean;
}

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
  if (text.includes('@')) return findAddress(db, commerceId, text);
  return { ...NOTHING, movement: await findByOrder(db, { ...search, text }) };
}

const NOTHING: FoundByText = { members: [], voucher: null, movement: null, stranger: null };

async function findNumber(db: Db, search: Search, digits: string): Promise<FoundByText> {
  const { commerceId, purchaseIds } = search;
  const number = Number(digits);
  const members = digits.length === 9 ? await findOne(db, { commerceId, code: number }) : [];
  const voucher = digits.length === 14 ? ((await readTillVoucher(db, commerceId, number)) ?? null) : null;
  if (members.length > 0 || voucher !== null) return { ...NOTHING, members, voucher };
  const id = purchaseIds.fromWire(number);
  const movement = id === null ? undefined : await findMovement(db, commerceId, id);
  return { ...NOTHING, movement: movement ?? (await findByOrder(db, search)) };
}

async function findAddress(db: Db, commerceId: number, text: string): Promise<FoundByText> {
  const email = normaliseEmail(text);
  if (email === null) return NOTHING;
  const members = await findOne(db, { commerceId, email });
  return { ...NOTHING, members, stranger: members.length === 0 ? email : null };
}

async function findOne(db: Db, ref: MemberRef): Promise<Member[]> {
  const member = await findMember(db, ref);
  return member === undefined ? [] : [member];
}

async function findByOrder(db: Db, { commerceId, text, findsOrders }: Search): Promise<MovementOf | null> {
  return findsOrders && text !== '' ? ((await findOrder(db, commerceId, text)) ?? null) : null;
}

async function findMovement(db: Db, commerceId: number, id: number): Promise<MovementOf | undefined> {
  const { rows } = await sql<MovementOf>`-- find-movement
    select id, member_id as "memberId"
      from movements
     where commerce_id = ${commerceId} and id = ${id} and type not in ('expiry', 'redate')`.execute(db);
  return rows[0];
}
