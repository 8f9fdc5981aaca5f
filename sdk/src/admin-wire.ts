/**
 * The responses of the back office's interface, `/admin/v1`. Every field is always present, and null if it is empty.
 * Times are ISO 8601 strings, days are `YYYY-MM-DD` by the commerce's calendar, amounts are whole currency units.
 */
import type { MemberMail } from './admin-wire-messages.ts';
import type { BenefitKind } from './wire.ts';

/** From the fewest rights to the most. Each role may do everything that the ones before it may. */
export type StaffRole = 'cashier' | 'manager' | 'owner';

/** Who is signed in, and where. */
export interface StaffSession {
  email: string;
  name: string;
  /** Until when acts that ask for a fresh code are accepted without another one. */
  fresh_until: string | null;
  /** Where a developer makes a shop of their own. Null unless the service shows its mails to this machine. */
  own_shop_url: string | null;
  commerces: StaffCommerce[];
}

/** A commerce at which the person has a role. */
export interface StaffCommerce {
  id: number;
  slug: string;
  name: string;
  /** `#rrggbb` */
  color: string;
  logo: string | null;
  /** The address of the members' pages. */
  club_url: string;
  role: StaffRole;
  sandbox: boolean;
  /** ISO 4217. */
  currency: string;
  /** `en` or `es`, with or without a region. */
  locale: string;
  time_zone: string;
  /** Adjustments of more points than this ask for a fresh code. */
  step_up_points: number;
}

/** The program as it is now, as far as the till and a member's page need it. */
export interface StaffProgram {
  /** The commerce's own time; a sandbox may have moved it. */
  now: string;
  today: string;
  status: 'active' | 'paused';
  money_per_point: number;
  max_amount: number;
  /** The till asks once before it records more. */
  unusual_amount: number;
  double_points: { from: string; to: string; is_open: boolean }[];
  points_expiration: { mode: 'none' | 'rolling' | 'accumulated'; months: number | null };
  levels: { id: string; name: string; threshold: number; points_multiplier: number }[];
  threshold_type: 'points' | 'amount' | null;
}

export type MemberState = 'invited' | 'member' | 'left' | 'blocked' | 'erased';

/** What a text that was typed or scanned stands for. At most one of the fields is filled, except `members`. */
export interface Found {
  /** At most 8, best first. */
  members: FoundMember[];
  voucher: TillVoucher | null;
  /** A purchase or another movement, by its id. */
  movement: { id: number; member_id: number } | null;
  /** The address as it is stored, if the text is one that nobody here has: such a person can buy, and the points wait. */
  stranger: string | null;
}

export interface FoundMember {
  /** Of the back office; an invited person has no code. */
  member_id: number;
  client_code: number | null;
  username: string | null;
  /** For a cashier, only its first letter and its domain, and no domain if the name is the rest. */
  email: string | null;
  state: MemberState;
  level_name: string | null;
  points: number;
}

/** A member as the till shows one. */
export interface TillMember extends FoundMember {
  level: TillLevel | null;
  next_level: { name: string; missing: number; threshold_type: 'points' | 'amount' } | null;
  expiring: { points: number; expiration_date: string; days_left: number } | null;
  /** Codes that can be used now, soonest due first, at most 20. */
  vouchers: TillVoucher[];
}

export interface TillLevel {
  id: string;
  name: string;
  points_multiplier: number;
}

export type VoucherState = 'usable' | 'used' | 'expired' | 'given_back' | 'void';

export interface TillVoucher {
  client_benefit_code: number;
  member_id: number;
  /** Null if the person has not told one. */
  username: string | null;
  benefit_id: string;
  title: string;
  description: string;
  type: BenefitKind;
  value: number | null;
  image: string | null;
  color: string | null;
  /** `exchange` was bought with points, the others were given. */
  source: 'exchange' | 'welcome' | 'birthday' | 'monthly_top' | 'level';
  cost: number;
  issued_at: string;
  due_date: string | null;
  state: VoucherState;
  /** When it was used or given back. */
  ended_at: string | null;
}

/** One step of the arithmetic of a purchase, in order. The first is the division. */
export interface Factor {
  kind: 'base' | 'double_points' | 'level';
  /** Such as `18 ÷ 1`, `× 2`, `× 1.5`. */
  formula: string;
  /** Such as the tier's name. Null for the division. */
  name: string | null;
  /** The points after this step. */
  points: number;
}

export interface PurchasePreview {
  points: number;
  factors: Factor[];
  /** The sentence of `POST /v1/consumptions/preview`. */
  explanation: string;
}

export interface RecordedPurchase {
  consumption_id: number;
  points: number;
  balance: number | null;
  /** True if the points wait for a person who has not joined. */
  waits: boolean;
  at: string;
}

/** What a register did on the commerce's day, newest first. */
export interface TillDay {
  results: TillLine[];
  next_cursor: string | null;
  /** Of the whole day, after what was taken back. */
  purchases: number;
  amount: number;
  /** What is left above `amount`. May be more than one whole unit. */
  cents: number;
  points: number;
  used_codes: number;
}

export interface TillLine {
  /** The id of the movement. */
  id: number;
  kind: 'purchase' | 'return' | 'usage';
  at: string;
  member_id: number;
  username: string | null;
  amount: number | null;
  /** What was paid, or paid back, above `amount`, in the smallest unit of the currency. */
  cents: number;
  points: number;
  /** The name of the benefit of a used code. */
  title: string | null;
  register_id: number | null;
  /** Of a purchase: how much was taken back. */
  reversed_amount: number;
  /** What was paid back above `reversed_amount`. Below zero if less than it was. */
  reversed_cents: number;
  /** True if this person may take it back at this register now. */
  can_undo: boolean;
}

export interface Reversed {
  message: string;
  amount: number;
  points: number;
  balance: number | null;
}

/** What a return would do now. */
export interface ReversalPreview {
  amount: number;
  points: number;
  balance: number;
  /** The names of the tiers that only this purchase has reached. */
  lost_levels: string[];
}

/** The points of a member after an adjustment. */
export interface AdjustedPoints {
  /** Of the adjustment, in the member's history. */
  movement_id: number;
  points: number;
  balance: number;
}

/** A code that was given back. */
export interface GivenBack {
  voucher: TillVoucher;
  /** What the member got back. */
  points: number;
  balance: number;
}

/** What ended when a person was erased. */
export interface ErasedMember {
  /** Below zero for a debt. */
  points: number;
  /** Codes that can no longer be used. */
  codes: number;
}

/** A member's page. */
export interface MemberPage {
  member_id: number;
  client_code: number | null;
  username: string | null;
  email: string | null;
  phone: string | null;
  birth_date: string | null;
  state: MemberState;
  enrolled_at: string | null;
  left_at: string | null;
  invited_at: string | null;
  blocked_at: string | null;
  block_reason: string | null;
  points: number;
  level:
    | (TillLevel & {
        rank: number;
        reached_at: string | null;
        expiration_date: string | null;
        is_expired: boolean;
        is_pinned: boolean;
        /** The purchase that reached it, if one did. */
        reached_by: number | null;
      })
    | null;
  next_level: {
    id: string;
    name: string;
    missing: number;
    threshold: number;
    threshold_type: 'points' | 'amount';
  } | null;
  lifetime: { amount: number; purchases: number; points_earned: number; points_spent: number };
  /** What ends, soonest first; the last of a long list sums up the rest. */
  expirations: { points: number; expiration_date: string | null }[];
  last_purchase_at: string | null;
  /** Which mails the person gets. */
  mail: MemberMail;
}

export type MovementKind =
  | 'purchase'
  | 'return'
  | 'exchange'
  | 'give_back'
  | 'usage'
  | 'reward'
  | 'adjustment'
  | 'expiry';

export interface MemberHistory {
  results: MemberMovement[];
  next_cursor: string | null;
}

/** One line of a member's history, with its arithmetic and what can be done with it. */
export interface MemberMovement {
  /** 0 for points that expired: all of one day are one line, and their day names it. */
  id: number;
  kind: MovementKind;
  at: string;
  points: number;
  /** Right after it, if it was kept. */
  balance: number | null;
  amount: number | null;
  /** In the smallest unit of the currency. With `amount` it is what was paid, or paid back. */
  cents: number;
  title: string | null;
  event: string | null;
  note: string | null;
  register_id: number | null;
  branch_id: number | null;
  external_id: string | null;
  factors: Factor[];
  explanation: string | null;
  program_version: number | null;
  /** The purchase that a return takes back. */
  reverses_id: number | null;
  reversed_amount: number;
  /** With `reversed_amount` it is what was paid back of a purchase. */
  reversed_cents: number;
  reversed_points: number;
  /** The code of an exchange, a usage or a code given back. */
  voucher: { client_benefit_code: number; state: VoucherState; due_date: string | null } | null;
  /** Who or what caused it. */
  by: Cause;
  can: ('reverse' | 'give_back')[];
}

export type Cause =
  | { kind: 'staff'; name: string; email: string | null }
  /** A program of the shop. The name is null if it used a key of the contract, which movements do not keep. */
  | { kind: 'key'; name: string | null }
  | { kind: 'member' }
  | { kind: 'command_line' }
  | { kind: 'program' };

export interface MemberList {
  /** May be shorter than asked for, or empty, although there are more pages: a search for few among many stops in between. */
  results: MemberRow[];
  next_cursor: string | null;
  /** Of all pages; null if there are more than 10,000, or if counting them takes too long. */
  total: number | null;
}

export interface MemberRow extends FoundMember {
  enrolled_at: string | null;
  last_purchase_at: string | null;
  amount_spent: number;
  purchases: number;
}

/** What `searchMembers` and the export take. Every field may be left out. */
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

export interface AuditPage {
  results: AuditLine[];
  next_cursor: string | null;
}

export interface AuditLine {
  id: number;
  at: string;
  /** Such as `points.adjust` or `member.block`. */
  action: string;
  by: Cause;
  network: string | null;
  member_id: number | null;
  /** What it was done to, if that is no member: a code, a purchase, a person of the staff. */
  subject: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason: string | null;
}

export interface StaffMember {
  staff_id: number;
  email: string;
  name: string;
  role: StaffRole;
  invited_at: string;
  last_seen_at: string | null;
  /** On how many devices the person is signed in. */
  devices: number;
}
