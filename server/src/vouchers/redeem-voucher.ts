import { createKeyedCall, KeyReused, runOncePerKey } from '#calls/idempotency.ts';
import type { KeyedRequest } from '#calls/keyed-request.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { NotFound, Problem } from '#problems/problem.ts';
import { countDigits } from '#text/count-digits.ts';
import { readVoucher, stateOfVoucher, type Voucher } from './voucher.ts';

/** The commerce has no such code. What is said about it depends on nothing but the number of digits. */
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

/** The use of a voucher, in the ledger. */
export interface Used {
  readonly memberId: number;
  readonly movementId: number;
}

/** Does the same in the caller's transaction. Returns null if the call is a repeat, which changes nothing. */
export async function redeemVoucherIn(
  tx: Tx,
  { commerceId, code, registerId = null, request, operation = 'redeem' }: Redemption,
): Promise<Used | null> {
  const [outcome] = await runOncePerKey(tx, [createKeyedCall(commerceId, operation, request)], async () => [
    { outcome: await burn(tx, commerceId, code, registerId), result: code },
  ]);
  if (outcome?.kind === 'reused') throw new KeyReused();
  return outcome?.kind === 'made' ? outcome.outcome : null;
}

/** Checks that a voucher can be used at this instant. @throws VoucherUsed, VoucherVoid, VoucherGivenBack, VoucherPastDue */
export function assertUsable(
  voucher: Pick<Voucher, 'source' | 'usedAt' | 'givenBackAt' | 'dueAt'>,
  now: Date,
): void {
  switch (stateOfVoucher(voucher, now)) {
    case 'used':
      throw new VoucherUsed();
    case 'given_back':
      throw new VoucherGivenBack();
    case 'void':
      throw new VoucherVoid();
    case 'expired':
      throw new VoucherPastDue();
    case 'usable':
      break;
  }
}

async function burn(tx: Tx, commerceId: number, code: number, registerId: number | null): Promise<Used> {
  const { rows } = await sql<Used>`-- redeem-voucher
    with burned as (
      update vouchers v
         set used_at = program_now(c)
        from commerces c
       where v.commerce_id = ${commerceId} and v.code = ${code}
         and v.used_at is null and v.given_back_at is null
         and (v.due_at is null or v.due_at >= program_now(c))
         and c.id = v.commerce_id
      returning v.commerce_id, v.member_id, v.code, v.used_at
    )
    insert into movements (commerce_id, member_id, type, at, points, voucher_code, register_id)
    select commerce_id, member_id, 'usage', used_at, 0, code, ${registerId}::bigint from burned
    returning member_id as "memberId", id as "movementId"`.execute(tx);
  if (rows[0] !== undefined) return rows[0];

  const voucher = await readVoucher(tx, commerceId, code);
  if (voucher === undefined) throw new UnknownVoucher(code);
  assertUsable(voucher, voucher.now);
  throw new Error('a usable voucher could not be redeemed');
}
