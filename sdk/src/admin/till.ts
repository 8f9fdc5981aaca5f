import type {
  Found,
  PurchaseLine,
  PurchasePreview,
  RecordedPurchase,
  ReversalPreview,
  Reversed,
  StaffProgram,
  TillDay,
  TillMember,
  TillVoucher,
} from '../admin-wire.ts';
import { digits, fields, id, number, objects, optional, orNull, queryOf, text } from '../arguments.ts';
import type { CallOptions, KeyedCallOptions } from '../call.ts';
import type { AdminCalls } from './calls.ts';

/** A purchase of a member, or of an address that may have no account: its points then wait. */
export type PurchaseToPreview = ({ member_id: number } | { client_email: string }) & {
  /** Whole currency units. */
  amount: number;
  register_id?: number | null;
  branch_id?: number | null;
  /** What was sold, at most 30 lines. Their amounts add up to the amount. */
  lines?: PurchaseLine[] | null;
};

/** The part of a purchase that came back: all that is left, if neither is there. */
export interface ToReverse {
  /** Whole currency units. */
  amount?: number;
  /** The amount that came back above them, in the smallest unit of the currency. */
  cents?: number;
}

/** A purchase as it is recorded. */
export type PurchaseToRecord = PurchaseToPreview & {
  /** The amount that was paid above them, in the smallest unit of the currency. It earns nothing, and a return of a part counts it. */
  cents?: number;
};

/** The methods of a cashier: find a member, record a purchase, use a code. */
export function createTillMethods({ get, postOnce, read }: AdminCalls) {
  return {
    /** Returns the program as it is now. */
    getProgram: (callOptions?: CallOptions) => get<StaffProgram>('/program', callOptions),

    /** Returns what a text stands for that was typed or scanned: a member, a voucher, a purchase or a new address. */
    find: async (typed: string, callOptions?: CallOptions) =>
      read<Found>('/find', fields({ text: typed }, { text }), callOptions),

    /** Returns a member as the till shows one. */
    getTillMember: async (memberId: number, callOptions?: CallOptions) =>
      get<TillMember>(`/till/members/${id(memberId)}`, callOptions),

    /** Returns the points that a purchase would earn. Records nothing. */
    previewPurchase: async (purchase: PurchaseToPreview, callOptions?: CallOptions) =>
      read<PurchasePreview>(
        '/till/preview',
        fields(purchase, {
          ...kindsOf(purchase),
          register_id: orNull(number),
          branch_id: orNull(number),
          lines: orNull(objects),
        }),
        callOptions,
      ),

    /** Records a purchase and gives the member the points. */
    recordPurchase: async (purchase: PurchaseToRecord, callOptions?: KeyedCallOptions) =>
      postOnce<RecordedPurchase>(
        '/purchases',
        fields(purchase, {
          ...kindsOf(purchase),
          cents: optional(number),
          register_id: orNull(number),
          branch_id: orNull(number),
          lines: orNull(objects),
        }),
        callOptions,
      ),

    /** Returns what a register did today, newest first. Without a register, what devices without one did. */
    listTillDay: async (
      page: { register_id?: number | null; branch_id?: number | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) =>
      get<TillDay>(
        `/till/day${queryOf(page, { register_id: orNull(number), branch_id: orNull(number), cursor: orNull(text) })}`,
        callOptions,
      ),

    /** Returns a code with its benefit and its state. */
    getVoucher: async (code: number | string, callOptions?: CallOptions) =>
      get<TillVoucher>(`/vouchers/${id(code)}`, callOptions),

    /** Redeems a code. This cannot be undone. */
    redeemVoucher: async (
      code: number | string,
      at: { register_id?: number | null; branch_id?: number | null } = {},
      callOptions?: KeyedCallOptions,
    ) =>
      postOnce<TillVoucher>(
        `/vouchers/${id(code)}/redemption`,
        fields(at, { register_id: orNull(number), branch_id: orNull(number) }),
        callOptions,
      ),

    /** Returns what taking back a purchase, or a part of it, would do. */
    previewReversal: async (consumptionId: number, reversal: ToReverse = {}, callOptions?: CallOptions) =>
      read<ReversalPreview>(
        `/purchases/${id(consumptionId)}/reversal/preview`,
        fields(reversal, { amount: optional(number), cents: optional(number) }),
        callOptions,
      ),

    /**
     * Takes back a purchase, or a part of it.
     * @throws TypeError if `amount` is there but undefined: without it the whole purchase is taken back
     */
    reversePurchase: async (
      consumptionId: number,
      reversal: ToReverse & { reason?: string; register_id?: number | null; branch_id?: number | null } = {},
      callOptions?: KeyedCallOptions,
    ) =>
      postOnce<Reversed>(
        `/purchases/${id(consumptionId)}/reversal`,
        fields(reversal, {
          amount: optional(number),
          cents: optional(number),
          reason: optional(text),
          register_id: orNull(number),
          branch_id: orNull(number),
        }),
        callOptions,
      ),
  };
}

/** A purchase is one of a member or of an address. */
const kindsOf = (purchase: object) => ({
  member_id: 'client_email' in Object(purchase) ? optional(digits) : digits,
  client_email: optional(text),
  amount: number,
});
