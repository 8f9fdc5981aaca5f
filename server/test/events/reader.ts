import assert from 'node:assert/strict';
import type { Shop } from '#test/make.ts';

/** An event as it arrives. */
export interface ReadEvent {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly program_at: string;
  readonly commerce_id: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly sealed: { readonly index: number } | null;
}

export interface ReadPage {
  readonly events: ReadEvent[];
  readonly next: string;
  readonly has_more: boolean;
}

/** The state of one member, as a reader of events knows it. */
export interface Copied {
  points: number;
  readonly byDay: Map<string | null, number>;
  pointsEarned: number;
  amountSpent: number;
  levelId: string | null;
  expired: boolean;
  state: string;
  blocked: boolean;
}

/** A code in a cart. */
export interface HeldCode {
  readonly cart: string;
  readonly until: string;
}

/** A copy of a shop that is made from nothing but its feed. */
export interface Copy {
  readonly members: Map<number, Copied>;
  /** Codes that are neither used nor void, by their id, with their member. */
  readonly vouchers: Map<number, number>;
  /** The carts that hold codes, by the id of the code. A hold that has ended by itself is still here. */
  readonly holds: Map<number, HeldCode>;
  /** The stamps on open cards, by the kind of each member. */
  readonly stamps: Map<string, number>;
  readonly ids: Set<string>;
  /** Movements, with those in the snapshot. */
  movements: number;
  next: string | undefined;
}

export function emptyCopy(): Copy {
  return {
    members: new Map(),
    vouchers: new Map(),
    holds: new Map(),
    stamps: new Map(),
    ids: new Set(),
    movements: 0,
    next: undefined,
  };
}

/** Reads the snapshot of a shop. */
export async function readSnapshot(shop: Pick<Shop, 'get'>): Promise<Copy> {
  const { status, text } = await shop.get('/v1/events/snapshot');
  assert.equal(status, 200);
  const copy = emptyCopy();
  for (const line of text.trimEnd().split('\n')) {
    const { type, ...it } = JSON.parse(line) as Record<string, unknown>;
    if (type === 'start') copy.movements = it['movements'] as number;
    if (type === 'voucher') {
      copy.vouchers.set(it['voucher_id'] as number, it['member_id'] as number);
      if (it['held_until'] !== null) copy.holds.set(it['voucher_id'] as number, heldCode(it));
    }
    if (type === 'stamps') copy.stamps.set(cardOf(it), it['have'] as number);
    if (type === 'end') copy.next = it['next'] as string;
    if (type !== 'member') continue;
    const member = memberOf(copy, it['member_id'] as number);
    member.points = it['points'] as number;
    move(member, it['dates'] as Dates);
    member.pointsEarned = it['points_earned'] as number;
    member.amountSpent = it['amount_spent'] as number;
    member.levelId = it['level_id'] as string | null;
    member.expired = it['expired'] as boolean;
    member.state = it['state'] as string;
    member.blocked = it['blocked'] as boolean;
  }
  assert.notEqual(copy.next, undefined, 'the snapshot is whole');
  return copy;
}

/** Follows the feed to its present end. Fails on an event that comes twice. */
export async function catchUp(shop: Pick<Shop, 'get'>, copy: Copy, limit = 1_000): Promise<ReadEvent[]> {
  const read: ReadEvent[] = [];
  for (;;) {
    const page = await readPage(shop, copy.next, `limit=${limit}`);
    for (const event of page.events) apply(copy, event);
    read.push(...page.events);
    copy.next = page.next;
    if (!page.has_more) return read;
  }
}

export async function readPage(
  shop: Pick<Shop, 'get'>,
  after: string | undefined,
  query = '',
): Promise<ReadPage> {
  const from = after === undefined ? '' : `&after=${after}`;
  const { status, body } = await shop.get(`/v1/events?${query}${from}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as ReadPage;
}

type Dates = readonly { readonly points: number; readonly expires_on: string | null }[];

/** Applies one event, by what the guide says about its type. */
export function apply(copy: Copy, { id, type, data, sealed }: ReadEvent): void {
  assert.ok(!copy.ids.has(id), `${id} came twice`);
  copy.ids.add(id);
  if ('movement_id' in data) {
    if (sealed !== null) assert.ok(sealed.index <= copy.movements, 'the place in the tree');
    copy.movements += 1;
  }
  if (data['member_id'] === undefined) return;
  const member = memberOf(copy, data['member_id'] as number);
  if ('movement_id' in data) {
    member.points += data['points'] as number;
    move(member, data['dates'] as Dates);
    member.pointsEarned += (data['points_earned'] as number | undefined) ?? 0;
    member.amountSpent += (data['amount'] as number | null | undefined) ?? 0;
  }
  const voucherId = data['voucher_id'] as number;
  if (type === 'voucher.held') copy.holds.set(voucherId, heldCode(data));
  if (type === 'voucher.released') copy.holds.delete(voucherId);
  if (type === 'voucher.issued') copy.vouchers.set(voucherId, data['member_id'] as number);
  if (type === 'voucher.restored') copy.vouchers.set(voucherId, data['member_id'] as number);
  if (['voucher.used', 'voucher.given_back', 'voucher.voided'].includes(type)) {
    assert.ok(copy.vouchers.delete(voucherId), `${type} of a code that was issued`);
    copy.holds.delete(voucherId);
  }
  if (type === 'tier.reached' || type === 'tier.lost') {
    member.levelId = data['level_id'] as string | null;
    member.expired = data['expired'] as boolean;
  }
  if (type === 'stamp.given' || type === 'stamp.taken') copy.stamps.set(cardOf(data), data['have'] as number);
  if (type === 'member.erased')
    for (const card of copy.stamps.keys())
      if (card.startsWith(`${data['member_id'] as number}/`)) copy.stamps.delete(card);
  if (type === 'member.joined') member.state = 'member';
  if (type === 'member.left') member.state = 'left';
  if (type === 'member.erased' && member.state === 'member') member.state = 'left';
  if (type === 'member.blocked') member.blocked = true;
  if (type === 'member.unblocked') member.blocked = false;
}

/** Names the card of a kind of a member. */
function cardOf({ member_id: member, stamp_id: stamp }: Record<string, unknown>): string {
  return `${member as number}/${stamp as string}`;
}

function heldCode({ external_id: cart, held_until: until }: Record<string, unknown>): HeldCode {
  return { cart: cart as string, until: until as string };
}

function memberOf(copy: Copy, id: number): Copied {
  const found = copy.members.get(id) ?? {
    points: 0,
    byDay: new Map(),
    pointsEarned: 0,
    amountSpent: 0,
    levelId: null,
    expired: false,
    state: 'invited',
    blocked: false,
  };
  copy.members.set(id, found);
  return found;
}

function move(member: Copied, dates: Dates): void {
  for (const { points, expires_on: day } of dates) {
    const left = (member.byDay.get(day) ?? 0) + points;
    if (left === 0) member.byDay.delete(day);
    else member.byDay.set(day, left);
  }
}
