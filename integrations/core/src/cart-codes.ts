import { ApiError, type ShopClient } from '@loyalty/sdk';
import { discountOf, type UsableCode } from './discounts.ts';

/** Why a code cannot be used in a cart. `word` is what programs compare; the shop says it in its own language. */
export class CodeRefused extends Error {
  override readonly name = 'CodeRefused';
  readonly word:
    | 'unknown'
    | 'used'
    | 'expired'
    | 'void'
    | 'held'
    | 'too_many'
    | 'not_for_online_shops'
    | 'currency'
    | 'refused';

  constructor(word: CodeRefused['word']) {
    super(`the code cannot be used in this cart: ${word}`);
    this.word = word;
  }
}

/** How a refusal of the service reads at a cart. */
const WORDS: Readonly<Record<string, CodeRefused['word']>> = {
  not_a_voucher_code: 'unknown',
  not_found: 'unknown',
  benefit_used: 'used',
  voucher_expired: 'expired',
  voucher_given_back: 'void',
  voucher_void: 'void',
  held: 'held',
  too_many_holds: 'too_many',
};

/** Returns the code that a customer has typed, with blanks or without; null if it cannot be one. A shop's own coupons are looked up elsewhere then. */
export function codeIn(text: string): number | null {
  const digits = text.replace(/[\s-]/g, '');
  return /^\d{14}$/.test(digits) ? Number(digits) : null;
}

/**
 * Looks a code up and holds it for a cart, so that no other cart can take it. Again for the same cart, it extends the hold: do so while the
 * customer is there. Refuse codes yourself (`currency`) in carts of another currency than the commerce's: the service refuses their orders, and
 * such a code would stay unused. The order that the cart becomes uses the code, if it is sent with the id of the cart as its `cartId` or its own.
 * `releaseHold` of the SDK lets go of it.
 * @throws CodeRefused; ApiError and ConnectionError if the service could not decide
 */
export async function holdCode(shop: ShopClient, cartId: string, code: number): Promise<UsableCode> {
  try {
    const benefit = await shop.previewRedemptionCodeV2(code);
    const discount = discountOf(benefit);
    if (discount === null) throw new CodeRefused('not_for_online_shops');
    await shop.holdVoucher({ client_benefit_code: code, external_id: cartId });
    return { code, title: benefit.title, discount };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Returns a refusal in the words of a cart; other errors as they are. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status >= 500 || [401, 403, 429].includes(error.status))
    return error;
  return new CodeRefused(WORDS[error.code ?? ''] ?? (error.status === 404 ? 'unknown' : 'refused'));
}
