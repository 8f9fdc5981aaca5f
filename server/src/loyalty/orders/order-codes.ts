import type { Commerce } from '#commerces/commerce.ts';
import { undoRedemption } from '#corrections/undo-redemption.ts';
import type { Tx } from '#db/database.ts';
import { awaySince } from '#members/away-since.ts';
import type { Member } from '#members/member.ts';
import { NotEligible } from '#members/refusals.ts';
import { Problem } from '#problems/problem.ts';
import { HeldByAnotherCart } from '#vouchers/decide-hold.ts';
import { holdVoucher } from '#vouchers/hold-voucher.ts';
import { readHolders, releaseCode, takeOverHolds } from '#vouchers/holds.ts';
import { redeemVouchers, UnknownVoucher, VoucherPastDue } from '#vouchers/redeem-voucher.ts';
import { nameOfVoucher, type Voucher } from '#vouchers/voucher.ts';
import type { CodePlan } from './decide-order.ts';
import type { OrderCode } from './order.ts';
import type { OrderRef } from './store-orders.ts';

/** Why a code stays used although the order names it no more. */
export type WhyKept = 'with_return' | 'scope';

/** Who may restore codes for an order. */
export interface Undoer {
  readonly keyId: number;
  readonly network: string;
  readonly mayUndo: boolean;
  /** How many uses the key may undo on a day; null means no limit. */
  readonly undosPerDay: number | null;
}

interface Codes extends OrderRef {
  /** The cart whose holds the order takes over; null for none. */
  readonly cartId: string | null;
  readonly commerce: Commerce;
  readonly undoer: Undoer;
  /** The codes that exist, and who holds them, locked. */
  readonly vouchers: ReadonlyMap<string, Voucher>;
  readonly owners: ReadonlyMap<number, Member>;
}

/** What became of the codes that a state is about. */
export interface CodesAfter {
  readonly codes: readonly OrderCode[];
  /** True if any code was held, used, released or restored. */
  readonly hasChanged: boolean;
  /** True if a code could not be held because its member takes no part. */
  readonly isForbidden: boolean;
}

/** Carries out what a state of an order wants of codes, each by itself: one that is refused does not affect the others. */
export async function actOnCodes(tx: Tx, codes: Codes, acts: readonly CodePlan[]): Promise<CodesAfter> {
  const done: OrderCode[] = [];
  const wanted = acts.filter(({ act }) => act === 'hold' || act === 'use').map(({ code }) => code);
  const { cartId } = codes;
  if (cartId !== null && wanted.length > 0) await takeOverHolds(tx, { ...codes, cartId }, wanted);
  for (const { code, act } of acts) {
    if (act === 'hold') done.push(await hold(tx, codes, code));
    if (act === 'release') {
      await releaseCode(tx, { ...codes, code });
      done.push({ code, state: 'released', reason: null });
    }
    if (act === 'restore') done.push(await restore(tx, codes, code));
  }
  done.push(
    ...(await use(
      tx,
      codes,
      acts.filter(({ act }) => act === 'use').map(({ code }) => code),
    )),
  );
  return {
    codes: done,
    hasChanged: done.some(({ state, reason }) => state !== 'refused' && reason === null),
    isForbidden: done.some(({ reason }) => reason === 'not_eligible'),
  };
}

async function hold(tx: Tx, codes: Codes, code: number): Promise<OrderCode> {
  const { commerceId, externalId } = codes;
  const voucher = codes.vouchers.get(nameOfVoucher({ commerceId, code }));
  return refusedOr(code, 'held', async () => {
    if (voucher === undefined) throw new UnknownVoucher(code);
    const owner = codes.owners.get(voucher.memberId)!;
    const isHeldAlready = (await readHolders(tx, commerceId, [code])).get(code) === externalId;
    if (awaySince(owner) !== null && !isHeldAlready) throw new NotEligible();
    try {
      await holdVoucher(tx, { commerceId, code, externalId, minutes: null });
    } catch (error) {
      // What is held before its date can be used until the hold ends, which is not moved any more.
      if (!(error instanceof VoucherPastDue && isHeldAlready)) throw error;
    }
  });
}

/** A till may use a code that a cart holds, and an order may not. */
async function use(
  tx: Tx,
  { commerceId, externalId }: Codes,
  wanted: readonly number[],
): Promise<OrderCode[]> {
  if (wanted.length === 0) return [];
  const holders = await readHolders(tx, commerceId, wanted);
  const isHeld = (code: number) => (holders.get(code) ?? externalId) !== externalId;
  const free = wanted.filter((code) => !isHeld(code));
  const outcomes = await redeemVouchers(
    tx,
    free.map((code) => ({ commerceId, code, externalId })),
  );
  const used = free.map((code, i): OrderCode => {
    const outcome = outcomes[i]!;
    return outcome.kind === 'refused'
      ? refused(code, outcome.problem)
      : { code, state: 'used', reason: null };
  });
  return [...used, ...wanted.filter(isHeld).map((code) => refused(code, new HeldByAnotherCart()))];
}

async function restore(tx: Tx, codes: Codes, code: number): Promise<OrderCode> {
  const { commerceId, externalId, commerce, undoer } = codes;
  const why: WhyKept | null = !commerce.rules.codes.restoresWithReturn
    ? 'with_return'
    : undoer.mayUndo
      ? null
      : 'scope';
  if (why !== null) return { code, state: 'used', reason: why };
  const after = await refusedOr(code, 'restored', async () => {
    await undoRedemption(tx, { commerceId, externalId, code, ...undoer }, undoer.undosPerDay);
  });
  return after.state === 'refused' ? { ...after, state: 'used' } : after;
}

/** Refusals come before anything is written. */
async function refusedOr(
  code: number,
  state: OrderCode['state'],
  act: () => Promise<void>,
): Promise<OrderCode> {
  try {
    await act();
    return { code, state, reason: null };
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return refused(code, error);
    throw error;
  }
}

function refused(code: number, problem: Problem): OrderCode {
  return { code, state: 'refused', reason: problem.code };
}
