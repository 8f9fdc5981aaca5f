import type { Audited } from '#audit/audited.ts';
import { unsellBenefit } from '#benefits/unsell-benefit.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { sql, type Db, type Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';
import { isErased } from '#members/eligibility.ts';
import { lockMember } from '#members/lock-members.ts';
import { PersonErased } from '#members/refusals.ts';
import { comeBack } from '#points/come-back.ts';
import { withLots, withMovement, type LockedMember } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { balanceOn, type Split } from '#points/lots.ts';
import { storeMovements } from '#points/store-movements.ts';
import { UnknownVoucher, VoucherGivenBack, VoucherUsed } from './redeem-voucher.ts';
import { readVoucher, type Voucher } from './voucher.ts';

/** A request by staff to take back a voucher. */
export interface GiveBack {
  readonly commerceId: number;
  readonly code: number;
  /** One line for the member. */
  readonly reason?: string | undefined;
}

export interface GivenBack {
  /** Id of its movement. */
  readonly giveBackId: number;
  /** Points that the member got back. */
  readonly points: number;
  /** The balance right after it. */
  readonly balance: number;
}

/** The voucher came from a reward, so no points were paid for it. */
export class VoucherWasAGift extends Problem {
  constructor() {
    super(400, 'voucher_was_a_gift', 'the benefit was not bought with points');
  }
}

/**
 * Staff take back an unused voucher. The member gets the points back, even if they are no longer in the program, and
 * the sale no longer counts towards the benefit's limit. If a redemption happens at the same moment, exactly one of the
 * two succeeds. A second call is refused.
 * @throws UnknownVoucher, VoucherUsed, VoucherGivenBack, VoucherWasAGift, PersonErased, BeyondCounting
 */
export async function giveBackVoucher(
  tx: Tx,
  { commerceId, code, reason }: GiveBack,
): Promise<Audited<GivenBack>> {
  const memberId = (await readVoucher(tx, commerceId, code))?.memberId;
  const found = memberId === undefined ? undefined : await lockMember(tx, { commerceId, id: memberId });
  // The member is locked, so no other call can give the voucher back meanwhile.
  const voucher = await readVoucher(tx, commerceId, code);
  const commerce = await readCommerce(tx, commerceId);
  if (voucher === undefined || found === undefined || commerce === undefined) throw new UnknownVoucher(code);
  assertGivable(voucher);
  if (isErased(found)) throw new PersonErased();
  const [held] = await withLots(tx, [found]);

  const taken = await readTaken(tx, voucher);
  const after = decideGiveBack(settled(held!, commerce), taken, commerce, code, reason);
  await unsellBenefit(tx, commerceId, voucher.benefit.id);
  await markGivenBack(tx, commerceId, code, commerce.now);
  const giveBackId = (await storeMovements(tx, [after]))[0]!.at(-1)!;
  const points = voucher.cost;
  const balance = after.movements.at(-1)!.balanceAfter!;
  return {
    answer: { giveBackId, points, balance },
    entry: {
      action: 'voucher.give_back',
      memberId: found.id,
      movementId: giveBackId,
      subject: String(code),
      before: { points: balance - points },
      after: { points: balance },
      personal: { reason: reason ?? null },
    },
  };
}

function assertGivable(voucher: Voucher): void {
  if (voucher.source !== 'exchange') throw new VoucherWasAGift();
  if (voucher.usedAt !== null) throw new VoucherUsed();
  if (voucher.givenBackAt !== null) throw new VoucherGivenBack();
}

/** Returns the member after the points that an exchange had taken came back. */
export function decideGiveBack(
  member: LockedMember,
  taken: Split,
  commerce: Commerce,
  voucherCode: number,
  reason: string | undefined,
): LockedMember {
  const { rules, now, today } = commerce;
  const { lots } = comeBack(member, taken, rules.expiration, today);
  const snapshot = { rule: rules.version };
  return withMovement(
    member,
    {
      type: 'give_back',
      at: now,
      voucherCode,
      balanceAfter: balanceOn(lots, today),
      typedNote: reason,
      snapshot,
    },
    { lots, today },
  );
}

/** Returns the points that the exchange spent, by the day on which they would have expired. */
async function readTaken(db: Db, { commerceId, memberId, code, issuedAt }: Voucher): Promise<Split> {
  const { rows } = await sql<{ taken: Split }>`-- read-taken
    select snapshot -> 'taken' as taken
      from movements
     where commerce_id = ${commerceId} and member_id = ${memberId} and type = 'exchange'
       and at = ${issuedAt} and voucher_code = ${code}`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('the ledger has no exchange for a bought voucher');
  return row.taken;
}

/** A redemption does not lock the member. If one is running, this waits for it, and the redemption wins. */
async function markGivenBack(tx: Tx, commerceId: number, code: number, at: Date): Promise<void> {
  const { rows } = await sql`-- mark-given-back
    update vouchers
       set given_back_at = ${at}
     where commerce_id = ${commerceId} and code = ${code} and used_at is null and given_back_at is null
    returning 1`.execute(tx);
  if (rows.length === 0) throw new VoucherUsed();
}
