/**
 * Reports: `GET /admin/v1/reports/…`. Days are `YYYY-MM-DD` by the commerce's calendar, and both ends of a range belong to it.
 * Figures are counts, points or whole currency units, and never below zero unless the comment says so.
 */
import type { CallOptions } from './call.ts';
import type { MemberState, MovementKind } from './admin-wire.ts';
import type { BenefitKind } from './wire.ts';

export type ReportName = 'points' | 'members' | 'purchases' | 'liability' | 'benefits' | 'levels';

export type ReportStep = 'day' | 'week' | 'month';

/** Without `from` and `to`, the 30 days up to today. Without `by`, days. */
export interface ReportQuery {
  from?: string;
  to?: string;
  by?: ReportStep;
}

/** What was asked for, and the range before it. */
export interface ReportRange {
  from: string;
  to: string;
  by: ReportStep;
  /**
   * The range that it is compared with: as many whole months before, if the range is made of whole months; otherwise as many days
   * before.
   */
  before_from: string;
  before_to: string;
  /** The commerce's today, so that a chart can mark days that are still running or have not come. */
  today: string;
}

/** A day, a week from Monday on, or a month, cut off at the ends of the range. Also those without any figures. */
export interface ReportPeriod<Figures> {
  from: string;
  to: string;
  figures: Figures;
}

/** Every report has this shape: a chart draws `periods`, the head of the page shows `total` beside `before`. */
export interface Report<Figures> {
  range: ReportRange;
  /** The commerce's time at which it was counted. */
  as_of: string;
  total: Figures;
  /** Of the range before. */
  before: Figures;
  /** Oldest first. A table has the same rows. */
  periods: ReportPeriod<Figures>[];
  /** Of the range before. There may be one more or one less than in `periods`. */
  periods_before: ReportPeriod<Figures>[];
  /** Where each figure can be followed to, for the days of a period or of the range. Null if it sums up others. */
  links: { [Figure in keyof Figures]: ReportLink | null };
}

/**
 * The list that a figure is made of. `movements` and `people` take the days of the period, `members` is a search as in
 * `searchMembers` and tells about now.
 */
export type ReportLink =
  | { list: 'movements'; kind: ReportMovementKind }
  | { list: 'people'; kind: ReportPeopleKind }
  | { list: 'members'; search: ReportMemberSearch };

/** Conditions of `searchMembers`, which takes them as they stand. */
export interface ReportMemberSearch {
  /** Null: those without a tier. */
  level_id?: string | null;
  state?: MemberState;
  min_points?: number;
  max_points?: number;
  expiring_days?: number;
}

export interface PointsFigures {
  /** From purchases, from rewards and added by hand. */
  earned: number;
  from_purchases: number;
  from_rewards: number;
  added_by_hand: number;
  /** Exchanged for benefits. */
  spent: number;
  /** Came back to members for codes that they gave back. */
  given_back: number;
  /** Taken back with purchases that were returned. */
  returned: number;
  taken_by_hand: number;
  expired: number;
  /** Ended when people were erased; below zero if their debts were larger. */
  erased: number;
  /** All of it together, may be below zero. */
  change: number;
}

export interface MembersFigures {
  /** Joined the program. */
  joined: number;
  /** Left it and have not come back. */
  left: number;
  /** People who bought something, exchanged points or used a code, each counted once in a period. */
  active: number;
  /** Those of them who had never done so before. */
  first_time: number;
  /** In the program at the end of the period. */
  members: number;
}

export interface PurchasesFigures {
  purchases: number;
  /** Of these purchases, before returns. */
  amount: number;
  returns: number;
  returned_amount: number;
  /** `amount` without `returned_amount`; below zero if more was returned than bought. */
  net_amount: number;
  /** `amount` of a purchase, rounded; null without purchases. */
  average_amount: number | null;
}

export interface LiabilityFigures {
  /** Points that members held at the end of the period, less their debts. May be below zero. */
  outstanding: number;
  /** Breakage: points that ended without being spent, because they expired or a person was erased. */
  broken: number;
  /** Exchanged, without those given back. Below zero if more was given back. */
  spent: number;
  /** Breakage in percent of all points that ended or were spent, to one place; null without any. */
  breakage_percent: number | null;
}

export interface LiabilityReport extends Report<LiabilityFigures> {
  /** As of now, whatever the range. */
  now: {
    /** Points that can be spent now. */
    points: number;
    /** People who hold them. */
    holders: number;
    /** What people owe after returns; above zero. */
    debt: number;
    debtors: number;
    /** Of `points`, those without a last day. */
    never_end: number;
    /** Of `points`, those that wait for people who have not joined. */
    waiting: number;
  };
  /** When the points of now end, by month from the current one on. Later ones than 36 months are one line. */
  endings: { from: string; to: string | null; points: number; holders: number }[];
  now_links: { points: ReportLink; debt: ReportLink; endings: ReportLink };
}

export interface BenefitsFigures {
  /** Codes issued: bought and given. */
  issued: number;
  bought: number;
  /** By a reward or a tier. */
  given: number;
  /** Points paid for the bought ones. */
  points: number;
  used: number;
  /** Given back, or void because the tier was lost. */
  given_back: number;
}

export interface BenefitsReport extends Report<BenefitsFigures> {
  /** In the order of the catalog; those that are withdrawn come last, and only if they have figures. */
  benefits: BenefitReportLine[];
}

export interface BenefitReportLine {
  benefit_id: string;
  title: string;
  type: BenefitKind;
  image: string | null;
  cost: number;
  is_withdrawn: boolean;
  /** Null without a limit. */
  left_in_stock: number | null;
  total: BenefitsFigures;
  before: BenefitsFigures;
}

export interface LevelsFigures {
  /** Members who reached the tier that they have now. */
  reached: number;
}

export interface LevelsReport extends Report<LevelsFigures> {
  /** From the lowest, with those without a tier first. Tells about now. */
  levels: LevelReportLine[];
}

export interface LevelReportLine {
  /** Null for members without a tier. */
  level_id: string | null;
  /** Null for members without a tier. */
  name: string | null;
  /** Now. */
  members: number;
  /** Of all members now, in percent to one place; null without members. */
  percent: number | null;
  /** Who reached it within the range and hold it. */
  reached: number;
  reached_before: number;
  link: ReportLink;
}

/** What Home shows. */
export interface ReportOverview {
  as_of: string;
  today: string;
  /** So far. */
  of_today: HomeFigures;
  /** The same weekday a week ago, the whole day. */
  of_week_ago: HomeFigures;
  /** The 30 days up to today, and the 30 before. */
  last_30_days: HomeFigures;
  before_30_days: HomeFigures;
  /** Each of the 30 days, oldest first. */
  days: { day: string; figures: HomeFigures }[];
  members: number;
  liability: { points: number; holders: number };
  /** Points that end within 30 days. `first_day` is null without any. */
  ending_soon: { days: number; points: number; holders: number; first_day: string | null };
  /** What somebody should look at, the most pressing first. */
  attention: Attention[];
  links: { [Figure in keyof HomeFigures]: ReportLink } & { ending_soon: ReportLink };
}

export interface HomeFigures {
  purchases: number;
  /** Before returns. */
  amount: number;
  earned: number;
  spent: number;
  used_codes: number;
  joined: number;
}

export type Attention =
  /** Purchases are refused. */
  | { kind: 'program_paused' }
  /** A scheduled task fails; the operator's log says more. */
  | { kind: 'job_failing'; job: string; since: string }
  /** A purchase of the last 30 days far above the usual amounts of the shop. */
  | { kind: 'unusual_purchase'; consumption_id: number; member_id: number; at: string; amount: number }
  /** Mails that could not be sent in the last 7 days. */
  | { kind: 'mail_failed'; mails: number }
  /** A reward gave nothing in the last 30 days, because its benefit has ended. */
  | { kind: 'reward_withheld'; event: string; benefit_id: string; title: string; times: number }
  | { kind: 'sold_out'; benefit_id: string; title: string }
  /** At most a tenth is left. */
  | { kind: 'nearly_sold_out'; benefit_id: string; title: string; left: number }
  /** Ends within 14 days. */
  | { kind: 'benefit_ends'; benefit_id: string; title: string; day: string };

/** The figures that a list of movements adds up to. */
export type ReportMovementKind =
  | 'earned'
  | 'from_purchases'
  | 'from_rewards'
  | 'added_by_hand'
  | 'spent'
  | 'given_back'
  | 'returned'
  | 'taken_by_hand'
  | 'expired'
  | 'erased'
  | 'broken'
  | 'used'
  | 'active';

export interface ReportMovements {
  /** Newest first, 50 at most. */
  results: ReportMovement[];
  next_cursor: string | null;
}

export interface ReportMovement {
  /** 0 for points that have expired and are not written off yet. */
  id: number;
  kind: MovementKind;
  at: string;
  member: ReportPerson;
  points: number;
  amount: number | null;
  /** Of an exchange, a code given back or a used code. */
  benefit_id: string | null;
  title: string | null;
}

/** A person in a list of reports; the member's page shows the rest. */
export interface ReportPerson {
  member_id: number;
  client_code: number | null;
  username: string | null;
  state: MemberState;
}

/** `ending` are those whose points end on these days, `issued` those who got codes. */
export type ReportPeopleKind =
  | 'joined'
  | 'left'
  | 'ending'
  | 'issued'
  | 'given'
  | 'codes_given_back'
  | 'reached';

export interface ReportPeople {
  /** 50 at most. `joined`, `left`, `reached` and codes newest first, `ending` soonest first. */
  results: ReportPeopleLine[];
  next_cursor: string | null;
}

export interface ReportPeopleLine {
  member: ReportPerson;
  /** When they joined, left, reached the tier or got the code; null for points that end. */
  at: string | null;
  /** The day on which points end. */
  day: string | null;
  /** Points that end. */
  points: number | null;
  /** The code's benefit, or the tier. */
  benefit_id: string | null;
  title: string | null;
}

export interface ReportMovementQuery {
  kind: ReportMovementKind;
  from?: string;
  to?: string;
  /** Only with `spent`, `given_back` and `used`. */
  benefit_id?: string;
  cursor?: string;
}

export interface ReportPeopleQuery {
  kind: ReportPeopleKind;
  from?: string;
  to?: string;
  /** Only with `issued`, `given` and `codes_given_back`. */
  benefit_id?: string;
  /** Only with `reached`. */
  level_id?: string;
  cursor?: string;
}

/** The methods of the client. Managers and owners may call them. */
export interface ReportMethods {
  /** Returns what Home shows. */
  getReportOverview: (callOptions?: CallOptions) => Promise<ReportOverview>;
  /** Returns points earned, spent, expired and returned. */
  getPointsReport: (query?: ReportQuery, callOptions?: CallOptions) => Promise<Report<PointsFigures>>;
  /** Returns active and new members. */
  getMembersReport: (query?: ReportQuery, callOptions?: CallOptions) => Promise<Report<MembersFigures>>;
  /** Returns purchases and their amount. */
  getPurchasesReport: (query?: ReportQuery, callOptions?: CallOptions) => Promise<Report<PurchasesFigures>>;
  /** Returns points that can still be spent, when they end, and breakage. */
  getLiabilityReport: (query?: ReportQuery, callOptions?: CallOptions) => Promise<LiabilityReport>;
  /** Returns codes issued and used per benefit. */
  getBenefitsReport: (query?: ReportQuery, callOptions?: CallOptions) => Promise<BenefitsReport>;
  /** Returns members per tier. */
  getLevelsReport: (query?: ReportQuery, callOptions?: CallOptions) => Promise<LevelsReport>;
  /**
   * Returns a report as CSV that is safe to open in a spreadsheet: a line for each period, for each benefit in a period, or for
   * each tier. `endings` is the list of the liability report, and takes no range.
   */
  exportReport: (
    name: ReportName | 'endings',
    query?: ReportQuery,
    callOptions?: { signal?: AbortSignal },
  ) => Promise<Blob>;
  /** Returns a page of the movements that a figure is made of. */
  listReportMovements: (query: ReportMovementQuery, callOptions?: CallOptions) => Promise<ReportMovements>;
  /** Returns a page of the people that a figure is made of. */
  listReportPeople: (query: ReportPeopleQuery, callOptions?: CallOptions) => Promise<ReportPeople>;
}
