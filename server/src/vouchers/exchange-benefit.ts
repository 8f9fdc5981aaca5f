import { isLive, readBenefit, type Benefit } from '#benefits/benefit.ts';
import { sellBenefit } from '#benefits/sell-benefit.ts';
import { readCommerce, type Commerce } from '#commerces/commerce.ts';
import { fingerprintOf, KeyReused, once, type Call, type Made } from '#commerces/idempotency.ts';
import { transaction, type Database, type Db } from '#db/database.ts';
import { Problem } from '#http/problem.ts';
import { lockMember } from '#members/lock-members.ts';
import { grantDate } from '#points/expires-on.ts';
import { withLots, withMovement, type LockedMember } from '#points/locked-member.ts';
import { moveDates, spend } from '#points/lots.ts';
import { storeMovements } from '#points/store-movements.ts';
import { issueVouchers, newVoucher } from './issue-vouchers.ts';
import { readVoucher, type NewVoucher } from './voucher.ts';

/** What a member asks for. */
export interface Exchange {
  readonly commerceId: number;
  readonly userId: number;
  readonly benefitId: string;
  readonly idempotencyKey?: string | undefined;
}

/** The person is not in the program: never joined, left, or blocked by staff. */
export class NotInTheProgram extends Problem {
  constructor() {
    super(400, 'only a member of the program can buy benefits');
  }
}

/** No such benefit, or not for sale now. */
export class BenefitNotValid extends Problem {
  constructor() {
    super(400, 'the benefit does not exist or is not valid now');
  }
}

export class NotEnoughPoints extends Problem {
  constructor() {
    super(400, 'the points fall short of what the benefit costs');
  }
}

/**
 * A member trades points for a voucher. Repeating an idempotency key gives the first voucher as it was issued.
 * @throws NotInTheProgram, BenefitNotValid, NotEnoughPoints, KeyReused, Conflict
 */
export async function exchangeBenefit(
  database: Database,
  exchange: Exchange,
): Promise<{ voucher: NewVoucher; replayed: boolean }> {
  return transaction(database, async (db) => {
    const [outcome] = await once(db, [callOf(exchange)], async () => [await buy(db, exchange)]);
    if (outcome?.kind === 'made') return { voucher: outcome.outcome, replayed: false };
    if (outcome?.kind !== 'repeat') throw new KeyReused();
    const voucher = await readVoucher(db, exchange.commerceId, outcome.result);
    if (voucher === undefined) throw new Error('the voucher of an idempotency key is gone');
    return { voucher, replayed: true };
  });
}

async function buy(db: Db, { commerceId, userId, benefitId }: Exchange): Promise<Made<NewVoucher>> {
  const found = await lockMember(db, { commerceId, userId });
  if (found === undefined || found.state !== 'member' || found.blockedAt !== null)
    throw new NotInTheProgram();
  const [member] = await withLots(db, [found]);

  for (;;) {
    const commerce = await readCommerce(db, commerceId);
    const benefit = await readBenefit(db, commerceId, benefitId);
    if (commerce === undefined || benefit === undefined || !isLive(benefit, commerce.now))
      throw new BenefitNotValid();
    const voucher = newVoucher(found, benefit, 'exchange', commerce.now);
    const after = decideExchange(member!, benefit, commerce, voucher.code);
    // The limit and the price are guarded where they are sold: where either moved meanwhile, look again.
    if (!(await sellBenefit(db, commerceId, benefit))) continue;
    await issueVouchers(db, [voucher]);
    await storeMovements(db, [after]);
    return { outcome: voucher, result: voucher.code };
  }
}

/** The member after paying for a benefit: what expires first is spent first. */
function decideExchange(
  member: LockedMember,
  benefit: Benefit,
  commerce: Commerce,
  voucherCode: number,
): LockedMember {
  const { rules, now, today } = commerce;
  const spent = spend(member.lots, benefit.cost, today);
  if (spent === null) throw new NotEnoughPoints();
  const date = grantDate(rules.expiration, today, member.movedOn, 'purchase');
  const lots = date.moving ? moveDates(spent.lots, date.expiresOn, today).lots : spent.lots;
  const snapshot = { rule: rules.version, benefit: benefit.id, cost: benefit.cost, taken: spent.split };
  return withMovement(member, { type: 'exchange', at: now, voucherCode, snapshot }, { lots, movedOn: today });
}

function callOf({ commerceId, userId, benefitId, idempotencyKey: key }: Exchange): Call | null {
  if (key === undefined) return null;
  return { commerceId, operation: `exchange/${userId}`, key, fingerprint: fingerprintOf(benefitId) };
}
