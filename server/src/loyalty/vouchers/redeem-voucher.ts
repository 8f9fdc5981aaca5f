import { SetAside, type WaitFor } from '#batching/waiting.ts';
import { createKeyedCall, KeyReused, runOncePerKeys, type NewOutcome } from '#batching/idempotency.ts';
import type { KeyedRequest } from '#batching/keyed-request.ts';
import { commercesOf } from '#db/commerces-of.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { isOnCluster } from '#db/cluster/is-on-cluster.ts';
import { NotFound, Problem } from '#problems/problem.ts';
import { countDigits } from '#text/count-digits.ts';
import { burnOnCluster } from './burn-on-cluster.ts';
import { claimOf, findUndone, RedemptionUndone, type Named } from './named-redemptions.ts';
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
  /** The shop's own id of the redemption. With the code, it names one use for ever. */
  readonly externalId?: string | undefined;
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
 * A shop redeems a code once the sale is closed. A hold of the code does not matter, and ends. Repeating an idempotency key, or an
 * external id with its code, returns the success of the first call, unless the use was undone.
 * @throws UnknownVoucher, VoucherUsed, VoucherPastDue, VoucherGivenBack, VoucherVoid, RedemptionUndone, KeyReused, Conflict
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
  const calls = redemptions.map((one) => {
    const { commerceId, code, request, operation = 'redeem' } = one;
    const keyed = createKeyedCall(commerceId, operation, request, code);
    return [...(keyed === null ? [] : [keyed]), ...(isNamed(one) ? [claimOf(one)] : [])];
  });
  let undone: ReadonlySet<Redemption> = new Set();
  const outcomes = await runOncePerKeys(
    tx,
    calls,
    (places) =>
      redeemUnlessUndone(
        tx,
        places.map((place) => redemptions[place]!),
        waitFor,
      ),
    {
      async readRepeats(repeats) {
        undone = await findUndone(tx, repeats.map(({ place }) => redemptions[place]!).filter(isNamed));
      },
    },
  );
  return outcomes.map((outcome, place): RedemptionOutcome | SetAside => {
    if (outcome.kind === 'made') return outcome.outcome;
    if (outcome.kind === 'reused') return { kind: 'refused', problem: new KeyReused() };
    if (undone.has(redemptions[place]!)) return { kind: 'refused', problem: new RedemptionUndone() };
    return { kind: 'redeemed before' };
  });
}

function isNamed(redemption: Redemption): redemption is Redemption & Named {
  return redemption.externalId !== undefined;
}

/** Redeems what is new, unless its id named uses that were all undone. */
async function redeemUnlessUndone(
  tx: Tx,
  redemptions: readonly Redemption[],
  waitFor: WaitFor,
): Promise<NewOutcome<RedemptionOutcome | SetAside>[]> {
  const undone: ReadonlySet<Redemption> = await findUndone(tx, redemptions.filter(isNamed));
  const others = redemptions.filter((one) => !undone.has(one));
  const made = (await redeemNew(tx, others, waitFor)).values();
  return redemptions.map((one) => {
    const outcome: RedemptionOutcome | SetAside = undone.has(one)
      ? { kind: 'refused', problem: new RedemptionUndone() }
      : made.next().value!;
    return { outcome, result: isRedeemed(outcome) ? one.code : null };
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

/** Returns the code of the refusal of a voucher that nobody can use any more, whatever its date; null if somebody may. */
export function whyGone(voucher: Omit<Standing, 'dueAt'>): string | null {
  return whyUnusable({ ...voucher, dueAt: null }, new Date(0))?.code ?? null;
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
  const readLeft = () =>
    readVouchers(
      tx,
      redemptions.filter((one) => !used.has(one)),
    );
  let vouchers = await readLeft();
  // A use that was undone while `burn` waited for the code: its statement still sees the code as used.
  const restored = waiting.filter((one) => {
    const voucher = vouchers.get(nameOfVoucher(one));
    return !used.has(one) && voucher !== undefined && whyUnusable(voucher, voucher.now) === null;
  });
  if (restored.length > 0) {
    for (const [one, its] of await burn(tx, restored, 'wait')) used.set(one, its);
    vouchers = await readLeft();
  }
  return redemptions.map((one): RedemptionOutcome | SetAside => {
    const its = used.get(one);
    if (its !== undefined) return { kind: 'redeemed', used: its };
    const voucher = vouchers.get(nameOfVoucher(one));
    if (voucher === undefined) return { kind: 'refused', problem: new UnknownVoucher(one.code) };
    const problem = whyUnusable(voucher, voucher.now);
    // A cart that held the code before its date may use it after, so somebody else's lock must be waited for.
    const mayBeHeld = problem instanceof VoucherPastDue && isNamed(one) && !waiting.includes(one);
    if (problem !== null && !mayBeHeld) return { kind: 'refused', problem };
    if (waitFor === 'all') throw new Error('a usable voucher could not be redeemed');
    return new SetAside(nameOfVoucher(one));
  });
}

/**
 * Uses up the codes that can be used, writes it into the ledger and ends their holds. Leaves out those that are locked elsewhere, or
 * waits.
 */
async function burn(
  tx: Tx,
  redemptions: readonly Redemption[],
  locked: 'wait' | 'skip',
): Promise<Map<Redemption, Used>> {
  if (redemptions.length === 0) return new Map();
  const byName = new Map(redemptions.map((one) => [nameOfVoucher(one), one]));
  if (isOnCluster(tx)) {
    const burned = await burnOnCluster(tx, redemptions, locked);
    return new Map(
      burned.map(({ memberId, movementId, ...ref }) => [
        byName.get(nameOfVoucher(ref))!,
        { memberId, movementId },
      ]),
    );
  }
  const among = commercesOf(redemptions);
  const hasNames = redemptions.some(isNamed);
  const { rows } = await sql<
    Used & VoucherRef
  >`${sql.raw(`-- redeem-${locked === 'skip' ? 'free-' : ''}${hasNames ? 'named-' : ''}vouchers`)}
    with wanted as materialized (
      select v.commerce_id, v.code, r.register_id, r.external_id, program_now(c.clock_offset) as now
        from unnest(${redemptions.map((r) => r.commerceId)}::bigint[], ${redemptions.map((r) => r.code)}::bigint[],
                    ${redemptions.map((r) => r.registerId ?? null)}::bigint[],
                    ${redemptions.map((r) => r.externalId ?? null)}::text[]) as r(commerce_id, code, register_id, external_id)
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
         and (v.due_at is null or v.due_at >= w.now${hasNames ? HELD_BY_ITS_CART : NOTHING})
      returning v.commerce_id, v.member_id, v.code, v.used_at, w.register_id, w.external_id
    ), released as (
      delete from holds h using burned b
       where h.commerce_id = any(${among}::bigint[]) and h.commerce_id = b.commerce_id and h.code = b.code
    ), used as (
      insert into movements (commerce_id, member_id, type, at, points, voucher_code, register_id)
      select commerce_id, member_id, 'usage', used_at, 0, code, register_id from burned
      returning commerce_id, voucher_code, member_id, id
    )${hasNames ? NAMED : NOTHING}
    select commerce_id as "commerceId", voucher_code as code, member_id as "memberId", id as "movementId" from used`.execute(
    tx,
  );
  return new Map(
    rows.map(({ memberId, movementId, ...ref }) => [
      byName.get(nameOfVoucher(ref))!,
      { memberId, movementId },
    ]),
  );
}

const NOTHING = sql.raw('');

/** A code that was held before its date can be used by its cart until the hold ends, in real time. */
const HELD_BY_ITS_CART = sql.raw(`
              or exists (select from holds h
                          where h.commerce_id = w.commerce_id and h.code = w.code
                            and h.external_id = w.external_id and h.expires_at > now())`);

const NAMED = sql.raw(`, named as (
      insert into redemptions (commerce_id, external_id, code, member_id, use_id, used_at)
      select b.commerce_id, b.external_id, b.code, b.member_id, u.id, b.used_at
        from burned b
        join used u on u.commerce_id = b.commerce_id and u.voucher_code = b.code
       where b.external_id is not null
    )`);
