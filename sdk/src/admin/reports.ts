import type {
  BenefitsReport,
  LevelsReport,
  LiabilityReport,
  MembersFigures,
  PointsFigures,
  PurchasesFigures,
  Report,
  ReportMethods,
  ReportMovementQuery,
  ReportMovements,
  ReportOverview,
  ReportPeople,
  ReportPeopleQuery,
  ReportQuery,
} from '../admin-wire-reports.ts';
import { optional, queryOf, text, word, type Kinds } from '../arguments.ts';
import type { AdminCalls } from './calls.ts';

const RANGE: Kinds<ReportQuery> = { from: optional(text), to: optional(text), by: optional(text) };
const MOVEMENTS: Kinds<ReportMovementQuery> = {
  kind: text,
  from: optional(text),
  to: optional(text),
  benefit_id: optional(text),
  cursor: optional(text),
};
const PEOPLE: Kinds<ReportPeopleQuery> = { ...MOVEMENTS, level_id: optional(text) };

/** Reports, for managers and owners. What each method returns stands beside its type. */
export function createReportMethods({ get, download }: AdminCalls): ReportMethods {
  return {
    getReportOverview: (callOptions) => get<ReportOverview>('/reports/overview', callOptions),

    getPointsReport: async (query = {}, callOptions) =>
      get<Report<PointsFigures>>(`/reports/points${queryOf(query, RANGE)}`, callOptions),

    getMembersReport: async (query = {}, callOptions) =>
      get<Report<MembersFigures>>(`/reports/members${queryOf(query, RANGE)}`, callOptions),

    getPurchasesReport: async (query = {}, callOptions) =>
      get<Report<PurchasesFigures>>(`/reports/purchases${queryOf(query, RANGE)}`, callOptions),

    getLiabilityReport: async (query = {}, callOptions) =>
      get<LiabilityReport>(`/reports/liability${queryOf(query, RANGE)}`, callOptions),

    getBenefitsReport: async (query = {}, callOptions) =>
      get<BenefitsReport>(`/reports/benefits${queryOf(query, RANGE)}`, callOptions),

    getLevelsReport: async (query = {}, callOptions) =>
      get<LevelsReport>(`/reports/levels${queryOf(query, RANGE)}`, callOptions),

    exportReport: async (name, query = {}, callOptions) =>
      download(`/reports/${word(name)}/export${queryOf(query, RANGE)}`, undefined, callOptions),

    listReportMovements: async (query, callOptions) =>
      get<ReportMovements>(`/reports/movements${queryOf(query, MOVEMENTS)}`, callOptions),

    listReportPeople: async (query, callOptions) =>
      get<ReportPeople>(`/reports/people${queryOf(query, PEOPLE)}`, callOptions),
  };
}
