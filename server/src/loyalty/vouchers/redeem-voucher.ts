import { SetAside, type WaitFor } from '#batching/waiting.ts';
import { createKeyedCall, KeyReused, runOncePerKey } from '#batching/idempotency.ts';
import type { KeyedRequest } from '#batching/keyed-request.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { NotFound, Problem } from '#problems/problem.ts';
import { countDigits } from '#text/count-digits.ts';
import { nameOfVoucher, readVouchers, stateOfVoucher, type Voucher, type VoucherRef } from './voucher.ts';

/** The commerce has no such code. The message depends on nothing but the number of digits. */
export class UnknownVoucher extends NotFound {
  constructor(code: number) {
    const isMember = countDigits(code) === 9;
    super('the benefit does not exist', isMember ? 'not_a_voucher_code' : 'not_found', {
      next: isMember
        ? '9 digits are the code of a member; send the 14 digits of the bought benefit'
        : 'check the 14 digits of the client_benefit_code, and that the key is of the shop that sold it',
    });
  }
}

export class VoucherUsed extends Problem {
  constructor() {
    super(400, 'benefit_used', 'the benefit was already used', {
      hint: 'Do not give it again. If your own call was repeated, send an Idempotency-Key with each redemption.',
    });
  }
}

export class VoucherPastDue extends Problem {
  constructor() {
    super(400, 'voucher_expired', 'the benefit is past its due date', {
      hint: 'It cannot be used any more. The member can buy another one.',
    });
  }
}

/** The member has got the points back for it. */
export class VoucherGivenBack extends Problem {
  constructor() {
    super(400, 'voucher_given_back', 'the benefit was given back', {
      hint: 'It cannot be used any more: the member has the points back.',
    });
  }
}

/** A return took away the tier that the benefit came with. */
export class VoucherVoid extends Problem {
  constructor() {
    super(400, 'voucher_void', 'the benefit is void: the purchase that earned it was returned', {
      hint: 'It cannot be used any more.',
    });
  }
}

/** A redemption of a code. */
export interface Redemption {
  readonly commerceId: number;
  readonly code: number;
  /** The id of the register, if it was redeemed at one. */
  readonly registerId?: number | null;
  /** The request, if it has an idempotency key. */
  readonly request?: KeyedRequest | undefined;
  /** The operation of its key: the keys of different interfaces never meet. */
  readonly operation?: string;
}

/** The outcome of one redemption: done now, done by an earlier call with the same key, or refused. */
export type RedemptionOutcome =
  | { readonly kind: 'redeemed'; readonly used: Used }
  | { readonly kind: 'redeemed before' }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** The use of a voucher, in the ledger. */
export interface Used {
  readonly memberId: number;
  readonly movementId: number;
}

/**
 * A shop redeems a code once the sale is closed. This cannot be undone. Repeating an idempotency key returns the
 * success of the first call.
 * @throws UnknownVoucher, VoucherUsed, VoucherPastDue, VoucherGivenBack, VoucherVoid, KeyReused, Conflict
 */
export async function redeemVoucher(
  database: Database,
  redemption: Redemption,
): Promise<{ replayed: boolean }> {
  const used = await transaction(database, (tx) => redeemVoucherIn(tx, redemption));
  return { replayed: used === null };
}

/** Does the same in the caller's transaction. Returns null if the call is a repeat, which changes nothing. */
export async function redeemVoucherIn(tx: Tx, redemption: Redemption): Promise<Used | null> {
  const [outcome] = await redeemVouchers(tx, [redemption]);
  return usedBy(outcome!);
}

/** Returns the use, or null if the call was a repeat. @throws the Problem that refused it */
export function usedBy(outcome: RedemptionOutcome): Used | null {
  if (outcome.kind === 'refused') throw outcome.problem;
  return outcome.kind === 'redeemed' ? outcome.used : null;
}

/**
 * Redeems codes in the caller's transaction. Takes one redemption or many. If several are of the same code, the first of them
 * succeeds. Returns one outcome for each, in order. A refused one does not affect the others. Waits for vouchers that are locked
 * elsewhere, or sets their redemptions aside, as `waitFor` says.
 */
export function redeemVouchers(tx: Tx, redemptions: readonly Redemption[]): Promise<RedemptionOutcome[]>;
export function redeemVouchers(
  tx: Tx,
  redemptions: readonly Redemption[],
  waitFor: WaitFor,
): Promise<(RedemptionOutcome | SetAside)[]>;
export async function redeemVouchers(
  tx: Tx,
  redemptions: readonly Redemption[],
  waitFor: WaitFor = 'all',
): Promise<(RedemptionOutcome | SetAside)[]> {
  const calls = redemptions.map(({ commerceId, code, request, operation = 'redeem' }) =>
    createKeyedCall(commerceId, operation, request, code),
  );
  const outcomes = await runOncePerKey(tx, calls, async (places) => {
    const fresh = places.map((place) => redemptions[place]!);
    const made = await redeemNew(tx, fresh, waitFor);
    return made.map((outcome, i) => ({ outcome, result: isRedeemed(outcome) ? fresh[i]!.code : null }));
  });
  return outcomes.map((outcome): RedemptionOutcome | SetAside => {
    if (outcome.kind === 'made') return outcome.outcome;
    if (outcome.kind === 'repeat') return { kind: 'redeemed before' };
    return { kind: 'refused', problem: new KeyReused() };
  });
}

function isRedeemed(outcome: RedemptionOutcome | SetAside): boolean {
  return !(outcome instanceof SetAside) && outcome.kind === 'redeemed';
}

/** Checks that a voucher can be used at this instant. @throws VoucherUsed, VoucherVoid, VoucherGivenBack, VoucherPastDue */
export function assertUsable(voucher: Standing, now: Date): void {
  const problem = whyUnusable(voucher, now);
  if (problem !== null) throw problem;
}

type Standing = Pick<Voucher, 'source' | 'usedAt' | 'givenBackAt' | 'dueAt'>;

function whyUnusable(voucher: Standing, now: Date): Problem | null {
  const state = stateOfVoucher(voucher, now);
  return state === 'usable' ? null : refusals[state]();
}

const refusals = {
  used: () => new VoucherUsed(),
  given_back: () => new VoucherGivenBack(),
  void: () => new VoucherVoid(),
  expired: () => new VoucherPastDue(),
};

/** Redeems what can be redeemed, and finds out why the rest cannot. */
async function redeemNew(
  tx: Tx,
  redemptions: readonly Redemption[],
  waitFor: WaitFor,
): Promise<(RedemptionOutcome | SetAside)[]> {
  // The first redemption of each code.
  const firsts = Array.from(Map.groupBy(redemptions, nameOfVoucher).values(), ([first]) => first!);
  const waiting = waitFor === 'all' ? firsts : waitFor === 'first' ? firsts.slice(0, 1) : [];
  const used = new Map([
    ...(await burn(tx, waiting, 'wait')),
    ...(await burn(tx, firsts.slice(waiting.length), 'skip')),
  ]);
  const left = redemptions.filter((one) => !used.has(one));
  const vouchers = await readVouchers(tx, left);
  return redemptions.map((one): RedemptionOutcome | SetAside => {
    const its = used.get(one);
    if (its !== undefined) return { kind: 'redeemed', used: its };
    const voucher = vouchers.get(nameOfVoucher(one));
    if (voucher === undefined) return { kind: 'refused', problem: new UnknownVoucher(one.code) };
    const problem = whyUnusable(voucher, voucher.now);
    if (problem !== null) return { kind: 'refused', problem };
    if (waitFor === 'all') throw new Error('a usable voucher could not be redeemed');
    return new SetAside(nameOfVoucher(one));
  });
}

/** Uses up the codes that can be used, and writes it into the ledger. Leaves out those that are locked elsewhere, or waits. */
async function burn(
  tx: Tx,
  redemptions: readonly Redemption[],
  locked: 'wait' | 'skip',
): Promise<Map<Redemption, Used>> {
  if (redemptions.length === 0) return new Map();
  const among = commercesOf(redemptions);
  const { rows } = await sql<
    Used & VoucherRef
  >`${sql.raw(locked === 'skip' ? '-- redeem-free-vouchers' : '-- redeem-vouchers')}
    with wanted as materialized (
      select v.commerce_id, v.code, r.register_id, program_now(c.clock_offset) as now
        from unnest(${redemptions.map((r) => r.commerceId)}::bigint[], ${redemptions.map((r) => r.code)}::bigint[],
                    ${redemptions.map((r) => r.registerId ?? null)}::bigint[]) as r(commerce_id, code, register_id)
        join commerces c on c.id = r.commerce_id
        join vouchers v on v.commerce_id = r.commerce_id and v.code = r.code
       where v.commerce_id = any(${among}::bigint[])
       order by v.commerce_id, v.code
         for no key update of v ${sql.raw(locked === 'skip' ? 'skip locked' : '')}
    ), burned as (
      update vouchers v
         set used_at = w.now
        from wanted w
       where v.commerce_id = any(${among}::bigint[])
         and v.commerce_id = w.commerce_id and v.code = w.code
         and v.used_at is null and v.given_back_at is null
         and (v.due_at is null or v.due_at >= w.now)
      returning v.commerce_id, v.member_id, v.code, v.used_at, w.register_id
    )
    insert into movements (commerce_id, member_id, type, at, points, voucher_code, register_id)
    select commerce_id, member_id, 'usage', used_at, 0, code, register_id from burned
    returning commerce_id as "commerceId", voucher_code as code, member_id as "memberId", id as "movementId"`.execute(
    tx,
  );
  const byName = new Map(redemptions.map((one) => [nameOfVoucher(one), one]));
  return new Map(
    rows.map(({ memberId, movementId, ...ref }) => [
      byName.get(nameOfVoucher(ref))!,
      { memberId, movementId },
    ]),
  );
}
