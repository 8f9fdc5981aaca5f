import type {
  AdjustedPoints,
  ErasedMember,
  GivenBack,
  MemberHistory,
  MemberList,
  MemberPage,
  MemberState,
  MovementKind,
  TillVoucher,
} from '../admin-wire.ts';
import {
  changes,
  fields,
  id,
  nullable,
  number,
  optional,
  orNull,
  queryOf,
  text,
  type Kinds,
} from '../arguments.ts';
import type { CallOptions, KeyedCallOptions } from '../call.ts';
import type { Message } from '../wire.ts';
import type { AdminCalls } from './calls.ts';

/** The filters of `searchMembers` and the export. Every field may be left out. */
export interface MemberSearch {
  /** A code, an e-mail, or the beginning of any words of the name. */
  text?: string;
  state?: MemberState;
  level_id?: string | null;
  min_points?: number;
  max_points?: number;
  /** Days of the last purchase. */
  bought_from?: string;
  bought_to?: string;
  /** Points that end within so many days. */
  expiring_days?: number;
  sort?: MemberSort;
  cursor?: string;
  limit?: number;
}

/**
 * `newest` and `oldest` by when the shop first heard of the person, `name` without case and accents; anyone without a name comes
 * last. With the beginning of a name as `text`, `name` is the order of the word that was found.
 */
export type MemberSort = 'newest' | 'oldest' | 'name';

const CONDITIONS: Kinds<Omit<MemberSearch, 'cursor' | 'limit'>> = {
  text: optional(text),
  state: optional(text),
  level_id: orNull(text),
  min_points: optional(number),
  max_points: optional(number),
  bought_from: optional(text),
  bought_to: optional(text),
  expiring_days: optional(number),
  sort: optional(text),
};
const SEARCH = { ...CONDITIONS, cursor: optional(text), limit: optional(number) };
const REASON = { reason: text };

/** The methods of a manager: find people, understand and correct. */
export function createMemberMethods({ download, get, post, postOnce, read, write }: AdminCalls) {
  return {
    /** Returns a page of the members that meet all conditions. */
    searchMembers: async (search: MemberSearch = {}, callOptions?: CallOptions) =>
      read<MemberList>('/members/search', fields(search, SEARCH), callOptions),

    /** Returns all members that meet the conditions, as CSV that is safe to open in a spreadsheet. */
    exportMembers: async (
      search: Omit<MemberSearch, 'cursor' | 'limit'> = {},
      callOptions?: { signal?: AbortSignal },
    ) => download('/members/export', fields(search, CONDITIONS), callOptions),

    /** Returns a member's page. */
    getMember: async (memberId: number, callOptions?: CallOptions) =>
      get<MemberPage>(`/members/${id(memberId)}`, callOptions),

    /** Returns a page of a member's history, newest first, each line with its arithmetic. */
    listMemberHistory: async (
      memberId: number,
      page: { kind?: MovementKind | null; cursor?: string | null } = {},
      callOptions?: CallOptions,
    ) =>
      get<MemberHistory>(
        `/members/${id(memberId)}/history${queryOf(page, { kind: orNull(text), cursor: orNull(text) })}`,
        callOptions,
      ),

    /** Returns the codes of a member, newest first: all that can be used, and the newest of the others. */
    listMemberVouchers: async (memberId: number, callOptions?: CallOptions) =>
      get<TillVoucher[]>(`/members/${id(memberId)}/benefits`, callOptions),

    /** Returns everything that is stored about a person. By default it waits for five minutes: the service sends long histories slowly. */
    exportMemberData: async (memberId: number, callOptions?: CallOptions) =>
      get<Record<string, unknown>>(`/members/${id(memberId)}/data`, {
        timeoutMs: 300_000,
        attempts: 1,
        ...callOptions,
      }),

    /** Gives points, or takes them if `points` is negative. The member reads the reason. */
    adjustPoints: async (
      memberId: number,
      adjustment: {
        points: number;
        reason: string;
        /** The last day of the points. Without it, the program decides. */
        expires_on?: string | null;
      },
      callOptions?: KeyedCallOptions,
    ) =>
      postOnce<AdjustedPoints>(
        `/members/${id(memberId)}/adjustments`,
        fields(adjustment, { points: number, ...REASON, expires_on: orNull(text) }),
        callOptions,
      ),

    /** Blocks a member: purchases and exchanges are refused. */
    blockMember: async (memberId: number, block: { reason: string }, callOptions?: CallOptions) =>
      post<MemberPage>(`/members/${id(memberId)}/block`, fields(block, REASON), callOptions),

    /** Lifts the block of a member. */
    unblockMember: async (memberId: number, unblock: { reason?: string } = {}, callOptions?: CallOptions) =>
      post<MemberPage>(
        `/members/${id(memberId)}/unblock`,
        fields(unblock, { reason: optional(text) }),
        callOptions,
      ),

    /** Pins a member to a tier, or to none: purchases and time no longer change it. */
    pinLevel: async (
      memberId: number,
      pin: { level_id: string | null; reason: string },
      callOptions?: CallOptions,
    ) =>
      write<MemberPage>(
        'PUT',
        `/members/${id(memberId)}/level`,
        fields(pin, { level_id: nullable(text), ...REASON }),
        callOptions,
      ),

    /** Lets the tier of a member move again. */
    unpinLevel: async (memberId: number, callOptions?: CallOptions) =>
      write<MemberPage>('DELETE', `/members/${id(memberId)}/level`, undefined, callOptions),

    /** Changes the fields that are sent. Null clears a field. */
    editProfile: async (
      memberId: number,
      profile: { username?: string | null; phone?: string | null; birth_date?: string | null },
      callOptions?: CallOptions,
    ) =>
      write<MemberPage>(
        'PATCH',
        `/members/${id(memberId)}/profile`,
        changes(profile, { username: orNull(text), phone: orNull(text), birth_date: orNull(text) }),
        callOptions,
      ),

    /** Sends the invitation again to a person whose points wait. */
    resendInvitation: async (memberId: number, callOptions?: CallOptions) =>
      post<Message>(`/members/${id(memberId)}/invitation`, {}, callOptions),

    /** Lets mails go to a person again whose mailbox did not exist. */
    liftSuppression: async (memberId: number, callOptions?: CallOptions) =>
      write<MemberPage>('DELETE', `/members/${id(memberId)}/suppression`, undefined, callOptions),

    /** Erases a person. The books stay. `confirm` is the member's code or, without a code, the e-mail address. */
    eraseMember: async (
      memberId: number,
      erasure: { confirm: string; reason: string },
      callOptions?: CallOptions,
    ) =>
      post<ErasedMember>(
        `/members/${id(memberId)}/erasure`,
        fields(erasure, { confirm: text, ...REASON }),
        callOptions,
      ),

    /** Gives the member the points back that an unused code had cost. */
    giveBackVoucher: async (code: number | string, giveBack: { reason: string }, callOptions?: CallOptions) =>
      post<GivenBack>(`/vouchers/${id(code)}/return`, fields(giveBack, REASON), callOptions),
  };
}
