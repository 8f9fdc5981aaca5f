import type {
  Found,
  PurchasePreview,
  RecordedPurchase,
  ReversalPreview,
  Reversed,
  StaffProgram,
  TillDay,
  TillMember,
  TillVoucher,
} from '../admin-wire.ts';
import { queryOf, type CallOptions, type KeyedCallOptions } from '../call.ts';
import { checkReversal } from '../check-options.ts';
import type { AdminCalls } from './calls.ts';

/** A purchase of a member, or of an address that may have no account: its points then wait. */
export type PurchaseToRecord = ({ member_id: number } | { client_email: string }) & {
  /** Whole currency units. */
  amount: number;
  register_id?: number | null;
  branch_id?: number | null;
};

/** What a cashier does: find a member, record a purchase, use a code. */
export function createTillMethods({ get, postOnce, read }: AdminCalls) {
  return {
    /** Returns the program as it is now. */
    getProgram: (callOptions?: CallOptions) => get<StaffProgram>('/program', callOptions),

    /** Returns what a text stands for that was typed or scanned: a member, a voucher, a purchase or a new address. */
    find: (text: string, callOptions?: CallOptions) => read<Found>('/find', { text }, callOptions),

    /** Returns a member as the till shows one. */
    getTillMember: (memberId: number, callOptions?: CallOptions) =>
      get<TillMember>(`/till/members/${memberId}`, callOptions),

    /** Returns the points that a purchase would earn. Records nothing. */
    previewPurchase: (
      purchase: ({ member_id: number } | { client_email: string }) & { amount: number },
      callOptions?: CallOptions,
    ) => read<PurchasePreview>('/till/preview', purchase, callOptions),

    /** Records a purchase and gives the member the points. */
    recordPurchase: (purchase: PurchaseToRecord, callOptions?: KeyedCallOptions) =>
      postOnce<RecordedPurchase>('/purchases', purchase, callOptions),

    /** Returns what a register did today, newest first. Without a register, what devices without one did. */
    listTillDay: (
      page: { register_id?: number | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) => get<TillDay>(`/till/day${queryOf(page)}`, callOptions),

    /** Returns a code with its benefit and its state. */
    getVoucher: (code: number | string, callOptions?: CallOptions) =>
      get<TillVoucher>(`/vouchers/${encodeURIComponent(code)}`, callOptions),

    /** Redeems a code. This cannot be undone. */
    redeemVoucher: (
      code: number | string,
      at: { register_id?: number | null } = {},
      callOptions?: KeyedCallOptions,
    ) => postOnce<TillVoucher>(`/vouchers/${encodeURIComponent(code)}/redemption`, at, callOptions),

    /** Returns what taking back a purchase, or `amount` of it, would do. */
    previewReversal: (consumptionId: number, reversal: { amount?: number } = {}, callOptions?: CallOptions) =>
      read<ReversalPreview>(`/purchases/${consumptionId}/reversal/preview`, reversal, callOptions),

    /**
     * Takes back a purchase, or `amount` of it.
     * @throws TypeError if `amount` is there but undefined, because without it the whole purchase is taken back
     */
    reversePurchase: async (
      consumptionId: number,
      reversal: { amount?: number; reason?: string; register_id?: number | null } = {},
      callOptions?: KeyedCallOptions,
    ) => {
      checkReversal(reversal);
      return postOnce<Reversed>(`/purchases/${consumptionId}/reversal`, reversal, callOptions);
    },
  };
}
