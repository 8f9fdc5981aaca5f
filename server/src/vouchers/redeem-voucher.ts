import { createKeyedCall, KeyReused, runOncePerKey } from '#calls/idempotency.ts';
import type { KeyedRequest } from '#calls/keyed-request.ts';
import { sql, transaction, type Database, type Tx } from '#db/database.ts';
import { NotFound, Problem } from '#problems/problem.ts';
import { countDigits } from '#text/count-digits.ts';
import { readVoucher, type Voucher } from './voucher.ts';

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

/**
 * A shop redeems a code once the sale is closed. This cannot be undone. Repeating an idempotency key returns the
 * success of the first call.
 * @throws UnknownVoucher, VoucherUsed, VoucherPastDue, VoucherGivenBack, VoucherVoid, KeyReused, Conflict
 */
export async function redeemVoucher(
  database: Database,
  redeem: {
    readonly commerceId: number;
    readonly code: number;
    /** The request, if it has an idempotency key. */
    readonly request?: KeyedRequest | undefined;
  },
): Promise<{ replayed: boolean }> {
  return transaction(database, async (tx) => {
    const { commerceId, code, request } = redeem;
    const [outcome] = await runOncePerKey(tx, [createKeyedCall(commerceId, 'redeem', request)], async () => {
      await burn(tx, commerceId, code);
      return [{ outcome: undefined, result: code }];
    });
    if (outcome?.kind === 'reused') throw new KeyReused();
    return { replayed: outcome?.kind === 'repeat' };
  });
}

/** Checks that a voucher can be used at this instant. @throws VoucherUsed, VoucherVoid, VoucherGivenBack, VoucherPastDue */
export function assertUsable(
  voucher: Pick<Voucher, 'source' | 'usedAt' | 'givenBackAt' | 'dueAt'>,
  now: Date,
): void {
  if (voucher.usedAt !== null) throw new VoucherUsed();
  if (voucher.givenBackAt !== null)
    throw voucher.source === 'exchange' ? new VoucherGivenBack() : new VoucherVoid();
  if (voucher.dueAt !== null && voucher.dueAt < now) throw new VoucherPastDue();
}

async function burn(tx: Tx, commerceId: number, code: number): Promise<void> {
  const { rows } = await sql`-- redeem-voucher
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
    insert into movements (commerce_id, member_id, type, at, points, voucher_code)
    select commerce_id, member_id, 'usage', used_at, 0, code from burned
    returning 1`.execute(tx);
  if (rows.length === 1) return;

  const voucher = await readVoucher(tx, commerceId, code);
  if (voucher === undefined) throw new UnknownVoucher(code);
  assertUsable(voucher, voucher.now);
  throw new Error('a usable voucher could not be redeemed');
}
