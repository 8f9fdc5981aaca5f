import type {
  AdjustedPoints,
  ErasedMember,
  GivenBack,
  MemberHistory,
  MemberList,
  MemberPage,
  MemberSearch,
  MovementKind,
  TillVoucher,
} from '../admin-wire.ts';
import { queryOf, type CallOptions, type KeyedCallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** What a manager does: find people, understand and correct. */
export function createMemberMethods({ download, get, post, postOnce, read, write }: AdminCalls) {
  return {
    /** Returns a page of the members that meet all conditions. */
    searchMembers: (search: MemberSearch = {}, callOptions?: CallOptions) =>
      read<MemberList>('/members/search', search, callOptions),

    /** Returns all members that meet the conditions, as CSV that is safe to open in a spreadsheet. */
    exportMembers: (
      search: Omit<MemberSearch, 'cursor' | 'limit'> = {},
      callOptions?: { signal?: AbortSignal },
    ) => download('/members/export', search, callOptions),

    /** Returns a member's page. */
    getMember: (memberId: number, callOptions?: CallOptions) =>
      get<MemberPage>(`/members/${memberId}`, callOptions),

    /** Returns a page of a member's history, newest first, each line with its arithmetic. */
    listMemberHistory: (
      memberId: number,
      page: { kind?: MovementKind | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) => get<MemberHistory>(`/members/${memberId}/history${queryOf(page)}`, callOptions),

    /** Returns the codes of a member, newest first: all that can be used, and the newest of the others. */
    listMemberVouchers: (memberId: number, callOptions?: CallOptions) =>
      get<TillVoucher[]>(`/members/${memberId}/benefits`, callOptions),

    /** Returns everything that is stored about a person. */
    exportMemberData: (memberId: number, callOptions?: CallOptions) =>
      get<Record<string, unknown>>(`/members/${memberId}/data`, callOptions),

    /** Gives points, or takes them if `points` is negative. The member reads the reason. */
    adjustPoints: (
      memberId: number,
      adjustment: {
        points: number;
        reason: string;
        /** The last day of the points. Without it, the program decides. */
        expires_on?: string | null;
      },
      callOptions?: KeyedCallOptions,
    ) => postOnce<AdjustedPoints>(`/members/${memberId}/adjustments`, adjustment, callOptions),

    /** Blocks a member: purchases and exchanges are refused. */
    blockMember: (memberId: number, block: { reason: string }, callOptions?: CallOptions) =>
      post<MemberPage>(`/members/${memberId}/block`, block, callOptions),

    /** Lifts the block of a member. */
    unblockMember: (memberId: number, unblock: { reason?: string } = {}, callOptions?: CallOptions) =>
      post<MemberPage>(`/members/${memberId}/unblock`, unblock, callOptions),

    /** Pins a member to a tier, or to none: purchases and time no longer change it. */
    pinLevel: (
      memberId: number,
      pin: { level_id: string | null; reason: string },
      callOptions?: CallOptions,
    ) => write<MemberPage>('PUT', `/members/${memberId}/level`, pin, callOptions),

    /** Lets the tier of a member move again. */
    unpinLevel: (memberId: number, callOptions?: CallOptions) =>
      write<MemberPage>('DELETE', `/members/${memberId}/level`, undefined, callOptions),

    /** Changes the fields that are sent. Null clears a field. */
    editProfile: (
      memberId: number,
      profile: { username?: string | null; phone?: string | null; birth_date?: string | null },
      callOptions?: CallOptions,
    ) => write<MemberPage>('PATCH', `/members/${memberId}/profile`, profile, callOptions),

    /** Sends the invitation again to a person whose points wait. */
    resendInvitation: (memberId: number, callOptions?: CallOptions) =>
      post<Message>(`/members/${memberId}/invitation`, {}, callOptions),

    /** Lets mails go to a person again whose mailbox did not exist. */
    liftSuppression: (memberId: number, callOptions?: CallOptions) =>
      write<MemberPage>('DELETE', `/members/${memberId}/suppression`, undefined, callOptions),

    /** Erases a person. The books stay. `confirm` is the member's code or, without a code, the e-mail address. */
    eraseMember: (
      memberId: number,
      erasure: { confirm: string; reason: string },
      callOptions?: CallOptions,
    ) => post<ErasedMember>(`/members/${memberId}/erasure`, erasure, callOptions),

    /** Gives the member the points back that an unused code had cost. */
    giveBackVoucher: (code: number | string, giveBack: { reason: string }, callOptions?: CallOptions) =>
      post<GivenBack>(`/vouchers/${encodeURIComponent(code)}/return`, giveBack, callOptions),
  };
}
