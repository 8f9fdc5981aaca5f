import { isLive, type Benefit } from '#benefits/benefit.ts';
import { lockFreeBenefits, nameOfBenefit, waitForBenefits } from '#benefits/lock-benefits.ts';
import { sellBenefits } from '#benefits/sell-benefits.ts';
import { readCommerces, type Commerce } from '#commerces/commerce.ts';
import { SetAside, type WaitFor } from '#batching/waiting.ts';
import { createKeyedCall, KeyReused, runOncePerKey, type NewOutcome } from '#batching/idempotency.ts';
import type { KeyedRequest } from '#batching/keyed-request.ts';
import type { Tx } from '#db/database.ts';
import { Problem } from '#problems/problem.ts';
import { isActive } from '#members/eligibility.ts';
import { lockFreeMembers, nameOfMember } from '#members/lock-members.ts';
import { MOST_UNUSED_CODES } from '#program/program.ts';
import { withLots, type LockedMember } from '#points/locked-member.ts';
import { settled } from '#points/pending.ts';
import { balanceOn } from '#points/lots.ts';
import { storeMovements } from '#points/store-movements.ts';
import { issueVouchers, newVoucher } from './issue-vouchers.ts';
import { payForBenefit } from './pay-for-benefit.ts';
import { newVoucherCode } from './voucher-code.ts';
import {
  countUsableVouchers,
  nameOfVoucher,
  readVouchers,
  type NewVoucher,
  type Voucher,
} from './voucher.ts';

/** A member's request to buy a benefit. */
export interface Exchange {
  readonly commerceId: number;
  readonly userId: number;
  readonly benefitId: string;
  /** The request, if it has an idempotency key. */
  readonly request?: KeyedRequest | undefined;
}

/** The outcome of one exchange: sold now, sold by an earlier call with the same key, or refused. */
export type ExchangeOutcome =
  | { readonly kind: 'sold'; readonly voucher: NewVoucher }
  | { readonly kind: 'sold before'; readonly voucher: NewVoucher }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** The person is not in the program: they never joined, left, or were blocked by staff. */
export class NotInTheProgram extends Problem {
  constructor() {
    super(
      400,
      'not_a_member',
      'only a member of the program can buy benefits: join with POST /v1/me/subscription',
    );
  }
}

/** The benefit does not exist or is not for sale now. The message depends on nothing but the text of the id. */
export class BenefitNotValid extends Problem {
  constructor(benefitId: string) {
    super(400, 'benefit_not_valid', 'the benefit does not exist or is not valid now', {
      next: /^\d{14}$/.test(benefitId)
        ? '14 digits are the code of a bought benefit; take a benefit_id from GET /v1/me/benefits/available'
        : 'take a benefit_id from GET /v1/me/benefits/available; gifts cannot be bought',
    });
  }
}

/** Everything that the benefit needs is there, but the last one was sold. */
export class SoldOut extends Problem {
  constructor() {
    super(400, 'sold_out', 'the benefit is sold out: choose another one');
  }
}

export class NotEnoughPoints extends Problem {
  constructor(have: number, cost: number) {
    super(
      400,
      'points_short',
      `there are not enough points for this benefit: it costs ${cost}, you have ${have}, so ${cost - have} are missing`,
    );
  }
}

/** The member holds as many unused codes as the program allows. Rewards are given all the same. */
export class TooManyUnusedCodes extends Problem {
  constructor() {
    super(400, 'too_many_codes', 'this member has too many unused codes: use one before buying another');
  }
}

/** Returns the voucher of an outcome. @throws the Problem that refused it */
export function answerOf(outcome: ExchangeOutcome): { voucher: NewVoucher; replayed: boolean } {
  if (outcome.kind === 'refused') throw outcome.problem;
  return { voucher: outcome.voucher, replayed: outcome.kind === 'sold before' };
}

/**
 * Members trade points for vouchers, in the caller's transaction. Takes one exchange or many. Each is decided on the
 * points and the benefits that the earlier ones left. Returns one outcome for each exchange, in order. A refused
 * exchange does not affect the others. Waits for members and benefits that are locked elsewhere, or sets their exchanges
 * aside, as `waitFor` says. Repeating an idempotency key returns the first voucher as it was issued. An outcome is refused with
 * NotInTheProgram, BenefitNotValid, SoldOut, TooManyUnusedCodes, NotEnoughPoints, KeyReused or Conflict.
 */
export function exchangeBenefits(tx: Tx, exchanges: readonly Exchange[]): Promise<ExchangeOutcome[]>;
export function exchangeBenefits(
  tx: Tx,
  exchanges: readonly Exchange[],
  waitFor: WaitFor,
): Promise<(ExchangeOutcome | SetAside)[]>;
export async function exchangeBenefits(
  tx: Tx,
  exchanges: readonly Exchange[],
  waitFor: WaitFor = 'all',
): Promise<(ExchangeOutcome | SetAside)[]> {
  // The codes are drawn first, so that a key is stored once, with its result.
  const coded = exchanges.map((exchange) => ({ ...exchange, code: newVoucherCode() }));
  const calls = coded.map(({ commerceId, userId, request, code }) =>
    createKeyedCall(commerceId, `exchange/${userId}`, request, code),
  );
  let soldBefore: ReadonlyMap<string, Voucher> = new Map();
  const outcomes = await runOncePerKey(
    tx,
    calls,
    (places) =>
      sellNew(
        tx,
        places.map((place) => coded[place]!),
        waitFor,
      ),
    {
      async readRepeats(repeats) {
        const refs = repeats.map(({ place, result: code }) => ({
          commerceId: coded[place]!.commerceId,
          code,
        }));
        soldBefore = await readVouchers(tx, refs);
      },
    },
  );
  return outcomes.map((outcome, place): ExchangeOutcome | SetAside => {
    if (outcome.kind === 'made') return outcome.outcome;
    if (outcome.kind === 'reused') return { kind: 'refused', problem: new KeyReused() };
    const voucher = soldBefore.get(
      nameOfVoucher({ commerceId: exchanges[place]!.commerceId, code: outcome.result }),
    );
    if (voucher === undefined) throw new Error('the voucher of an idempotency key does not exist');
    // As it was issued, even if its date was moved since.
    return { kind: 'sold before', voucher: { ...voucher, dueAt: voucher.firstDueAt ?? voucher.dueAt } };
  });
}

/** An exchange with the code of its voucher, if it is sold. */
interface CodedExchange extends Exchange {
  readonly code: number;
}

/** Locks, decides and stores the exchanges that are new. */
async function sellNew(
  tx: Tx,
  exchanges: readonly CodedExchange[],
  waitFor: WaitFor,
): Promise<NewOutcome<ExchangeOutcome | SetAside>[]> {
  const { members, busy: busyMembers } = await lockFreeMembers(
    tx,
    exchanges.map(({ commerceId, userId }) => ({ commerceId, userId })),
    waitFor,
  );
  const wanted = exchanges.map(({ commerceId, benefitId: id }) => ({ commerceId, id }));
  await waitForBenefits(tx, wanted, waitFor);
  // The commerces last: they are read after all locks.
  const [held, usable, { benefits, busy: busyBenefits }, commerces] = await Promise.all([
    withLots(tx, members),
    countUsableVouchers(tx, members, MOST_UNUSED_CODES),
    lockFreeBenefits(tx, wanted),
    readCommerces(tx, [...new Set(exchanges.map((exchange) => exchange.commerceId))]),
  ]);

  const holders = new Map(
    held.map((member) => [
      placeOf(member.commerceId, member.userId),
      settled(member, commerces.get(member.commerceId)!),
    ]),
  );
  const shelf = new Map(benefits.map((benefit) => [placeOf(benefit.commerceId, benefit.id), benefit]));
  const outcomes = exchanges.map((exchange): ExchangeOutcome | SetAside => {
    const { commerceId, userId, benefitId } = exchange;
    const rows = [nameOfMember({ commerceId, userId }), nameOfBenefit({ commerceId, id: benefitId })];
    const busy = rows.find((row) => busyMembers.has(row) || busyBenefits.has(row));
    if (busy !== undefined) return new SetAside(busy);
    const [holder, place] = [placeOf(commerceId, userId), placeOf(commerceId, benefitId)];
    try {
      const { member, benefit, voucher } = decideExchange(
        holders.get(holder),
        exchange,
        shelf.get(place),
        commerces.get(commerceId),
        usable,
      );
      usable.set(member.id, (usable.get(member.id) ?? 0) + 1);
      holders.set(holder, member);
      shelf.set(place, benefit);
      return { kind: 'sold', voucher };
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return { kind: 'refused', problem };
    }
  });

  const vouchers = outcomes.flatMap((outcome) =>
    !(outcome instanceof SetAside) && outcome.kind === 'sold' ? [outcome.voucher] : [],
  );
  // The vouchers first: they refer to the benefits, and PostgreSQL would lock a new version of these rows once more.
  await Promise.all([
    issueVouchers(tx, vouchers),
    sellBenefits(
      tx,
      vouchers.map(({ commerceId, benefit }) => ({ commerceId, id: benefit.id })),
    ),
    storeMovements(tx, [...holders.values()]),
  ]);
  return outcomes.map((outcome) => ({
    outcome,
    result: !(outcome instanceof SetAside) && outcome.kind === 'sold' ? outcome.voucher.code : null,
  }));
}

interface Decided {
  /** After paying. */
  readonly member: LockedMember;
  /** With one more sold. */
  readonly benefit: Benefit & { readonly commerceId: number };
  readonly voucher: NewVoucher;
}

/** Spends the points that expire first. @throws NotInTheProgram, BenefitNotValid, SoldOut, TooManyUnusedCodes, NotEnoughPoints */
function decideExchange(
  member: LockedMember | undefined,
  { benefitId, code }: CodedExchange,
  benefit: Decided['benefit'] | undefined,
  commerce: Commerce | undefined,
  usable: ReadonlyMap<number, number>,
): Decided {
  if (member === undefined || !isActive(member)) throw new NotInTheProgram();
  if (commerce === undefined || benefit === undefined || !isLive(benefit, 0, commerce.now))
    throw new BenefitNotValid(benefitId);
  if (!isLive(benefit, benefit.sold, commerce.now)) throw new SoldOut();
  const { rules, now, today } = commerce;
  if ((usable.get(member.id) ?? 0) >= rules.mostUnusedCodes) throw new TooManyUnusedCodes();
  const voucher = newVoucher(member, benefit, 'exchange', now, code);
  const paid = payForBenefit(member, commerce, benefit, voucher.code);
  if (paid === null) throw new NotEnoughPoints(balanceOn(member.lots, today), benefit.cost);
  return { member: paid, benefit: { ...benefit, sold: benefit.sold + 1 }, voucher };
}

function placeOf(commerceId: number, of: number | string | null): string {
  return `${commerceId}/${of}`;
}
