import type {
  BenefitsReport,
  EarningReport,
  LevelsReport,
  LiabilityReport,
  MembersReport,
  PointsReport,
  PurchasesReport,
  ReportMovementKind,
  ReportMovements,
  ReportOverview,
  ReportPeople,
  ReportPeopleKind,
  ReportStep,
} from '../admin-wire.ts';
import { optional, queryOf, text, word, type Kinds } from '../arguments.ts';
import type { CallOptions } from '../call.ts';
import type { AdminCalls } from './calls.ts';

export type ReportName = 'points' | 'members' | 'purchases' | 'liability' | 'benefits' | 'levels';

/** Without `from` and `to`, the 30 days up to today. Without `by`, days. */
export interface ReportQuery {
  from?: string;
  to?: string;
  by?: ReportStep;
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

const RANGE: Kinds<ReportQuery> = { from: optional(text), to: optional(text), by: optional(text) };
const DAYS: Kinds<Omit<ReportQuery, 'by'>> = { from: optional(text), to: optional(text) };
const MOVEMENTS: Kinds<ReportMovementQuery> = {
  kind: text,
  from: optional(text),
  to: optional(text),
  benefit_id: optional(text),
  cursor: optional(text),
};
const PEOPLE: Kinds<ReportPeopleQuery> = { ...MOVEMENTS, level_id: optional(text) };

/** Reports, for managers and owners. */
export function createReportMethods({ get, download }: AdminCalls) {
  return {
    /** Returns what Home shows. */
    getReportOverview: (callOptions?: CallOptions) => get<ReportOverview>('/reports/overview', callOptions),

    /** Returns points earned, spent, expired and returned. */
    getPointsReport: async (query: ReportQuery = {}, callOptions?: CallOptions) =>
      get<PointsReport>(`/reports/points${queryOf(query, RANGE)}`, callOptions),

    /** Returns active and new members. */
    getMembersReport: async (query: ReportQuery = {}, callOptions?: CallOptions) =>
      get<MembersReport>(`/reports/members${queryOf(query, RANGE)}`, callOptions),

    /** Returns purchases and their amount. */
    getPurchasesReport: async (query: ReportQuery = {}, callOptions?: CallOptions) =>
      get<PurchasesReport>(`/reports/purchases${queryOf(query, RANGE)}`, callOptions),

    /** Returns points that can still be spent, when they end, and breakage. */
    getLiabilityReport: async (query: ReportQuery = {}, callOptions?: CallOptions) =>
      get<LiabilityReport>(`/reports/liability${queryOf(query, RANGE)}`, callOptions),

    /** Returns codes issued and used per benefit. */
    getBenefitsReport: async (query: ReportQuery = {}, callOptions?: CallOptions) =>
      get<BenefitsReport>(`/reports/benefits${queryOf(query, RANGE)}`, callOptions),

    /** Returns members per tier. */
    getLevelsReport: async (query: ReportQuery = {}, callOptions?: CallOptions) =>
      get<LevelsReport>(`/reports/levels${queryOf(query, RANGE)}`, callOptions),

    /** Returns what purchases earned by rule, product, category, branch, and weekday and hour, over at most 366 days. */
    getEarningReport: async (query: Omit<ReportQuery, 'by'> = {}, callOptions?: CallOptions) =>
      get<EarningReport>(`/reports/earning${queryOf(query, DAYS)}`, callOptions),

    /**
     * Returns a report as CSV that is safe to open in a spreadsheet: a line for each period, for each benefit in a period, or for
     * each tier. `endings` is the list of the liability report, and takes no range.
     */
    exportReport: async (
      name: ReportName | 'endings' | 'earning',
      query: ReportQuery = {},
      callOptions?: { signal?: AbortSignal },
    ) => download(`/reports/${word(name)}/export${queryOf(query, RANGE)}`, undefined, callOptions),

    /** Returns a page of the movements that a figure is made of. */
    listReportMovements: async (query: ReportMovementQuery, callOptions?: CallOptions) =>
      get<ReportMovements>(`/reports/movements${queryOf(query, MOVEMENTS)}`, callOptions),

    /** Returns a page of the people that a figure is made of. */
    listReportPeople: async (query: ReportPeopleQuery, callOptions?: CallOptions) =>
      get<ReportPeople>(`/reports/people${queryOf(query, PEOPLE)}`, callOptions),
  };
}
