import { holdKey, settleKey } from '#batching/held-key.ts';
import { readCommerce, readRulesInForce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { storeHappenings } from '#happenings/store-happenings.ts';
import type { InvitationLimit } from '#members/invite-people.ts';
import { isErased } from '#members/eligibility.ts';
import { lockMembers, type MemberRef } from '#members/lock-members.ts';
import type { Member } from '#members/member.ts';
import { NotEligible, UnknownMember } from '#members/refusals.ts';
import type { Line } from '#points/line.ts';
import { Problem } from '#problems/problem.ts';
import { confirmPurchase } from '#purchases/confirm-purchase.ts';
import { growPurchase } from '#purchases/grow-purchase.ts';
import { DuplicateExternalId, recordPurchases } from '#purchases/record-purchases.ts';
import { keyOfOrder, readRecorded } from '#purchases/recorded-purchases.ts';
import { reversePurchase } from '#purchases/reverse-purchase.ts';
import { Unconfirmed } from '#purchases/unconfirmed.ts';
import { readHeldAt } from '#tiers/held-at.ts';
import { readVouchers } from '#vouchers/voucher.ts';
import { CLOCKS_APART_MS, decideOrder, OrderConflict, relate } from './decide-order.ts';
import { assertFits } from './order-fits.ts';
import { actOnCodes, type Undoer } from './order-codes.ts';
import type { Order, OrderLine, SaidOrder } from './order.ts';
import { readOrder, storeOrder, storeOrderLines, type OrderRef } from './store-orders.ts';

/** The order was paid by somebody else. */
export class AnotherBuyer extends Problem {
  constructor() {
    super(409, 'buyer', 'the order was paid by another person: send the buyer of its first paid state');
  }
}

/** The time of payment is far in the future, or long past. */
export class UnusablePaidAt extends Problem {
  constructor(why: string) {
    super(400, 'invalid_paid_at', `the order could not be recorded: ${why}`);
  }
}

/** A state of an order, as the call of a shop says it. */
export interface OrderCall extends SaidOrder, OrderRef {
  readonly buyer: { readonly code: number } | { readonly email: string };
  readonly currency: string | null;
  readonly branchId: number | null;
  readonly registerId: number | null;
  readonly channel: string | null;
  readonly lines: readonly OrderLine[] | null;
  /** The cart that it was, if that holds its codes under another id. */
  readonly cartId: string | null;
  /** The points of its purchase need not wait for the shop any more. */
  readonly isConfirmed: boolean;
  readonly undoer: Undoer;
}

export interface OrderPut {
  readonly order: Order;
  /** True for the first state of the order. */
  readonly isNew: boolean;
  /** True if nothing changed, because this version was sent before. */
  readonly replayed: boolean;
  /** True if nothing changed, because a newer version stands. */
  readonly stale: boolean;
}

/** An order can be reported so long after it was paid. */
const LATEST_HOURS = 72;

/**
 * A shop says what an order is, and the service writes the difference to what is recorded, in one transaction: the purchase and its
 * changes, and what becomes of codes. What cannot be done refuses only itself and is named in the answer. The same state again changes
 * nothing, and an older one neither.
 * @throws the Problems of `relate` and `decideOrder`, UnknownMember, NotEligible, AnotherBuyer, AnotherCurrency, UnusablePaidAt,
 * LinesDoNotAddUp, DuplicateExternalId, Conflict
 */
export async function putOrder(tx: Tx, call: OrderCall, invitations: InvitationLimit): Promise<OrderPut> {
  // Against purchases with the same id, and against other states of the order.
  const key = keyOfOrder(call);
  const held = await holdKey(tx, key);
  const put = await putClaimed(tx, call, held.result, invitations);
  if (held.isNew) await settleKey(tx, key, put.order.purchaseId);
  return put;
}

async function putClaimed(
  tx: Tx,
  call: OrderCall,
  claimedPurchaseId: number | null,
  invitations: InvitationLimit,
): Promise<OrderPut> {
  const { commerceId, externalId } = call;
  const stands = await readOrder(tx, call);
  const relation = relate(stands, call, await readRealTime(tx));
  if (stands !== null && relation === 'older')
    return { order: stands, isNew: false, replayed: false, stale: true };

  const purchase = await readPurchaseOf(tx, call, stands?.purchaseId ?? claimedPurchaseId);
  const vouchers = await readVouchers(
    tx,
    [...new Set([...call.codes, ...(stands?.codes ?? []).map(({ code }) => code)])].map((code) => ({
      commerceId,
      code,
    })),
  );
  const owners = Array.from(vouchers.values(), ({ memberId }) => memberId);
  const ids = [stands?.memberId ?? [], purchase?.memberId ?? [], owners].flat();
  const people = await lockMembers(tx, [
    { commerceId, ...call.buyer },
    ...ids.map((id): MemberRef => ({ commerceId, id })),
  ]);
  const buyer = buyerOf(call, stands, people);
  if (stands !== null && relation === 'same') {
    assertSameBuyer(stands, buyer, people);
    return { order: stands, isNew: false, replayed: true, stale: false };
  }
  if (purchase !== undefined && stands?.purchaseId !== purchase.id) assertAdoptable(call, purchase, buyer);

  const commerce = (await readCommerce(tx, commerceId))!;
  const paidAt = stands?.paidAt ?? paidAtOf(call, stands, purchase, commerce);
  assertFits(call, commerce);
  const plan = decideOrder(stands, call);

  const settledMoney = await settleMoney(tx, {
    call,
    buyer,
    kept: plan.kept,
    purchaseId: purchase?.id ?? null,
    late: unlessAhead(stands?.paidAt ?? call.paidAt, commerce),
    now: commerce.now,
    invitations,
  });
  const money = call.isConfirmed ? await confirmMoney(tx, call, settledMoney) : settledMoney;
  const codes = await actOnCodes(
    tx,
    {
      commerceId,
      externalId,
      cartId: call.cartId,
      commerce,
      undoer: call.undoer,
      vouchers,
      owners: new Map(people.map((member) => [member.id, member])),
    },
    plan.acts,
  );
  const isForbidden = money.refusal === 'not_eligible' || codes.isForbidden;
  if (isForbidden && !money.hasChanged && !codes.hasChanged) throw new NotEligible();

  const order: Order = {
    commerceId,
    externalId,
    memberId: money.memberId ?? buyer?.id ?? null,
    purchaseId: money.purchaseId,
    status: call.status,
    paid: call.paid,
    refunded: call.refunded,
    version: call.version,
    content: call.content,
    refusal: money.refusal,
    placedAt: stands?.placedAt ?? commerce.now,
    paidAt,
    codes: [...plan.stay, ...codes.codes].toSorted((one, other) => one.code - other.code),
  };
  await storeOrder(tx, order);
  const { memberId } = order;
  if (memberId !== null && call.lines !== null && !people.some((one) => one.id === memberId && isErased(one)))
    await storeOrderLines(tx, call, memberId, call.lines);
  await storeHappenings(tx, [happeningOf(order)]);
  return { order, isNew: stands === null, replayed: false, stale: false };
}

async function readRealTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`-- read-real-time
    select clock_timestamp() as now`.execute(db);
  return rows[0]!.now;
}

async function readPurchaseOf(db: Db, { commerceId }: OrderRef, id: number | null) {
  return id === null ? undefined : (await readRecorded(db, [{ commerceId, id }])).get(id);
}

/**
 * Returns the buyer that a state names; undefined for an address that nobody here has. After the first payment it must be the same person,
 * but a person who was erased since cannot be recognised by an address.
 * @throws UnknownMember, AnotherBuyer
 */
function buyerOf({ buyer }: OrderCall, stands: Order | null, people: readonly Member[]): Member | undefined {
  const found = people.find((one) => ('code' in buyer ? one.code === buyer.code : one.email === buyer.email));
  if (found === undefined && 'code' in buyer) throw new UnknownMember(buyer.code);
  if (stands === null || stands.status === 'open' || stands.memberId === null) return found;
  const before = people.find(({ id }) => id === stands.memberId)!;
  if (found?.id === before.id || (isErased(before) && 'email' in buyer)) return before;
  throw new AnotherBuyer();
}

/** The content of a state does not name its buyer, who may be named in two ways. @throws OrderConflict */
function assertSameBuyer({ memberId }: Order, buyer: Member | undefined, people: readonly Member[]): void {
  const before = people.find(({ id }) => id === memberId);
  if (before !== undefined && !isErased(before) && buyer?.id !== before.id)
    throw new OrderConflict('this version was sent with another buyer; send a higher version');
}

/** A purchase with the same id becomes that of the order if it is the same. @throws DuplicateExternalId */
function assertAdoptable(
  { paid }: OrderCall,
  purchase: { readonly memberId: number; readonly amount: number },
  buyer: Member | undefined,
): void {
  if (buyer?.id !== purchase.memberId || purchase.amount !== paid) throw new DuplicateExternalId();
}

/**
 * Returns when the order was paid, as the shop says it; null as long as it is not. A purchase that the order takes over keeps its date,
 * so the shop may say any other.
 * @throws UnusablePaidAt
 */
function paidAtOf(
  { status, paid, paidAt }: OrderCall,
  stands: Order | null,
  purchase: { readonly at: Date } | undefined,
  { now }: Commerce,
): Date | null {
  if (purchase !== undefined) return paidAt ?? purchase.at;
  if (status !== 'paid' || paid === 0) return null;
  if (paidAt === null) return now;
  if (paidAt.getTime() > now.getTime() + CLOCKS_APART_MS)
    throw new UnusablePaidAt('paid_at is more than five minutes in the future');
  const first = stands?.placedAt ?? now;
  if (paidAt.getTime() < first.getTime() - LATEST_HOURS * 60 * 60_000)
    throw new UnusablePaidAt(
      `paid_at is more than ${LATEST_HOURS} hours before the order was first sent: import older orders with loyalty purchases import`,
    );
  return paidAt;
}

/** The clock of the shop may be ahead of the service's. What was paid in its future was paid now. */
function unlessAhead(paidAt: Date | null, { now }: Commerce): Date | null {
  return paidAt !== null && paidAt > now ? null : paidAt;
}

interface Money {
  readonly call: OrderCall;
  readonly buyer: Member | undefined;
  readonly kept: number | null;
  readonly purchaseId: number | null;
  readonly now: Date;
  /** When it was paid, if the shop says so and it was before now. */
  readonly late: Date | null;
  readonly invitations: InvitationLimit;
}

interface MoneyAfter {
  readonly purchaseId: number | null;
  /** The buyer, if the purchase is one. */
  readonly memberId: number | null;
  readonly refusal: string | null;
  readonly hasChanged: boolean;
}

/** Makes the purchase count as much as the order says, by one more movement at most; by two if it was returned before it was reported. */
async function settleMoney(tx: Tx, money: Money): Promise<MoneyAfter> {
  const { call, buyer, kept, purchaseId } = money;
  const { commerceId } = call;
  const memberId = buyer?.id ?? null;
  if (purchaseId === null) {
    if (call.status !== 'paid' || call.paid === 0)
      return { purchaseId, memberId, refusal: null, hasChanged: false };
    const [outcome] = await recordPurchases(
      tx,
      [
        {
          commerceId,
          buyer: buyer === undefined ? call.buyer : { id: buyer.id },
          amount: call.paid,
          branchId: call.branchId,
          registerId: call.registerId,
          channel: call.channel,
          lines: call.lines && call.lines.map(lineSold),
          ...(money.late !== null && {
            late: {
              at: money.late,
              isLatest: false,
              arrivedAt: money.now,
              rules: await readRulesInForce(tx, commerceId, money.late),
              heldThen: memberId === null ? null : await readHeldAt(tx, { commerceId, memberId }, money.late),
            },
          }),
        },
      ],
      'all',
      money.invitations,
    );
    if (!outcome!.recorded)
      return { purchaseId, memberId, refusal: outcome!.problem.code, hasChanged: false };
    const recorded = await readPurchaseOf(tx, call, outcome!.purchaseId);
    const after = await settleMoney(tx, { ...money, purchaseId: outcome!.purchaseId });
    return { ...after, memberId: recorded!.memberId, hasChanged: true };
  }
  const more = kept === null ? 0 : kept - (await readKept(tx, commerceId, purchaseId));
  if (more === 0) return { purchaseId, memberId, refusal: null, hasChanged: false };
  try {
    if (more > 0) await growPurchase(tx, { commerceId, purchaseId, more });
    else
      await reversePurchase(tx, {
        commerceId,
        purchaseId,
        amount: 0 - more,
        ofOrder: call.lines ?? undefined,
      });
    return { purchaseId, memberId, refusal: null, hasChanged: true };
  } catch (error) {
    // Refusals come before anything is written.
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { purchaseId, memberId, refusal: error.code, hasChanged: false };
  }
}

/** Confirms the purchase, unless nothing of it is left to wait. */
async function confirmMoney(
  tx: Tx,
  { commerceId, status }: OrderCall,
  money: MoneyAfter,
): Promise<MoneyAfter> {
  const { purchaseId } = money;
  if (purchaseId === null || status !== 'paid') return money;
  try {
    await confirmPurchase(tx, { commerceId, purchaseId });
    return { ...money, hasChanged: true };
  } catch (error) {
    if (!(error instanceof Unconfirmed)) throw error;
    return { ...money, refusal: error.code };
  }
}

/** Returns a line of an order as a line of its purchase, which does not know what came back. */
function lineSold({ returned_units: _units, returned_amount: _amount, ...line }: OrderLine): Line {
  return line;
}

/** Returns how much of a purchase counts, in whole currency units. The till may have returned some of it too. */
async function readKept(db: Db, commerceId: number, purchaseId: number): Promise<number> {
  const { rows } = await sql<{ kept: number }>`-- read-kept
    select (select amount from movements where commerce_id = ${commerceId} and id = ${purchaseId})
           + coalesce((select sum(amount) from movements
                        where commerce_id = ${commerceId} and reverses_id = ${purchaseId}), 0)::bigint as kept`.execute(
    db,
  );
  return rows[0]!.kept;
}

function happeningOf({ commerceId, memberId, externalId, status, version, paid, refunded }: Order) {
  return {
    type: 'order.changed' as const,
    commerceId,
    memberId,
    facts: { external_id: externalId, status, version, paid, refunded },
  };
}
